import type { Clock } from '../../interfaces/clock.js';
import type { ClusterDriver } from '../../interfaces/cluster.js';
import { createResourceManagerCalls, type ManagerQuestion } from '../../runtime/resource-manager-calls.js';
import { singleFlight } from '../../runtime/single-flight.js';

/** How much of the cluster is in use, as of at most a second ago, or as of the last time that the cluster told. */
interface ClusterUse {
  /** Never rejects; what was never told is absent. */
  read(): Promise<{ readonly memoryMBUsed?: number; readonly nodesUsed?: number }>;
}

/** Consoles ask on every page: a cluster that hangs must not hold them up. Milliseconds. */
const timeoutMillis = 2000;
const maxAgeMillis = 1000;

export function createClusterUse({ cluster, clock }: { cluster: ClusterDriver; clock: Clock }): ClusterUse {
  const askManager = createResourceManagerCalls(cluster.resourceManager, timeoutMillis);

  const told = (question: ManagerQuestion<number | undefined>) => {
    let last: number | undefined;
    const recent = singleFlight(clock, () => askManager(undefined, question));
    return async () => {
      last = await recent.get(maxAgeMillis).catch(() => last);
      return last;
    };
  };
  const memory = told(async (manager, options) => {
    // With masters, and with applications of the platform itself: `docs/decisions.md`, Memory that counts.
    const reports = await manager.listApplications({ ...options, activeOnly: true });
    return reports
      .filter(({ finalStatus }) => finalStatus === 'UNDEFINED')
      .reduce((sum, { allocatedMB }) => sum + Math.max(0, allocatedMB), 0);
  });
  const nodes = told(async (manager, options) => manager.nodeCount?.(options));

  return {
    read: async () => {
      const [memoryMBUsed, nodesUsed] = await Promise.all([memory(), nodes()]);
      return {
        ...(memoryMBUsed === undefined ? {} : { memoryMBUsed }),
        ...(nodesUsed === undefined ? {} : { nodesUsed }),
      };
    },
  };
}
