import { fileURLToPath } from 'node:url';
import {
  type ApplicationReport,
  type CallOptions,
  type ClusterAbout,
  type ClusterContext,
  type ClusterMetrics,
  type Forwarder,
  type Launcher,
  type Master,
  type PermissionStore,
  setNewest,
} from '../../../lib/driver-kit.js';
import { createAggregatedLogs } from './facets/aggregated-logs.js';
import { type ApplicationFiles, applicationFiles } from './facets/application-files.js';
import { type ClassDeclarations, createDeclarations } from './facets/class-declarations.js';
import { tooLarge } from './facets/logs.js';
import { createStartedRecordings, type StartedRecordings } from './facets/started-recordings.js';
import { type ClusterFiles, pathOf } from './files/cluster-files.js';
import { discoveredFiles } from './files/discovered-files.js';
import { localFiles } from './files/local-files.js';
import { webHdfs } from './files/webhdfs.js';
import { type CliOptions, createCli, launchOutputBytes } from './launch/cli.js';
import { createDiscovery, type Discovery } from './launch/discovery.js';
import { createLauncher } from './launch/launcher.js';
import { openLaunchRecords } from './launch/records.js';
import { createApplications, hasEnded, type YarnApplications } from './manager/applications.js';
import { createManagerClient } from './manager/client.js';
import { createEngineBuild } from './manager/engine-build.js';
import { createFacts } from './manager/facts.js';
import { createFolders } from './manager/folders.js';
import { createMetrics } from './manager/metrics.js';
import { createNodes } from './manager/nodes.js';
import type { Sighting } from './manager/reports.js';
import { openStoredReports } from './manager/stored-reports.js';
import { createMasters } from './masters/client.js';
import { createDetails, type MasterDetails } from './masters/details.js';
import { endedMaster } from './masters/ended-master.js';
import { runningMaster } from './masters/running-master.js';
import type { YarnSettings } from './options.js';
import { permissionStore } from './permissions.js';
import { authorized } from './wire/authorized.js';
import { createHttpClient, type HttpClient } from './wire/http.js';

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

/** What is known of one running application besides what it is asked for. */
interface Memory {
  readonly details: MasterDetails;
  readonly started: StartedRecordings;
  readonly declarations: ClassDeclarations;
  readonly attempt: string;
  files: ApplicationFiles | undefined;
}

/** Milliseconds: what the manager said of an application is good for so long when its master is asked. */
const sightingGoodFor = 2000;
const slowMillis = 60_000;
/** A master itself waits 5 s for a container. */
const liveMillis = 8000;

/** The parts of the driver, put together. Each kind of call has connections of its own. */
export async function connect(
  settings: YarnSettings,
  { clock, logger, storage, credentials, property }: ClusterContext,
): Promise<Cluster> {
  const { limits, user, cli, gatewayAddress, authorize } = settings;
  const ownAddress = () => gatewayAddress || (property?.('platform.attr.GATEWAY_CONNECT_ADDRESS') ?? '');
  const records = await openLaunchRecords(storage, logger);
  const client = (connections: number, timeoutMillis = limits.timeoutMillis) =>
    createHttpClient({ connections, timeoutMillis, answerBytes: limits.answerBytes, tls: settings.tls });
  const https = {
    manager: client(16),
    proxy: client(64),
    direct: client(4),
    slow: client(4, slowMillis),
    live: client(2, Math.max(liveMillis, limits.timeoutMillis)),
    nodes: client(16),
  };
  const manager = createManagerClient({
    urls: settings.managers,
    user: authorize ? undefined : user,
    http: authorized(https.manager, 'resourceManager', authorize),
    clock,
    authorize,
  });
  const facts = createFacts(manager, settings.managers);
  const files = filesFrom(settings, client(16), () => facts.configuration());
  const kept = await openStoredReports(storage, logger);
  const folders = createFolders({ files, clock, root: settings.rootDirectory });
  const applications = createApplications({ manager, clock, limits, kept, folders });
  const masters = createMasters({
    ...https,
    proxy: authorized(https.proxy, 'resourceManager', authorize),
    manager,
    clock,
    limits,
  });
  const nodes = createNodes({ manager, clock });
  const logs = {
    nodes,
    http: authorized(https.nodes, 'nodeManager', authorize),
    maxCopiedBytes: limits.copiedLogBytes,
  };
  const aggregated =
    settings.aggregatedLogs &&
    createAggregatedLogs({
      command: settings.aggregatedLogs,
      limits,
      user: authorize ? undefined : user,
      maxBytes: limits.copiedLogBytes,
      tooLarge: (logName) => tooLarge(logName, limits.copiedLogBytes),
    });
  const build = createEngineBuild({ applications, masters, clock });
  const memories = new Map<string, Memory>();

  function memoryOf({ report }: Sighting): Memory {
    const known = memories.get(report.id);
    const memory: Memory =
      known && known.attempt === report.currentAttemptId
        ? known
        : {
            details: createDetails(clock),
            started: createStartedRecordings(clock),
            declarations: createDeclarations(),
            attempt: report.currentAttemptId,
            files: undefined,
          };
    setNewest(memories, report.id, memory, limits.masters);
    return memory;
  }

  const usualFiles = (appId: string) => applicationFiles(files, `${settings.rootDirectory}/apps/${appId}`);

  function running(sighting: Sighting): Master {
    const memory = memoryOf(sighting);
    return runningMaster({
      sighting,
      client: masters.of(sighting),
      details: memory.details,
      started: memory.started,
      declarations: memory.declarations,
      logs,
      ownAddress: ownAddress(),
      // Until the master told where its files are, they are taken to be where they usually are.
      async filesOf(info) {
        const path = info && pathOf(info.appPath);
        if (path) memory.files = applicationFiles(files, path);
        return memory.files ?? usualFiles(sighting.report.id);
      },
    });
  }

  const commandLine = (command: CliOptions, outputBytes: number) =>
    createCli({
      cli: command,
      program: () => property?.('platform.clusterExecutable'),
      limits,
      outputBytes,
      user: authorize ? undefined : user,
      logger,
      settings: { 'dt.dfsRootDirectory': settings.rootDirectory },
    });
  // Apart from launches, which wait for nobody who only looks.
  const discovery =
    cli && settings.discovery === 'cli'
      ? createDiscovery({ cli: commandLine(cli, limits.answerBytes) })
      : undefined;

  const launcher = cli
    ? createLauncher({
        cli: commandLine(cli, launchOutputBytes),
        applications,
        records,
        logger,
        gatewayAddress: ownAddress,
        credentials,
        now: clock.now,
      })
    : undefined;

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
      folderOf: (appId) => (memories.get(appId)?.files ?? usualFiles(appId)).folder,
    }),
    metrics: createMetrics({ manager, applications, masters, clock }),
    async about(options) {
      const [cluster, engine] = await Promise.all([facts.about(options), build.read(options)]);
      return { ...cluster, engine };
    },
    async master(appId, options) {
      const sighting = await applications.recent(appId, sightingGoodFor, options);
      if (!hasEnded(sighting.report)) return running(sighting);
      const application = memories.get(appId)?.files ?? usualFiles(appId);
      return endedMaster({
        sighting,
        application,
        logs: { ...logs, ...(aggregated ? { aggregated } : {}) },
      });
    },
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
