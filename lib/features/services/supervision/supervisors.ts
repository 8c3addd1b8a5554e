import type { Clock } from '../../../interfaces/clock.js';
import type { Logger } from '../../../interfaces/logger.js';
import type { DocumentStore } from '../../../interfaces/storage.js';
import { NotFound, TooManyRequests } from '../../../model/errors.js';
import { collection } from '../../../storage/collection.js';
import type { Present } from '../definition/definition-checks.js';
import { allNeeded, type Needs } from '../definition/dependency-graph.js';
import { servicesIn } from '../definition/variables.js';
import type { Resolve, ServiceKind } from '../kinds/kind.js';
import type { ServiceLimits } from '../options.js';
import type { NamedService, ServiceType } from '../schema.js';
import { StoredService } from '../stored.js';
import { createBeforeStart } from './prerequisites.js';
import { installing } from './state-machine.js';
import { createSupervisor, type Supervisor } from './supervisor.js';
import { createSupervisorWaits, type SupervisorWaits } from './supervisor-waits.js';

/** All services that there are, each with its supervisor. */
export interface Supervisors extends SupervisorWaits {
  get(name: string): Supervisor | undefined;
  /** Throws `NotFound`. */
  require(name: string): Supervisor;
  all(): readonly Supervisor[];
  definitions(): readonly Present[];
  /** Tells what each requires, by name. */
  needs(): Needs;
  /** Adds new ones, in one write, so all or none are there afterwards; they are being installed when it resolves. */
  add(
    fresh: readonly NamedService[],
    by: { readonly installedBy: string; readonly isTransient?: (name: string) => boolean },
  ): Promise<readonly Supervisor[]>;
  /** Takes up those that are kept. */
  open(): Promise<void>;
  /** Each goes on with what was under way; what is needed comes before what needs it. */
  resume(): void;
  /** Idempotent. Resolves when nothing is under way any more. */
  close(options: { readonly stop: boolean }): Promise<void>;
}

export function createSupervisors(deps: {
  readonly documents: DocumentStore;
  readonly kinds: Readonly<Record<ServiceType, ServiceKind>>;
  readonly resolver: (name: string) => Resolve;
  readonly limits: ServiceLimits;
  readonly clock: Clock;
  readonly logger: Logger;
}): Supervisors {
  const { documents, kinds, limits } = deps;
  const kept = collection(documents, 'services', StoredService);
  const all = new Map<string, Supervisor>();
  const waits = createSupervisorWaits(limits.readyMillis);
  const before = createBeforeStart(all, waits);
  let isClosed = false;

  function keep(name: string, stored: StoredService): Supervisor {
    const supervisor = createSupervisor(name, stored, {
      ...deps,
      kind: kinds[stored.definition.type],
      resolve: deps.resolver(name),
      startRequired: before.startRequired,
      othersTold: (of, signal) => before.othersTold(name, of, signal),
      areOfOthers: (variables) =>
        variables.every((variable) => servicesIn(variable).some((other) => other !== name && all.has(other))),
      save: async (value) => {
        await kept.put(name, value);
      },
      forget: async () => {
        await kept.remove(name);
        all.delete(name);
      },
    });
    all.set(name, supervisor);
    return supervisor;
  }

  const needs = () =>
    new Map([...all].map(([name, { stored }]) => [name, stored.definition.requiredServices] as const));

  return {
    ...waits,

    get: (name) => all.get(name),

    require(name) {
      const supervisor = all.get(name);
      if (!supervisor) throw new NotFound('service', name);
      return supervisor;
    },

    all: () => [...all.values()],

    definitions: () => [...all.values()].map(({ name, stored: { definition } }) => ({ name, definition })),

    needs,

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
      // Not only where there is none: a write that failed may have been made all the same, of a service that nobody has.
      await documents.write(entries.map(({ name, stored }) => kept.writes.put(name, stored)));
      const added = entries.map(({ name, stored }) => keep(name, stored));
      for (const supervisor of added) {
        if (isClosed) await supervisor.close({ stop: false });
        else supervisor.resume();
      }
      return added;
    },

    async open() {
      for (const { key, value } of await kept.list()) keep(key, value);
    },

    resume() {
      for (const name of allNeeded([...all.keys()], needs())) all.get(name)?.resume();
    },

    async close(options) {
      isClosed = true;
      await Promise.allSettled([...all.values()].map((supervisor) => supervisor.close(options)));
    },
  };
}
