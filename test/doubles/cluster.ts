import { type CallOptions, type Master, masterFacets } from '../../lib/driver-kit.js';
import {
  type ApplicationReport,
  type ClusterContext,
  type ClusterDriver,
  Conflict,
  NotFound,
  Unreachable,
} from '../../lib/index.js';
import { emptyCluster } from '../helpers/empty-cluster.js';

/**
 * A cluster for faults that a healthy engine does not have: a resource manager or masters that are down or hang, and
 * masters without facets. What works is tested with the local engine.
 */
export interface FaultyCluster extends ClusterDriver {
  manager: Condition;
  masters: Condition;
  /** Applications by id; change them as the test needs. */
  readonly apps: Map<string, ApplicationReport>;
  /** How often the list was asked for. */
  lists: number;
  /** Signals of calls that hang. */
  readonly hanging: AbortSignal[];
  context: ClusterContext | undefined;
}

type Condition = 'up' | 'down' | 'hanging';

export function faultyCluster(
  apps: readonly (Pick<ApplicationReport, 'id'> & Partial<ApplicationReport>)[],
  facets: Partial<Master> = {},
): FaultyCluster {
  const condition = async (state: Condition, what: string, options?: CallOptions) => {
    if (state === 'down') throw new Unreachable(what, new Error('connect ECONNREFUSED 10.0.0.1:8088'));
    if (state === 'up') return;
    if (options?.signal) cluster.hanging.push(options.signal);
    await new Promise(() => {});
  };
  const find = (appId: string): ApplicationReport => {
    const found = cluster.apps.get(appId);
    if (!found) throw new NotFound('application', appId);
    return found;
  };

  const empty = emptyCluster();
  const manager = empty.resourceManager;
  const cluster: FaultyCluster = {
    ...empty,
    name: 'faulty',
    masterFacets: masterFacets.filter((facet) => facet in facets),
    manager: 'up',
    masters: 'up',
    apps: new Map(apps.map((app) => [app.id, { ...report, ...app }])),
    lists: 0,
    hanging: [],
    context: undefined,
    async open(context) {
      cluster.context = context;
    },
    resourceManager: {
      async listApplications(options) {
        cluster.lists++;
        await condition(cluster.manager, 'The resource manager', options);
        return [...cluster.apps.values()];
      },
      async getApplication(appId, options) {
        await condition(cluster.manager, 'The resource manager', options);
        return find(appId);
      },
      async kill(appId, options) {
        await condition(cluster.manager, 'The resource manager', options);
        if (find(appId).finalStatus !== 'UNDEFINED') throw new Conflict('APPLICATION_ENDED', 'too late');
      },
      async metrics(options) {
        await condition(cluster.manager, 'The resource manager', options);
        return manager.metrics(options);
      },
      async about(options) {
        await condition(cluster.manager, 'The resource manager', options);
        return manager.about(options);
      },
      launcher: {
        launch: async () => 'application_1_9001',
        restart: async () => 'application_1_9002',
      },
    },
    async master(appId) {
      find(appId);
      const asked = (options?: CallOptions) => condition(cluster.masters, `The master of ${appId}`, options);
      return {
        async info(options) {
          await asked(options);
          return info;
        },
        async physicalPlan(options) {
          await asked(options);
          return { operators: [], streams: [] };
        },
        async logicalPlan(options) {
          await asked(options);
          return { operators: [], streams: [] };
        },
        async logicalOperators(options) {
          await asked(options);
          return [];
        },
        async containers(options) {
          await asked(options);
          return [];
        },
        shutdown: asked,
        ...facets,
      };
    },
  };
  return cluster;
}

const report: ApplicationReport = {
  id: '',
  name: 'Words',
  queue: 'default',
  state: 'RUNNING',
  finalStatus: 'UNDEFINED',
  startedTime: 1_700_000_000_000,
  finishedTime: 0,
  elapsedTime: 60_000,
  diagnostics: '',
  trackingUrl: '',
  user: 'ada',
  applicationType: 'test',
  currentAttemptId: 'attempt_1',
  runningContainers: 1,
  allocatedMB: 128,
  allocatedVCores: 1,
  observedAt: 1_700_000_060_000,
};

const info = {
  appPath: '/apps/1',
  appMasterTrackingUrl: '',
  version: '1.0',
  gatewayAddress: '',
  gatewayConnected: true,
  connectedToThisGateway: true,
  dataSources: [],
  metrics: {},
  attributes: { STREAMING_WINDOW_SIZE_MILLIS: 500, GATEWAY_PASSWORD: 'leaked by a careless driver' },
  stats: null,
};
