import type { OperatorType } from '@headgate/operators';
import { NotFound, type PropertyEditor, Unreachable } from 'headgate/driver-kit';
import * as z from 'zod';
import type { OperatorRegistry } from '../operators/registry.js';
import type { Properties } from '../plan/property-change.js';
import { Refused } from '../processes/questions.js';
import type { RunningApplication } from '../running/application.js';
import type { Snapshot } from '../store/snapshot.js';

const Values = z.record(z.string(), z.unknown());

/** Of a running application: physical operators are asked where they run. */
export function propertyEditor({ state, properties }: RunningApplication): PropertyEditor {
  return {
    async readOperator(operatorId, options) {
      const operator = state.physical.operators.find(({ id }) => id === operatorId);
      if (!operator) throw new NotFound('physical operator', operatorId);
      const asked = state.ask(operatorId, { what: 'properties', operatorId }, options?.signal);
      const answer = await asked.catch((error) => {
        // Between two deployments there is nobody to tell it.
        throw error instanceof Refused ? new Unreachable(`The operator ${operatorId}`, error) : error;
      });
      return withUnset(operator.type, Values.parse(answer));
    },
    async readLogical(operatorName) {
      const operator = state.plan.operators.find(({ name }) => name === operatorName);
      if (!operator) throw new NotFound('operator', operatorName);
      return { class: operator.type.className, ...withUnset(operator.type, operator.properties) };
    },
    writeLogical: (operatorName, values, options) =>
      properties.writeLogical(operatorName, values, options?.signal),
  };
}

/** Of an ended application: what its operators had last. */
export function keptProperties(
  snapshot: Snapshot,
  registry: () => Promise<OperatorRegistry>,
  refuse: () => Promise<never>,
): PropertyEditor {
  return {
    async readOperator(operatorId) {
      const found = Object.hasOwn(snapshot.properties, operatorId) && snapshot.properties[operatorId];
      if (!found) throw new NotFound('physical operator', operatorId);
      return found;
    },
    async readLogical(operatorName) {
      const found = snapshot.logicalPlan.operators.find(({ name }) => name === operatorName);
      if (!found) throw new NotFound('operator', operatorName);
      const type = (await registry()).get(found.class);
      return type ? withUnset(type, found.properties) : found.properties;
    },
    writeLogical: refuse,
  };
}

/** Each property of the class, `null` where it has no value: what can be read can be written back. */
export const withUnset = ({ properties }: OperatorType, values: Properties): Properties => ({
  ...Object.fromEntries(Object.keys(properties.shape).map((name) => [name, null])),
  ...values,
});
