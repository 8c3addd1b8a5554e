import {
  type ClusterContext,
  type ClusterDriver,
  Conflict,
  type MasterFacet,
  NotReady,
  type Sampler,
} from 'headgate/driver-kit';
import { type Cluster, connect } from './cluster.js';
import { type FlinkClusterOptions, settingsFrom } from './settings/options.js';

const masterFacets: readonly MasterFacet[] = [
  'drainer',
  'attributes',
  'stackTraces',
  'deployHistory',
  'events',
  'logs',
  'properties',
  'forwarder',
  'savepoints',
  'checkpoints',
  'flameGraphs',
  'backPressure',
  'profiler',
];

/** The jobs of a Flink cluster. Everything is asked from its JobManager; nothing runs in here. */
export function createDriver(options: FlinkClusterOptions): ClusterDriver {
  const settings = settingsFrom(options);
  let cluster: Cluster | undefined;
  let closing: Promise<void> | undefined;

  function opened(): Cluster {
    if (!cluster) throw new NotReady('The driver for Flink is not open');
    return cluster;
  }

  const sample: Sampler['sample'] = async (request, call) => {
    const { sampler } = opened().operating;
    if (!sampler) throw new NotReady('There is no SQL gateway');
    return sampler.sample(request, call);
  };

  return {
    name: 'flink',
    masterFacets: settings.directory === undefined ? masterFacets : [...masterFacets, 'stats'],
    // The JobManager may be down now and come up later: nothing is asked here.
    async open(context: ClusterContext) {
      if (cluster) throw new Conflict('DRIVER_OPEN', 'The driver for Flink is open already');
      cluster = await connect(settings, context);
    },
    close: () => {
      closing ??= cluster?.close() ?? Promise.resolve();
      return closing;
    },
    async master(appId, call) {
      const { report } = await opened().applications.get(appId, call);
      return opened().master(report);
    },
    resourceManager: {
      listApplications: async (call) => opened().list(call),
      getApplication: async (appId, call) => {
        const { report } = await opened().applications.get(appId, call);
        return opened().operating.complete(report);
      },
      kill: async (appId, call) => opened().operating.ending.kill(appId, call?.signal),
      metrics: async () => opened().metrics(),
      about: async () => opened().facts.about(),
      nodeCount: async () => opened().facts.nodeCount(),
      launcher: {
        classes: 'main',
        launch: async (request, call) => opened().operating.launcher.launch(request, call),
        restart: async (appId, request, call) => opened().operating.launcher.restart(appId, request, call),
        checkSql: (application) => opened().operating.launcher.checkSql(application),
      },
      planner: { plan: async (request, call) => opened().operating.planner.plan(request, call) },
      ...(settings.sqlGateway === undefined ? {} : { sampler: { sample } }),
      queues: { list: async () => opened().facts.queues() },
      configuration: { read: async () => opened().facts.configuration() },
    },
  };
}
