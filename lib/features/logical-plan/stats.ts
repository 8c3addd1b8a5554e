import { facetOf } from '../../http/capabilities.js';
import type { Call } from '../../http/route.js';
import type { ClusterDriver } from '../../interfaces/cluster.js';
import { maxStatsItems, type StatsQuery } from '../../model/containers.js';
import type { OperatorStats, OperatorStatsMeta } from '../../model/logical-plan.js';
import type { Applications } from '../applications/service.js';

/** What was measured of the partitions of an operator over time. Rejects with `NotFound` when nothing is recorded. */
export interface OperatorStatsHistory {
  statsMeta(call: Call, appId: string, operatorName: string): Promise<OperatorStatsMeta>;
  /** Rejects with `BadRequest` for a range that holds too much. */
  stats(
    call: Call,
    appId: string,
    operatorName: string,
    range: StatsQuery,
  ): Promise<readonly OperatorStats[]>;
}

export function createOperatorStatsHistory(deps: {
  applications: Applications;
  cluster: ClusterDriver;
}): OperatorStatsHistory {
  const { applications, cluster } = deps;
  return {
    statsMeta: (call, appId, operatorName) =>
      applications.reading(call, appId, (master, options) =>
        facetOf(cluster, master, 'stats').operatorMeta(operatorName, options),
      ),
    stats: (call, appId, operatorName, range) =>
      applications.reading(call, appId, (master, options) =>
        facetOf(cluster, master, 'stats').operator(operatorName, { ...range, limit: maxStatsItems }, options),
      ),
  };
}
