import type { Clock } from '../../../interfaces/clock.js';
import type { DocumentStore } from '../../../interfaces/storage.js';
import { collection } from '../../../storage/collection.js';
import type { DependentApp } from '../schema.js';
import { StoredNeeds } from '../stored.js';
import type { RunningApplications } from './running-applications.js';

/** Of so many that have ended it is known what they needed, those that ended last. */
const rememberedApps = 200;

/** Which applications need which services. */
export interface Dependents {
  /** Applications that need it and have not ended; those whose state nobody can tell now are among them. */
  of(service: string): Promise<readonly DependentApp[]>;
  /** Names of the services of one application, also while it is being launched. */
  servicesOf(appId: string): readonly string[];
  /** The same, also of one that has ended, as long as it is remembered. */
  servicesBefore(appId: string): readonly string[];
  /** Known at once, also when it can't be kept: `sweep` tries that again. */
  add(appId: string, needs: StoredNeeds): Promise<void>;
  /** For a launch under way: they are needed until `release`, which is idempotent. */
  reserve(services: readonly string[]): { release(): void };
  /** By an application that has not been seen to end, or by a launch. Asks nobody. */
  isNeeded(service: string): boolean;
  /** Looks which applications have ended. Resolves the services that they needed and no other application needs. */
  sweep(signal: AbortSignal): Promise<readonly string[]>;
  open(): Promise<void>;
}

export function createDependents(deps: {
  documents: DocumentStore;
  applications: RunningApplications;
  clock: Clock;
}): Dependents {
  const kept = collection(deps.documents, 'service-needs', StoredNeeds);
  const known = new Map<string, StoredNeeds>();
  /** Of `known`. */
  const unkept = new Set<string>();
  /** What those that have ended needed, until a sweep has told it. */
  const freed = new Set<string>();
  /** Those that have ended; the oldest comes first. */
  const over = new Map<string, StoredNeeds>();
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

    servicesBefore: (appId) => (known.get(appId) ?? over.get(appId))?.services ?? [],

    async add(appId, needs) {
      known.set(appId, needs);
      await kept.put(appId, needs).catch((error: unknown) => {
        unkept.add(appId);
        throw error;
      });
    },

    reserve(services) {
      const reserved = { services };
      launching.add(reserved);
      return { release: () => void launching.delete(reserved) };
    },

    isNeeded: (service) =>
      [...known.values(), ...launching].some(({ services }) => services.includes(service)),

    async sweep(signal) {
      if (known.size === 0 && freed.size === 0) return [];
      await keepRest();
      for (const appId of await deps.applications.endedAmong([...known.keys()], signal)) {
        const needs = known.get(appId);
        if (!needs) continue;
        for (const name of needs.services) freed.add(name);
        await remember(appId, { ...needs, endedTime: deps.clock.now() });
        known.delete(appId);
        unkept.delete(appId);
      }
      const needed = new Set([...known.values()].flatMap(({ services }) => services));
      const unneeded = [...freed].filter((name) => !needed.has(name));
      freed.clear();
      return unneeded;
    },

    async open() {
      const all = [...(await kept.list())];
      all.sort((one, other) => (one.value.endedTime ?? 0) - (other.value.endedTime ?? 0));
      for (const { key, value } of all) (value.endedTime === undefined ? known : over).set(key, value);
    },
  };

  /** The next start must not take it for unneeded. */
  async function keepRest(): Promise<void> {
    for (const appId of unkept) {
      const needs = known.get(appId);
      if (!needs) continue;
      await kept.put(appId, needs).then(
        () => unkept.delete(appId),
        () => {},
      );
    }
  }

  async function remember(appId: string, needs: StoredNeeds): Promise<void> {
    await kept.put(appId, needs);
    over.set(appId, needs);
    for (const oldest of [...over.keys()].slice(0, -rememberedApps)) {
      await kept.remove(oldest);
      over.delete(oldest);
    }
  }
}
