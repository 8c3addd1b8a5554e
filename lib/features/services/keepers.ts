import { collection } from '../../core/collection.js';
import { within } from '../../core/deadline.js';
import { ContainerFailed, NotFound, TooManyRequests } from '../../core/errors.js';
import type { Clock } from '../../interfaces/clock.js';
import type { Logger } from '../../interfaces/logger.js';
import type { DocumentStore } from '../../interfaces/storage.js';
import type { Present } from './definitions.js';
import { createKeeper, type Keeper } from './keeper.js';
import type { Resolve, ServiceKind } from './kind.js';
import type { ServiceLimits } from './options.js';
import { allNeeded, type Needs } from './required.js';
import type { NamedService, ServiceType } from './schema.js';
import { installing } from './state.js';
import { StoredService } from './stored.js';

/** All services that there are, each with its keeper. */
export interface Keepers {
  get(name: string): Keeper | undefined;
  /** Throws `NotFound`. */
  require(name: string): Keeper;
  all(): readonly Keeper[];
  definitions(): readonly Present[];
  /** What each requires, by name. */
  needs(): Needs;
  /** New ones, in one write, so all or none are there afterwards; they are being installed when it resolves. */
  add(
    fresh: readonly NamedService[],
    by: { readonly installedBy: string; readonly isTransient?: (name: string) => boolean },
  ): Promise<readonly Keeper[]>;
  /** Starts it if need be. Rejects with `ContainerFailed` when it does not come up, with `TimedOut` when that takes too long. */
  bringUp(keeper: Keeper, signal: AbortSignal): Promise<void>;
  /** Until nothing is under way. Rejects with `TimedOut`. */
  settled(keeper: Keeper, signal: AbortSignal): Promise<void>;
  /** Until one that is being removed is gone. Rejects with `TimedOut`. */
  gone(keeper: Keeper, signal: AbortSignal): Promise<void>;
  /** Those that are kept. */
  open(): Promise<void>;
  /** Each goes on with what was under way; what is needed comes before what needs it. */
  resume(): void;
  /** Idempotent. Resolves when nothing is under way any more. */
  close(options: { readonly stop: boolean }): Promise<void>;
}

export function createKeepers(deps: {
  readonly documents: DocumentStore;
  readonly kinds: Readonly<Record<ServiceType, ServiceKind>>;
  readonly resolver: (name: string) => Resolve;
  readonly limits: ServiceLimits;
  readonly clock: Clock;
  readonly logger: Logger;
}): Keepers {
  const { documents, kinds, limits } = deps;
  const kept = collection(documents, 'services', StoredService);
  const all = new Map<string, Keeper>();
  let isClosed = false;

  function keep(name: string, stored: StoredService): Keeper {
    const keeper = createKeeper(name, stored, {
      ...deps,
      kind: kinds[stored.definition.type],
      resolve: deps.resolver(name),
      startRequired,
      save: async (value) => {
        await kept.put(name, value);
      },
      forget: async () => {
        await kept.remove(name);
        all.delete(name);
      },
    });
    all.set(name, keeper);
    return keeper;
  }

  /** One after the other: what is needed comes first. */
  async function startRequired({ definition }: StoredService, signal: AbortSignal): Promise<void> {
    for (const name of definition.requiredServices) {
      const needed = all.get(name);
      if (!needed) throw new ContainerFailed(`It needs the service ${name}, which is not installed`);
      await keepers.bringUp(needed, signal);
    }
  }

  const waitFor = (keeper: Keeper, fits: (keeper: Keeper) => boolean, outer: AbortSignal) =>
    within(limits.readyMillis, `The service ${keeper.name}`, outer, (signal) => keeper.until(fits, signal));

  const keepers: Keepers = {
    get: (name) => all.get(name),

    require(name) {
      const keeper = all.get(name);
      if (!keeper) throw new NotFound('service', name);
      return keeper;
    },

    all: () => [...all.values()],

    definitions: () => [...all.values()].map(({ name, stored: { definition } }) => ({ name, definition })),

    needs: () =>
      new Map([...all].map(([name, { stored }]) => [name, stored.definition.requiredServices] as const)),

    async add(fresh, { installedBy, isTransient = () => false }) {
      if (all.size + fresh.length > limits.services)
        throw new TooManyRequests(`There are ${limits.services} services already: delete one first`, 60);
      for (const type of new Set(fresh.map((one) => one.type))) await kinds[type].requireReachable();
      const entries = fresh.map(({ name, ...definition }) => {
        const phase = installing(definition.enabled ?? true);
        const transient = isTransient(name) ? { transient: true } : {};
        const stored = { definition, ...phase, installedBy, installedTime: 0, ...transient };
        return { name, stored: StoredService.parse(stored) };
      });
      await documents.write(
        entries.map(({ name, stored }) => kept.writes.put(name, stored, { ifMatch: null })),
      );
      const added = entries.map(({ name, stored }) => keep(name, stored));
      for (const keeper of added) {
        if (isClosed) await keeper.close({ stop: false });
        else keeper.resume();
      }
      return added;
    },

    async bringUp(keeper, signal) {
      if (keeper.stored.state !== 'RUNNING') await keeper.send('start');
      await keepers.settled(keeper, signal);
      if (keeper.stored.state === 'RUNNING' && !keeper.isGone) return;
      throw new ContainerFailed(
        `The service ${keeper.name} did not come up: ${keeper.detail ?? `it is ${keeper.stored.state}`}`,
      );
    },

    settled: (keeper, signal) => waitFor(keeper, ({ isAtRest }) => isAtRest, signal),

    gone: (keeper, signal) => waitFor(keeper, ({ isGone }) => isGone, signal),

    async open() {
      for (const { key, value } of await kept.list()) keep(key, value);
    },

    resume() {
      for (const name of allNeeded([...all.keys()], keepers.needs())) all.get(name)?.resume();
    },

    async close(options) {
      isClosed = true;
      await Promise.allSettled([...all.values()].map((keeper) => keeper.close(options)));
    },
  };
  return keepers;
}
