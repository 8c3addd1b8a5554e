import { type AttributeReader, NotFound } from 'headgate/driver-kit';
import type { Observer } from './observer.js';

/** How a job was set up, as a whole, and each vertex and edge of it. */
export const attributeReader = (observer: Observer, jobId: string): AttributeReader => {
  const operatorOf = async (operatorName: string) => {
    const { operators } = await observer.logicalPlan(jobId);
    const found = operators.find(({ name }) => name === operatorName);
    if (!found) throw new NotFound('operator', operatorName);
    return found;
  };
  return {
    application: async () => observer.attributes(jobId),
    operator: async (operatorName) => (await operatorOf(operatorName)).attributes,
    async port(operatorName, portName) {
      const { ports } = await operatorOf(operatorName);
      const port = ports.find(({ name }) => name === portName);
      if (!port) throw new NotFound('port', `${operatorName}.${portName}`);
      return port.attributes;
    },
  };
};
