import { resourceManagerFacetOf } from '../../http/capabilities.js';
import { may } from '../../http/principal.js';
import type { Call } from '../../http/route.js';
import type { ClusterAbout, ClusterDriver } from '../../interfaces/cluster.js';
import type { About, ClusterMetrics, Queue } from '../../model/cluster.js';
import { createResourceManagerCalls } from '../../runtime/resource-manager-calls.js';
import { aboutOf, type InstallationInfo } from './about.js';

export interface ClusterService {
  metrics(signal: AbortSignal): Promise<ClusterMetrics>;
  /** Name to value. */
  configuration(signal: AbortSignal): Promise<Record<string, string>>;
  queues(signal: AbortSignal): Promise<Queue[]>;
  /**
   * The short form without VIEW_GLOBAL_CONFIG: consoles ask before login whether a restart is over. Answers without
   * the cluster too; what only the cluster can tell is left out then.
   */
  about(call: Call): Promise<About>;
}

/** The answer of `about` waits no longer for the cluster, milliseconds. */
const aboutTimeout = 2000;

export function createClusterService(deps: {
  cluster: ClusterDriver;
  installation: InstallationInfo;
  /** Milliseconds. */
  timeoutMillis: number;
}): ClusterService {
  const { cluster, installation } = deps;
  const { resourceManager } = cluster;

  const askManager = createResourceManagerCalls(resourceManager, deps.timeoutMillis);
  const askBriefly = createResourceManagerCalls(resourceManager, aboutTimeout);

  return {
    metrics: (signal) => askManager(signal, (manager, options) => manager.metrics(options)),

    configuration: async (signal) => {
      const configuration = resourceManagerFacetOf(cluster, 'configuration');
      return { ...(await askManager(signal, (_, options) => configuration.read(options))) };
    },

    queues: async (signal) => {
      const queues = resourceManagerFacetOf(cluster, 'queues');
      return [...(await askManager(signal, (_, options) => queues.list(options)))];
    },

    async about({ user, signal }) {
      const { platformVersion, jvmName } = installation;
      if (!may(user, 'VIEW_GLOBAL_CONFIG')) return { platformVersion, jvmName };
      const told = await askBriefly(signal, (manager, options) => manager.about(options)).catch(
        (): ClusterAbout | undefined => undefined,
      );
      return aboutOf(installation, told);
    },
  };
}
