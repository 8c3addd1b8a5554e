import { resourceManagerFacetOf } from '../../http/capabilities.js';
import { may } from '../../http/principal.js';
import type { Call } from '../../http/route.js';
import type { CallOptions } from '../../interfaces/call-options.js';
import type { ClusterAbout, ClusterDriver } from '../../interfaces/cluster.js';
import type { About, ClusterMetrics, Queue } from '../../model/cluster.js';
import { withTimeout } from '../../runtime/with-timeout.js';
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

  const ask = <T>(signal: AbortSignal, question: (options: CallOptions) => Promise<T>) =>
    withTimeout(deps.timeoutMillis, 'The resource manager', signal, (limited) =>
      question({ signal: limited }),
    );

  return {
    metrics: (signal) => ask(signal, (options) => resourceManager.metrics(options)),

    configuration: async (signal) => {
      const configuration = resourceManagerFacetOf(cluster, 'configuration');
      return { ...(await ask(signal, (options) => configuration.read(options))) };
    },

    queues: async (signal) => {
      const queues = resourceManagerFacetOf(cluster, 'queues');
      return [...(await ask(signal, (options) => queues.list(options)))];
    },

    async about({ user, signal }) {
      const { platformVersion, jvmName } = installation;
      if (!may(user, 'VIEW_GLOBAL_CONFIG')) return { platformVersion, jvmName };
      const told = await withTimeout(aboutTimeout, 'The resource manager', signal, (limited) =>
        resourceManager.about({ signal: limited }),
      ).catch((): ClusterAbout | undefined => undefined);
      return aboutOf(installation, told);
    },
  };
}
