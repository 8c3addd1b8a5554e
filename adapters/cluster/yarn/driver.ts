import {
  type ClusterContext,
  type ClusterDriver,
  Conflict,
  masterFacets,
  NotReady,
} from '../../../lib/index.js';
import { type Cluster, connect } from './cluster.js';
import { hasEnded } from './manager/applications.js';
import { settingsFrom, type YarnClusterOptions } from './options.js';

/** Applications of the engine on a YARN cluster. Everything is asked from the cluster; nothing runs in here. */
export function createDriver(options: YarnClusterOptions): ClusterDriver {
  const settings = settingsFrom(options);
  let cluster: Cluster | undefined;
  let closing: Promise<void> | undefined;

  function opened(): Cluster {
    if (!cluster) throw new NotReady('The driver for YARN is not open');
    return cluster;
  }

  return {
    name: 'yarn',
    masterFacets: masterFacets.filter((facet) => facet !== 'forwarder'),
    // The cluster may be down now and come up later: nothing is asked here.
    async open(context: ClusterContext) {
      if (cluster) throw new Conflict('The driver for YARN is open already');
      cluster = connect(settings, context);
    },
    close: () => {
      closing ??= cluster?.close() ?? Promise.resolve();
      return closing;
    },
    master: async (appId, call) => opened().master(appId, call),
    resourceManager: {
      listApplications: async (call) =>
        (await opened().applications.list(call))
          .map(({ report }) => report)
          .filter((report) => !call?.activeOnly || !hasEnded(report)),
      getApplication: async (appId, call) => (await opened().applications.get(appId, call)).report,
      kill: async (appId, call) => opened().applications.kill(appId, call),
      metrics: async (call) => opened().metrics(call),
      about: async (call) => opened().about(call),
      queues: { list: async (call) => opened().facts.queues(call) },
      configuration: { read: async (call) => opened().facts.configuration(call) },
    },
  };
}
