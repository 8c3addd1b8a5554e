import { facetOf } from '../../core/capabilities.js';
import type { Call } from '../../core/route.js';
import type { ClusterDriver } from '../../interfaces/cluster.js';
import type { Applications } from '../applications/service.js';
import { maxStatsItems, type StatsQuery } from '../containers/schema.js';
import type { OperatorStats, OperatorStatsMeta } from './schema.js';

/** What was measured of the partitions of an operator over time. Rejects with `NotFound` when nothing is recorded. */
export interface StatsHistory {
  statsMeta(call: Call, appId: string, operatorName: string): Promise<OperatorStatsMeta>;
  /** Rejects with `BadRequest` for a range that holds too much. */
  stats(
    call: Call,
    appId: string,
    operatorName: string,
    range: StatsQuery,
  ): Promise<readonly OperatorStats[]>;
}

export function createStatsHistory(deps: {
  applications: Applications;
  cluster: ClusterDriver;
}): StatsHistory {
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
