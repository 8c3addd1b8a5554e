import { facetOf } from '../../http/capabilities.js';
import type { Call } from '../../http/route.js';
import type { ClusterDriver } from '../../interfaces/cluster.js';
import {
  type ContainerStats,
  type ContainerStatsMeta,
  maxStatsItems,
  type StatsQuery,
} from '../../model/containers.js';
import type { Applications } from '../applications/service.js';

/** What was measured of containers over time. Rejects with `NotFound` when nothing is recorded. */
export interface ContainerStatsHistory {
  statsMeta(call: Call, appId: string): Promise<ContainerStatsMeta>;
  /** Rejects with `BadRequest` for a range that holds too much. */
  stats(call: Call, appId: string, range: StatsQuery): Promise<readonly ContainerStats[]>;
}

export function createContainerStatsHistory(deps: {
  applications: Applications;
  cluster: ClusterDriver;
}): ContainerStatsHistory {
  const { applications, cluster } = deps;
  return {
    statsMeta: (call, appId) =>
      applications.reading(call, appId, (master, options) =>
        facetOf(cluster, master, 'stats').containersMeta(options),
      ),
    stats: (call, appId, range) =>
      applications.reading(call, appId, (master, options) =>
        facetOf(cluster, master, 'stats').containers({ ...range, limit: maxStatsItems }, options),
      ),
  };
}
