import { NotFound } from '../../../model/errors.js';
import type { Present } from '../definition/definition-checks.js';
import type { Needs } from '../definition/dependency-graph.js';
import type { Supervisor } from './supervisor.js';

/** All services that there are, by name. */
export interface ServiceRegistry {
  get(name: string): Supervisor | undefined;
  /** Throws `NotFound`. */
  require(name: string): Supervisor;
  all(): readonly Supervisor[];
  definitions(): readonly Present[];
  /** Tells what each requires, by name. */
  needs(): Needs;
}

/** As who brings services up and removes them has it. */
export interface WritableRegistry extends ServiceRegistry {
  set(supervisor: Supervisor): void;
  delete(name: string): void;
}

export function createServiceRegistry(): WritableRegistry {
  const all = new Map<string, Supervisor>();
  return {
    get: (name) => all.get(name),
    require(name) {
      const supervisor = all.get(name);
      if (!supervisor) throw new NotFound('service', name);
      return supervisor;
    },
    all: () => [...all.values()],
    definitions: () => [...all.values()].map(({ name, stored: { definition } }) => ({ name, definition })),
    needs: () => new Map([...all].map(([name, { stored }]) => [name, stored.definition.requiredServices])),
    set(supervisor) {
      all.set(supervisor.name, supervisor);
    },
    delete(name) {
      all.delete(name);
    },
  };
}
