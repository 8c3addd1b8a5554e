import type { Clock } from '../../../interfaces/clock.js';
import type { Logger } from '../../../interfaces/logger.js';
import type { DocumentStore } from '../../../interfaces/storage.js';
import { TooManyRequests } from '../../../model/errors.js';
import { collection } from '../../../storage/collection.js';
import { allNeeded } from '../definition/dependency-graph.js';
import type { Resolve, ServiceKind } from '../kinds/kind.js';
import type { ServiceLimits } from '../options.js';
import type { NamedService, ServiceType } from '../schema.js';
import { StoredService } from '../stored.js';
import { createPrerequisites } from './prerequisites.js';
import type { ServiceRegistry, WritableRegistry } from './service-registry.js';
import { installing } from './state-machine.js';
import { createSupervisor, type Supervisor } from './supervisor.js';
import { createSupervisorWaits, type SupervisorWaits } from './supervisor-waits.js';

/** Who had services installed, and which of them go with the applications that need them. */
interface InstalledBy {
  readonly installedBy: string;
  readonly isTransient?: (name: string) => boolean;
}

/** All services that there are, each with its supervisor. */
export interface Supervisors extends ServiceRegistry, SupervisorWaits {
  /** Adds new ones, in one write, so all or none are there afterwards; they are being installed when it resolves. */
  add(fresh: readonly NamedService[], by: InstalledBy): Promise<readonly Supervisor[]>;
  /** Takes up those that are kept. */
  open(): Promise<void>;
  /** Each goes on with what was under way; what is needed comes before what needs it. */
  resume(): void;
  /** Idempotent. Resolves when nothing is under way any more. */
  close(options: { readonly stop: boolean }): Promise<void>;
}

export function createSupervisors(deps: {
  readonly documents: DocumentStore;
  readonly registry: WritableRegistry;
  readonly kinds: Readonly<Record<ServiceType, ServiceKind>>;
  readonly resolver: (name: string) => Resolve;
  readonly limits: ServiceLimits;
  readonly clock: Clock;
  readonly logger: Logger;
}): Supervisors {
  const { documents, registry, kinds, limits, clock, logger } = deps;
  const kept = collection(documents, 'services', StoredService);
  const waits = createSupervisorWaits(limits.readyMillis);
  const prerequisites = createPrerequisites(registry, waits);
  let isClosed = false;

  function supervise(name: string, stored: StoredService): Supervisor {
    const supervisor = createSupervisor(name, stored, {
      kind: kinds[stored.definition.type],
      resolve: deps.resolver(name),
      prerequisites,
      save: async (value) => {
        await kept.put(name, value);
      },
      forget: async () => {
        await kept.remove(name);
        registry.delete(name);
      },
      limits,
      clock,
      logger,
    });
    registry.set(supervisor);
    return supervisor;
  }

  return {
    ...registry,
    ...waits,

    async add(fresh, by) {
      if (registry.all().length + fresh.length > limits.services)
        throw new TooManyRequests(`There are ${limits.services} services already: delete one first`, 60);
      for (const type of new Set(fresh.map((one) => one.type))) await kinds[type].requireReachable();
      const entries = fresh.map((service) => ({ name: service.name, stored: toBeInstalled(service, by) }));
      // Not only where there is none: a write that failed may have been made all the same, of a service that nobody has.
      await documents.write(entries.map(({ name, stored }) => kept.writes.put(name, stored)));
      const added = entries.map(({ name, stored }) => supervise(name, stored));
      for (const supervisor of added) {
        if (isClosed) await supervisor.close({ stop: false });
        else supervisor.resume();
      }
      return added;
    },

    async open() {
      for (const { key, value } of await kept.list()) supervise(key, value);
    },

    resume() {
      const names = registry.all().map(({ name }) => name);
      for (const name of allNeeded(names, registry.needs())) registry.get(name)?.resume();
    },

    async close(options) {
      isClosed = true;
      await Promise.allSettled(registry.all().map((supervisor) => supervisor.close(options)));
    },
  };
}

function toBeInstalled(
  { name, ...definition }: NamedService,
  { installedBy, isTransient = () => false }: InstalledBy,
): StoredService {
  const phase = installing(definition.enabled ?? true);
  const transient = isTransient(name) ? { transient: true } : {};
  return StoredService.parse({ definition, ...phase, installedBy, installedTime: 0, ...transient });
}
