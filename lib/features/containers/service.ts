import { facetOf } from '../../http/capabilities.js';
import type { Call } from '../../http/route.js';
import type { ClusterDriver } from '../../interfaces/cluster.js';
import type { Container, ContainerFilter, ThreadDump } from '../../model/containers.js';
import { NotFound } from '../../model/errors.js';
import type { SliceScheduler } from '../../runtime/slice-scheduler.js';
import type { Applications } from '../applications/service.js';
import { createLogService, type LogService } from './logs.js';
import { type ContainerStatsHistory, createContainerStatsHistory } from './stats.js';

export interface ContainerService extends LogService, ContainerStatsHistory {
  list(call: Call, appId: string, filter: ContainerFilter): Promise<Container[]>;
  get(call: Call, appId: string, containerId: string): Promise<Container>;
  /** Its operators are deployed again in a new container. Rejects with `Conflict` when it is gone already. */
  kill(call: Call, appId: string, containerId: string): Promise<void>;
  /** Only of a container that is `ACTIVE`; `NotFound` otherwise. */
  stackTrace(call: Call, appId: string, containerId: string): Promise<ThreadDump>;
  /** For topics: `undefined` when the application is unknown. */
  observe(appId: string, signal: AbortSignal): Promise<readonly Container[] | undefined>;
  readonly mayWatch: Applications['mayWatch'];
  readonly requireEnded: Applications['requireEnded'];
}

export function createContainerService(deps: {
  applications: Applications;
  cluster: ClusterDriver;
  slices: SliceScheduler;
  openMillis: number;
}): ContainerService {
  const { applications, cluster } = deps;

  const all = (call: Call, appId: string) =>
    applications.reading(call, appId, (master, options) => master.containers(options));

  return {
    ...createContainerStatsHistory(deps),
    ...createLogService(deps),

    list: async (call, appId, filter) =>
      (await all(call, appId)).filter((container) => fits(container, filter)),

    async get(call, appId, containerId) {
      const found = (await all(call, appId)).find(({ id }) => id === containerId);
      if (!found) throw new NotFound('container', containerId);
      return found;
    },

    kill: (call, appId, containerId) =>
      applications.changing(call, appId, (master, options) =>
        facetOf(cluster, master, 'containerControl').kill(containerId, options),
      ),

    stackTrace: (call, appId, containerId) =>
      applications.reading(call, appId, async (master, options) => {
        const found = (await master.containers(options)).find(({ id }) => id === containerId);
        if (found?.state !== 'ACTIVE') throw new NotFound('active container', containerId);
        return facetOf(cluster, master, 'stackTraces').read(containerId, options);
      }),

    observe: (appId, signal) =>
      applications.observing(appId, signal, (master, options) => master.containers(options)),
    mayWatch: applications.mayWatch,
    requireEnded: applications.requireEnded,
  };
}

/** `docs/decisions.md`, Filters are exact: a state that there is not filters everything out. */
function fits({ state, containerType }: Container, { states, types }: ContainerFilter): boolean {
  if (states && !states.split(',').includes(state)) return false;
  return types === 'all' || containerType === 'APP_MASTER';
}
