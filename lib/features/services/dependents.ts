import { collection } from '../../core/collection.js';
import { within } from '../../core/deadline.js';
import { undefinedIfUnknown } from '../../core/errors.js';
import { createRecent } from '../../core/recent.js';
import type { Clock } from '../../interfaces/clock.js';
import type { ClusterDriver } from '../../interfaces/cluster.js';
import type { Logger } from '../../interfaces/logger.js';
import type { DocumentStore } from '../../interfaces/storage.js';
import type { DependentApp } from './schema.js';
import { StoredNeeds } from './stored.js';

/** Applications of the cluster, as far as services need to know. */
export interface RunningApplications {
  /** `undefined` for one that has ended, or is unknown. Rejects when it can't be found out. */
  stateOf(appId: string): Promise<string | undefined>;
}

export function createRunningApplications(deps: {
  cluster: ClusterDriver;
  clock: Clock;
  /** For the resource manager. */
  millis: number;
}): RunningApplications {
  const { resourceManager } = deps.cluster;
  const ask = <T>(work: (signal: AbortSignal) => Promise<T>) =>
    within(deps.millis, 'The resource manager', undefined, work);
  const active = createRecent(deps.clock, () =>
    ask((signal) => resourceManager.listApplications({ signal, activeOnly: true })),
  );
  return {
    async stateOf(appId) {
      const listed = (await active.get(1000)).find(({ id }) => id === appId);
      const report =
        listed ??
        (await ask((signal) => resourceManager.getApplication(appId, { signal })).catch(undefinedIfUnknown));
      return report?.finalStatus === 'UNDEFINED' ? report.state : undefined;
    },
  };
}

/** Which applications need which services. */
export interface Dependents {
  /** Applications that need it and have not ended; those whose state nobody can tell now are among them. */
  of(service: string): Promise<readonly DependentApp[]>;
  /** Names of the services of one application, also while it is being launched. */
  servicesOf(appId: string): readonly string[];
  add(appId: string, needs: StoredNeeds): Promise<void>;
  /** For a launch under way: they are needed until `release`, which is idempotent. */
  reserve(services: readonly string[]): { release(): void };
  /** By an application that has not been seen to end, or by a launch. Asks nobody. */
  isNeeded(service: string): boolean;
  /** Forgets applications that have ended. Resolves the services that they needed and no other application needs. */
  sweep(): Promise<readonly string[]>;
  open(): Promise<void>;
}

export function createDependents(deps: {
  documents: DocumentStore;
  applications: RunningApplications;
  logger: Logger;
}): Dependents {
  const kept = collection(deps.documents, 'service-needs', StoredNeeds);
  const known = new Map<string, StoredNeeds>();
  const launching = new Set<{ readonly services: readonly string[] }>();
  const stateOf = (appId: string) => deps.applications.stateOf(appId).catch(() => 'UNKNOWN');

  return {
    async of(service) {
      const needing = [...known].filter(([, { services }]) => services.includes(service));
      const found = await Promise.all(
        needing.map(async ([appId, { appName, user }]) => {
          const state = await stateOf(appId);
          return state === undefined ? [] : [{ appId, appName, state, user }];
        }),
      );
      return found.flat();
    },

    servicesOf: (appId) => known.get(appId)?.services ?? [],

    async add(appId, needs) {
      await kept.put(appId, needs);
      known.set(appId, needs);
    },

    reserve(services) {
      const reserved = { services };
      launching.add(reserved);
      return { release: () => void launching.delete(reserved) };
    },

    isNeeded: (service) =>
      [...known.values(), ...launching].some(({ services }) => services.includes(service)),

    async sweep() {
      const freed = new Set<string>();
      for (const [appId, { services }] of [...known]) {
        if ((await stateOf(appId)) !== undefined) continue;
        await kept.remove(appId);
        known.delete(appId);
        for (const name of services) freed.add(name);
      }
      const needed = new Set([...known.values()].flatMap(({ services }) => services));
      return [...freed].filter((name) => !needed.has(name));
    },

    async open() {
      for (const { key, value } of await kept.list()) known.set(key, value);
    },
  };
}
