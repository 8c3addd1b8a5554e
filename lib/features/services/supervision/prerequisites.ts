import { ContainerFailed } from '../../../model/errors.js';
import { variablesOf } from '../definition/definition-checks.js';
import { allNeeding } from '../definition/dependency-graph.js';
import { servicesIn } from '../definition/variables.js';
import type { ServiceDefinition } from '../schema.js';
import type { StoredService } from '../stored.js';
import type { Supervisor } from './supervisor.js';
import type { SupervisorWaits } from './supervisor-waits.js';

/** What a service waits for before it starts: others that it requires, and others that tell something it uses. */
interface BeforeStart {
  /** Starts what it requires, one after the other: what is needed comes first. */
  startRequired(stored: StoredService, signal: AbortSignal): Promise<void>;
  /**
   * What needs no other service may still use what it tells, such as its port: nobody is started for that, but who comes up
   * at the same time is waited for. Not those that wait for this one themselves: then neither would come up.
   */
  othersTold(name: string, stored: StoredService, signal: AbortSignal): Promise<void>;
}

export function createBeforeStart(
  all: ReadonlyMap<string, Supervisor>,
  waits: Pick<SupervisorWaits, 'bringUp' | 'settled'>,
): BeforeStart {
  return {
    async startRequired({ definition }, signal) {
      for (const name of definition.requiredServices) {
        const needed = all.get(name);
        if (!needed) throw new ContainerFailed(`It needs the service ${name}, which is not installed`);
        await waits.bringUp(needed, signal);
      }
    },

    async othersTold(name, { definition }, signal) {
      const awaits = new Map(
        [...all].map(([one, { stored }]) => [one, awaitedBy(stored.definition)] as const),
      );
      const waiting = allNeeding(name, awaits);
      for (const other of awaitedBy(definition)) {
        const supervisor = all.get(other);
        if (!supervisor || other === name || waiting.has(other)) continue;
        if (!supervisor.isAtRest) await waits.settled(supervisor, signal);
      }
    },
  };
}

/** Names of services that have to run first, and of what its variables are about. */
const awaitedBy = (definition: ServiceDefinition): readonly string[] => [
  ...definition.requiredServices,
  ...variablesOf(definition).flatMap(servicesIn),
];
