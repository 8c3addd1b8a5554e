import type { ClusterMetrics, ForwardTarget, ResourceManager } from 'headgate/driver-kit';
import type { Applications } from './applications/applications.js';
import type { Engine } from './lifecycle/engine.js';
import type { LocalClusterSettings } from './settings/options.js';
import { aboutThisMachine, configurationOf, queueOf } from './views/cluster.js';

interface ResourceManagerDeps {
  readonly settings: LocalClusterSettings;
  readonly applications: Applications;
  readonly launcher: NonNullable<ResourceManager['launcher']>;
  /** Throws `NotReady` unless the engine is open. */
  readonly engine: () => Engine;
  /** Those whose time is over are unknown when it returns. */
  readonly sweep: () => void;
  readonly metrics: () => Promise<ClusterMetrics>;
  /** Where the same is told as a real cluster tells it. */
  readonly webTarget: () => Promise<ForwardTarget>;
}

export function createResourceManager(deps: ResourceManagerDeps): ResourceManager {
  const { settings, applications, launcher, engine, sweep, metrics } = deps;
  return {
    listApplications: async ({ activeOnly = false } = {}) => {
      sweep();
      return applications.reports(activeOnly);
    },
    getApplication: async (appId) => {
      sweep();
      return applications.report(appId);
    },
    kill: async (appId) => applications.runningOne(appId).kill(),
    metrics,
    forwarder: { target: async () => deps.webTarget() },
    about: async () => aboutThisMachine(),
    nodeCount: async () => 1,
    launcher,
    packageOperators: {
      readsJars: false,
      async describe(content) {
        const { packageCode, builtIns } = engine();
        const { classes, problems } = await packageCode.describe(content);
        return { classes: [...(await builtIns()), ...classes], problems };
      },
    },
    queues: { list: async () => [queueOf(applications.running, settings)] },
    configuration: { read: async () => configurationOf(settings) },
  };
}
