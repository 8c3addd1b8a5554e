import {
  type ApplicationReport,
  type ClusterContext,
  type ClusterDriver,
  Conflict,
  type Launcher,
  type MasterFacet,
  NotReady,
  type PackageOperatorReader,
  trackingUrl,
} from 'headgate/driver-kit';
import { type Cluster, connect } from './cluster.js';
import { commandPath } from './commands/run.js';
import type { Discovery } from './launch/discovery.js';
import { hasEnded } from './manager/applications.js';
import { rootedAt, settingsFrom, type YarnClusterOptions, type YarnSettings } from './settings/options.js';

const masterFacets: readonly MasterFacet[] = [
  'attributes',
  'containerControl',
  'stackTraces',
  'deployHistory',
  'events',
  'forwarder',
  'loggers',
  'logs',
  'operatorClasses',
  'planEditor',
  'properties',
  'physicalProperties',
  'recorder',
  'stats',
];

/** Applications of the engine on a YARN cluster. Everything is asked from the cluster; nothing runs in here. */
export function createDriver(options: YarnClusterOptions): ClusterDriver {
  const settings = settingsFrom(options);
  const { cli } = settings;
  let cluster: Cluster | undefined;
  let property: ClusterContext['property'];
  let closing: Promise<void> | undefined;

  function opened(): Cluster {
    if (!cluster) throw new NotReady('The driver for YARN is not open');
    return cluster;
  }

  return {
    name: 'yarn',
    ...(cli
      ? {
          executable: {
            path: () => property?.('platform.clusterExecutable') ?? cli.command,
            probe: { arguments: ['-h'], environment: { PATH: commandPath, ...cli.environment } },
          },
        }
      : {}),
    masterFacets,
    files: { check: async (call) => opened().checkFiles(call) },
    // The cluster may be down now and come up later: nothing is asked here.
    async open(context: ClusterContext) {
      if (cluster) throw new Conflict('DRIVER_OPEN', 'The driver for YARN is open already');
      property = context.property;
      // What the host says itself goes first.
      const root = options.rootDirectory ?? property?.('platform.dfsRootDirectory');
      cluster = await connect(root === undefined ? settings : rootedAt(settings, root), context);
    },
    close: () => {
      closing ??= cluster?.close() ?? Promise.resolve();
      return closing;
    },
    master: async (appId, call) => opened().master(appId, call),
    resourceManager: {
      ...applicationsOf(opened),
      metrics: async (call) => opened().metrics(call),
      about: async (call) => opened().about(call),
      nodeCount: async (call) => opened().facts.nodeCount(call),
      permissions: {
        read: async (appId, call) => opened().permissions.read(appId, call),
        write: async (appId, permissions, call) => opened().permissions.write(appId, permissions, call),
      },
      ...commandLineOf(opened, settings),
      forwarder: { target: async (call) => opened().forwarder.target(call) },
      queues: { list: async (call) => opened().facts.queues(call) },
      configuration: { read: async (call) => opened().facts.configuration(call) },
    },
  };
}

function applicationsOf(
  opened: () => Cluster,
): Pick<ClusterDriver['resourceManager'], 'listApplications' | 'getApplication' | 'kill'> {
  /** The manager's own addresses are for those inside the cluster. */
  function told(report: ApplicationReport): ApplicationReport {
    const { id, state } = report;
    return { ...opened().complete(report), trackingUrl: trackingUrl(id, state === 'RUNNING') };
  }
  return {
    listApplications: async (call) =>
      (await opened().applications.list(call))
        .map(({ report }) => told(report))
        .filter((report) => !call?.activeOnly || !hasEnded(report)),
    getApplication: async (appId, call) => {
      const { report } = await opened().applications.recent(appId, 0, call);
      return told(report);
    },
    kill: async (appId, call) => opened().applications.kill(appId, call),
  };
}

/** What the engine's command does for the gateway, as far as the options let it. */
function commandLineOf(
  opened: () => Cluster,
  { cli, discovery }: YarnSettings,
): Pick<ClusterDriver['resourceManager'], 'launcher' | 'packageOperators'> {
  function launching(): Launcher {
    const { launcher } = opened();
    if (!launcher) throw new NotReady('Nothing can be launched without the option cli');
    return launcher;
  }
  function discovering(): Discovery {
    const { discovery: found } = opened();
    if (!found) throw new NotReady('What packages hold is not found out by the option cli');
    return found;
  }
  const byCommand = discovery === 'cli';
  const packageOperators: PackageOperatorReader = {
    readsJars: true,
    describe: async (content, call) => discovering().operators.describe(content, call),
  };
  const launcher: Launcher = {
    launch: async (request, call) => launching().launch(request, call),
    restart: async (appId, request, call) => launching().restart(appId, request, call),
    ...(byCommand ? { plan: async (request, call) => discovering().plan(request, call) } : {}),
  };
  return { ...(cli ? { launcher } : {}), ...(byCommand ? { packageOperators } : {}) };
}
