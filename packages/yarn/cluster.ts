import { fileURLToPath } from 'node:url';
import { openStoredReports } from '@headgate/history';
import type {
  ApplicationReport,
  CallOptions,
  ClusterAbout,
  ClusterContext,
  ClusterMetrics,
  Forwarder,
  HttpClient,
  Launcher,
  Master,
  PermissionStore,
} from 'headgate/driver-kit';
import { masterAccess } from './applications/access.js';
import { createRunningApplications } from './applications/running-applications.js';
import type { ClusterFiles } from './files/cluster-files.js';
import { discoveredFiles } from './files/discovered-files.js';
import { localFiles } from './files/local-files.js';
import { webHdfs } from './files/webhdfs.js';
import type { Discovery } from './launch/discovery.js';
import { createLaunching } from './launch/launching.js';
import { openLaunchRecords } from './launch/records.js';
import { createApplications, type YarnApplications } from './manager/applications.js';
import { createManagerClient } from './manager/client.js';
import { createFacts } from './manager/facts.js';
import { createFolders } from './manager/folders.js';
import { createNodes } from './manager/nodes.js';
import { KeptSighting } from './manager/reports.js';
import { createMasters } from './masters/client.js';
import { createEngineBuild } from './masters/engine-build.js';
import { createMetrics } from './masters/metrics.js';
import { permissionStore } from './permissions.js';
import type { YarnSettings } from './settings/options.js';
import { authorized } from './wire/authorized.js';
import { connectionsOf } from './wire/connections.js';

export interface Cluster {
  readonly applications: YarnApplications;
  readonly facts: ReturnType<typeof createFacts>;
  /** Whether the file system shows the gateway its folder there. */
  checkFiles(options?: CallOptions): Promise<void>;
  metrics(options?: CallOptions): Promise<ClusterMetrics>;
  about(options?: CallOptions): Promise<ClusterAbout>;
  master(appId: string, options?: CallOptions): Promise<Master>;
  readonly permissions: PermissionStore;
  readonly forwarder: Forwarder;
  readonly launcher: Launcher | undefined;
  readonly discovery: Discovery | undefined;
  /** A report with what this gateway knows of its own launches. */
  complete(report: ApplicationReport): ApplicationReport;
  close(): Promise<void>;
}

/** The parts of the driver, put together. */
export async function connect(
  settings: YarnSettings,
  { clock, logger, storage, credentials, property }: ClusterContext,
): Promise<Cluster> {
  const { limits, user, gatewayAddress, authorize } = settings;
  const ownAddress = () => gatewayAddress || (property?.('platform.attr.GATEWAY_CONNECT_ADDRESS') ?? '');
  const records = await openLaunchRecords(storage, logger);
  const https = connectionsOf(settings);
  const manager = createManagerClient({
    urls: settings.managers,
    user: authorize ? undefined : user,
    http: https.manager,
    clock,
    authorize,
  });
  const facts = createFacts(manager, settings.managers);
  const files = filesFrom(settings, https.files, () => facts.configuration());
  const kept = await openStoredReports('yarn-applications', KeptSighting, { storage, logger });
  const folders = createFolders({ files, clock, root: settings.rootDirectory });
  const applications = createApplications({ manager, clock, limits, kept, folders });
  const masters = createMasters({ ...https, manager, clock, limits });
  const build = createEngineBuild({ applications, masters, clock });
  const known = createRunningApplications({
    files,
    rootDirectory: settings.rootDirectory,
    clock,
    max: limits.masters,
  });
  const master = masterAccess(settings, {
    applications,
    masters,
    known,
    nodes: createNodes({ manager, clock }),
    http: https.nodes,
    ownAddress,
  });
  const { launcher, discovery } = createLaunching(settings, {
    applications,
    records,
    logger,
    clock,
    gatewayAddress: ownAddress,
    credentials,
    program: () => property?.('platform.clusterExecutable'),
  });

  return {
    applications,
    facts,
    async checkFiles({ signal } = {}) {
      await files.list(settings.rootDirectory, signal);
    },
    launcher,
    discovery,
    forwarder: manager.forwarder,
    complete: records.complete,
    permissions: permissionStore({
      files,
      storage,
      clock,
      logger,
      backOffMillis: limits.backOffMillis,
      folderOf: (appId) => known.filesOf(appId).folder,
    }),
    metrics: createMetrics({ manager, applications, masters, clock }),
    async about(options) {
      const [cluster, engine] = await Promise.all([facts.about(options), build.read(options)]);
      return { ...cluster, engine };
    },
    master,
    async close() {
      await Promise.all([kept.close(), files.close(), ...Object.values(https).map((http) => http.close())]);
    },
  };
}

function filesFrom(
  { files, user, authorize }: YarnSettings,
  http: HttpClient,
  configuration: () => Promise<Record<string, string>>,
): ClusterFiles {
  const make = (urls: readonly string[]) => {
    const [first = ''] = urls;
    return first.startsWith('file:')
      ? localFiles(fileURLToPath(`${first}/`))
      : webHdfs({
          urls,
          user: authorize ? undefined : user,
          http: authorized(http, 'nameNode', authorize),
          dataNodes: http,
        });
  };
  return files.length > 0 ? make(files) : discoveredFiles(configuration, make);
}
