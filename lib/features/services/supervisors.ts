import type { Clock } from '../../interfaces/clock.js';
import type { Logger } from '../../interfaces/logger.js';
import type { DocumentStore } from '../../interfaces/storage.js';
import { ContainerFailed, NotFound, TooManyRequests } from '../../model/errors.js';
import { withTimeout } from '../../runtime/with-timeout.js';
import { collection } from '../../storage/collection.js';
import { type Present, variablesOf } from './definitions.js';
import type { Resolve, ServiceKind } from './kind.js';
import type { ServiceLimits } from './options.js';
import { allNeeded, allNeeding, type Needs } from './required.js';
import type { NamedService, ServiceDefinition, ServiceType } from './schema.js';
import { installing } from './state.js';
import { StoredService } from './stored.js';
import { createSupervisor, type Supervisor } from './supervisor.js';
import { servicesIn } from './variables.js';

/** All services that there are, each with its supervisor. */
export interface Supervisors {
  get(name: string): Supervisor | undefined;
  /** Throws `NotFound`. */
  require(name: string): Supervisor;
  all(): readonly Supervisor[];
  definitions(): readonly Present[];
  /** What each requires, by name. */
  needs(): Needs;
  /** New ones, in one write, so all or none are there afterwards; they are being installed when it resolves. */
  add(
    fresh: readonly NamedService[],
    by: { readonly installedBy: string; readonly isTransient?: (name: string) => boolean },
  ): Promise<readonly Supervisor[]>;
  /** Starts it if need be. Rejects with `ContainerFailed` when it does not come up, with `TimedOut` when that takes too long. */
  bringUp(supervisor: Supervisor, signal: AbortSignal): Promise<void>;
  /** Until nothing is under way. Rejects with `TimedOut`. */
  settled(supervisor: Supervisor, signal: AbortSignal): Promise<void>;
  /** Until one that is being removed is gone. Rejects with `TimedOut`. */
  gone(supervisor: Supervisor, signal: AbortSignal): Promise<void>;
  /** Those that are kept. */
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
  let isClosed = false;

  function keep(name: string, stored: StoredService): Supervisor {
    const supervisor = createSupervisor(name, stored, {
      ...deps,
      kind: kinds[stored.definition.type],
      resolve: deps.resolver(name),
      startRequired,
      othersTold: (of, signal) => othersTold(name, of, signal),
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

  /** One after the other: what is needed comes first. */
  async function startRequired({ definition }: StoredService, signal: AbortSignal): Promise<void> {
    for (const name of definition.requiredServices) {
      const needed = all.get(name);
      if (!needed) throw new ContainerFailed(`It needs the service ${name}, which is not installed`);
      await supervisors.bringUp(needed, signal);
    }
  }

  /**
   * What needs no other service may still use what it tells, such as its port: nobody is started for that, but who comes up
   * at the same time is waited for. Not those that wait for this one themselves: then neither would come up.
   */
  async function othersTold(name: string, { definition }: StoredService, signal: AbortSignal): Promise<void> {
    const awaits = new Map([...all].map(([one, { stored }]) => [one, awaitedBy(stored.definition)] as const));
    const waiting = allNeeding(name, awaits);
    for (const other of awaitedBy(definition)) {
      const supervisor = all.get(other);
      if (!supervisor || other === name || waiting.has(other)) continue;
      if (!supervisor.isAtRest) await supervisors.settled(supervisor, signal);
    }
  }

  const waitFor = (supervisor: Supervisor, fits: (supervisor: Supervisor) => boolean, outer: AbortSignal) =>
    withTimeout(limits.readyMillis, `The service ${supervisor.name}`, outer, (signal) =>
      supervisor.until(fits, signal),
    );

  const supervisors: Supervisors = {
    get: (name) => all.get(name),

    require(name) {
      const supervisor = all.get(name);
      if (!supervisor) throw new NotFound('service', name);
      return supervisor;
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
      // Not only where there is none: a write that failed may have been made all the same, of a service that nobody has.
      await documents.write(entries.map(({ name, stored }) => kept.writes.put(name, stored)));
      const added = entries.map(({ name, stored }) => keep(name, stored));
      for (const supervisor of added) {
        if (isClosed) await supervisor.close({ stop: false });
        else supervisor.resume();
      }
      return added;
    },

    async bringUp(supervisor, signal) {
      if (supervisor.stored.state !== 'RUNNING') await supervisor.send('start');
      await supervisors.settled(supervisor, signal);
      if (supervisor.stored.state === 'RUNNING' && !supervisor.isGone) return;
      throw new ContainerFailed(
        `The service ${supervisor.name} did not come up: ${supervisor.detail ?? `it is ${supervisor.stored.state}`}`,
      );
    },

    settled: (supervisor, signal) => waitFor(supervisor, ({ isAtRest }) => isAtRest, signal),

    gone: (supervisor, signal) => waitFor(supervisor, ({ isGone }) => isGone, signal),

    async open() {
      for (const { key, value } of await kept.list()) keep(key, value);
    },

    resume() {
      for (const name of allNeeded([...all.keys()], supervisors.needs())) all.get(name)?.resume();
    },

    async close(options) {
      isClosed = true;
      await Promise.allSettled([...all.values()].map((supervisor) => supervisor.close(options)));
    },
  };
  return supervisors;
}

/** Names of services that have to run first, and of what its variables are about. */
const awaitedBy = (definition: ServiceDefinition): readonly string[] => [
  ...definition.requiredServices,
  ...variablesOf(definition).flatMap(servicesIn),
];
