import type { OperatorType } from '@headgate/operators';
import * as z from 'zod';
import type { DescribedClass } from './answers.js';
import type { PropertySchema } from './property-schema.js';

/**
 * An operator class by its description. Its `properties` tell names, types, defaults and ranges; patterns and the rules
 * that are code the class judges itself, in a process of its own. They are made when they are first asked for: an
 * application uses few of the classes that there are.
 */
export function describedType(described: DescribedClass): OperatorType {
  const { properties: schema, reaches, dataSources, ...rest } = described;
  let properties: z.ZodObject | undefined;
  return {
    ...rest,
    get properties() {
      properties ??= z.object(shapeOf(schema));
      return properties;
    },
    ...(Object.keys(reaches).length > 0 ? { reaches } : {}),
    ...(Object.keys(dataSources).length > 0 ? { dataSources } : {}),
  };
}

const shapeOf = ({ properties = {}, required = [] }: PropertySchema): z.ZodRawShape =>
  Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => {
      const type = typeOf(schema);
      return [name, required.includes(name) || 'default' in schema ? type : type.optional()];
    }),
  );

/** Anything, where zod finds no sense in it: then the class decides alone. */
function typeOf(schema: PropertySchema): z.ZodType {
  try {
    return z.fromJSONSchema(z.record(z.string(), z.unknown()).parse(schema));
  } catch {
    return z.unknown();
  }
}
