import type { Clock } from '../../../interfaces/clock.js';
import type { DocumentStore } from '../../../interfaces/storage.js';
import type { DependentApp } from '../schema.js';
import type { StoredNeeds } from '../stored.js';
import { createApplicationNeeds } from './application-needs.js';
import type { RunningApplications } from './running-applications.js';

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
  const { applications, clock } = deps;
  const needs = createApplicationNeeds(deps.documents);
  /** What those that have ended needed, until a sweep has told it. */
  const freed = new Set<string>();
  const launching = new Set<{ readonly services: readonly string[] }>();

  return {
    async of(service) {
      const needing = [...needs.active].filter(([, { services }]) => services.includes(service));
      const found = await Promise.all(
        needing.map(async ([appId, { appName, user }]) => {
          const state = await applications.stateOf(appId).catch(() => 'UNKNOWN');
          return state === undefined ? [] : [{ appId, appName, state, user }];
        }),
      );
      return found.flat();
    },

    servicesOf: (appId) => needs.active.get(appId)?.services ?? [],

    servicesBefore: (appId) => needs.of(appId)?.services ?? [],

    add: needs.add,

    reserve(services) {
      const reserved = { services };
      launching.add(reserved);
      return { release: () => void launching.delete(reserved) };
    },

    isNeeded: (service) =>
      [...needs.active.values(), ...launching].some(({ services }) => services.includes(service)),

    async sweep(signal) {
      if (needs.active.size === 0 && freed.size === 0) return [];
      await needs.keepRest();
      for (const appId of await applications.endedAmong([...needs.active.keys()], signal)) {
        for (const name of needs.active.get(appId)?.services ?? []) freed.add(name);
        await needs.end(appId, clock.now());
      }
      const needed = new Set([...needs.active.values()].flatMap(({ services }) => services));
      const unneeded = [...freed].filter((name) => !needed.has(name));
      freed.clear();
      return unneeded;
    },

    open: needs.open,
  };
}
