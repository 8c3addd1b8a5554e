import { z } from 'zod';
import type { OperatorType } from '../operator.js';
import type { DescribedClass, PropertySchema } from './answers.js';

/**
 * An operator class by its description. Its `properties` tell names, types, defaults and ranges; patterns and the rules
 * that are code the class judges itself, in a process of its own. Throws for a schema that makes no sense.
 */
export function describedType(described: DescribedClass): OperatorType {
  const { properties, reaches, dataSources, ...rest } = described;
  const schema = z.fromJSONSchema({ ...forZod(properties), type: 'object' });
  if (!(schema instanceof z.ZodObject)) throw new TypeError('the properties are no object');
  return {
    ...rest,
    // As a class has it: what it does not know is left out.
    properties: z.object(schema.shape),
    ...(Object.keys(reaches).length > 0 ? { reaches } : {}),
    ...(Object.keys(dataSources).length > 0 ? { dataSources } : {}),
  };
}

type JsonSchema = Exclude<Parameters<typeof z.fromJSONSchema>[0], boolean>;

const forZod = (schema: PropertySchema): JsonSchema => z.record(z.string(), z.unknown()).parse(schema);
