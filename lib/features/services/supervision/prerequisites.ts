import { ContainerFailed } from '../../../model/errors.js';
import { variablesOf } from '../definition/definition-checks.js';
import { allNeeding } from '../definition/dependency-graph.js';
import { servicesIn } from '../definition/variables.js';
import type { ServiceDefinition } from '../schema.js';
import type { Prerequisites } from './effects.js';
import type { ServiceRegistry } from './service-registry.js';
import type { SupervisorWaits } from './supervisor-waits.js';

/** Tells from the services that there are what one of them waits for. */
export function createPrerequisites(
  registry: Pick<ServiceRegistry, 'get' | 'definitions'>,
  waits: Pick<SupervisorWaits, 'bringUp' | 'settled'>,
): Prerequisites {
  return {
    async startRequired({ definition }, signal) {
      for (const name of definition.requiredServices) {
        const needed = registry.get(name);
        if (!needed) throw new ContainerFailed(`It needs the service ${name}, which is not installed`);
        await waits.bringUp(needed, signal);
      }
    },

    async awaitOthers(name, { definition }, signal) {
      const awaits = new Map(
        registry.definitions().map((other) => [other.name, awaitedBy(other.definition)] as const),
      );
      const waiting = allNeeding(name, awaits);
      for (const other of awaitedBy(definition)) {
        const supervisor = registry.get(other);
        if (!supervisor || other === name || waiting.has(other)) continue;
        if (!supervisor.isAtRest) await waits.settled(supervisor, signal);
      }
    },

    areOfOthers: (name, variables) =>
      variables.every((variable) =>
        servicesIn(variable).some((other) => other !== name && registry.get(other) !== undefined),
      ),
  };
}

/** Names of services that have to run first, and of what its variables are about. */
const awaitedBy = (definition: ServiceDefinition): readonly string[] => [
  ...definition.requiredServices,
  ...variablesOf(definition).flatMap(servicesIn),
];
