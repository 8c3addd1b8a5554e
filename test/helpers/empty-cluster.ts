import { type ClusterDriver, NotFound } from '../../lib/index.js';

/** A cluster that answers and runs nothing: for tests of what has nothing to do with applications. */
export function emptyCluster(): ClusterDriver {
  const build = { version: '0', buildDate: '', buildRevision: '', buildVersion: '', buildUser: '' };
  const unknown = async (appId: string) => {
    throw new NotFound('application', appId);
  };
  return {
    name: 'empty',
    masterFacets: [],
    resourceManager: {
      listApplications: async () => [],
      getApplication: unknown,
      kill: unknown,
      metrics: async () => metrics,
      about: async () => ({
        engine: build,
        cluster: build,
        location: 'nowhere',
        securityEnabled: false,
        haEnabled: false,
      }),
    },
    open: async () => {},
    master: unknown,
    close: async () => {},
  };
}

const metrics = {
  averageAge: 0,
  cpuPercentage: 0,
  currentMemoryAllocatedMB: 0,
  maxMemoryAllocatedMB: 0,
  numAppsFailed: 0,
  numAppsFinished: 0,
  numAppsKilled: 0,
  numAppsPending: 0,
  numAppsRunning: 0,
  numAppsSubmitted: 0,
  numContainers: 0,
  numOperators: 0,
  tuplesEmittedPSMA: 0,
  tuplesProcessedPSMA: 0,
};
