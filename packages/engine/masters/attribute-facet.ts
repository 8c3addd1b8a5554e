import { type AttributeReader, NotFound } from 'headgate/driver-kit';
import type { Snapshot } from '../store/snapshot.js';

/** Effective attributes: what was set, over the defaults. */
export function attributeReader(read: () => Pick<Snapshot, 'attributes' | 'logicalPlan'>): AttributeReader {
  const operatorOf = (operatorName: string) => {
    const found = read().logicalPlan.operators.find(({ name }) => name === operatorName);
    if (!found) throw new NotFound('operator', operatorName);
    return found;
  };
  return {
    application: async () => read().attributes,
    operator: async (operatorName) => operatorOf(operatorName).attributes,
    async port(operatorName, portName) {
      const found = operatorOf(operatorName).ports.find(({ name }) => name === portName);
      if (!found) throw new NotFound('port', portName);
      return found.attributes;
    },
  };
}
