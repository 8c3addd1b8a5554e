import * as z from 'zod';

const types = ['string', 'number', 'integer', 'boolean', 'array', 'object', 'null'] as const;
type Type = (typeof types)[number];

/** The part of JSON Schema that tells names, types, choices and ranges. No patterns: those run where the class is. */
export interface PropertySchema {
  type?: Type | Type[];
  description?: string;
  default?: unknown;
  enum?: unknown[];
  const?: unknown;
  anyOf?: PropertySchema[];
  items?: PropertySchema;
  properties?: Record<string, PropertySchema>;
  additionalProperties?: boolean | PropertySchema;
  required?: string[];
  minimum?: number;
  maximum?: number;
}

/** Schemas within the schema of one class. */
const maxSchemas = 500;
const maxDepth = 16;
const maxText = 4096;

/** By hand: it must be fast on whatever a stranger sent. */
export const PropertySchema = z.unknown().transform((value, context): PropertySchema => {
  try {
    return takenFrom(value, { left: maxSchemas }, 0);
  } catch (error) {
    context.addIssue({ code: 'custom', message: error instanceof Error ? error.message : String(error) });
    return z.NEVER;
  }
});

/** What is known of a schema, of the right types; everything else of it is left out. */
function takenFrom(value: unknown, budget: { left: number }, depth: number): PropertySchema {
  if (budget.left-- === 0) throw new Error(`there are more than ${maxSchemas} with those inside of them`);
  if (depth > maxDepth) throw new Error(`they are nested deeper than ${maxDepth}`);
  const inner = (part: unknown) => takenFrom(part, budget, depth + 1);
  const given: Readonly<Record<string, unknown>> = isRecord(value) ? value : {};
  const schema: PropertySchema = {};
  const { type, items, anyOf, properties, additionalProperties, required } = given;
  if (isType(type)) schema.type = type;
  else if (Array.isArray(type) && type.every(isType)) schema.type = type;
  if (typeof given['description'] === 'string') schema.description = given['description'].slice(0, maxText);
  if (Object.hasOwn(given, 'default')) schema.default = given['default'];
  if (Object.hasOwn(given, 'const')) schema.const = given['const'];
  if (Array.isArray(given['enum'])) schema.enum = given['enum'].slice(0, maxSchemas);
  if (Array.isArray(anyOf)) schema.anyOf = anyOf.map(inner);
  if (isRecord(items)) schema.items = inner(items);
  if (isRecord(properties))
    schema.properties = Object.fromEntries(
      Object.entries(properties).map(([name, part]) => [name, inner(part)]),
    );
  if (isRecord(additionalProperties)) schema.additionalProperties = inner(additionalProperties);
  else if (typeof additionalProperties === 'boolean') schema.additionalProperties = additionalProperties;
  if (Array.isArray(required)) schema.required = required.filter((name) => typeof name === 'string');
  if (typeof given['minimum'] === 'number') schema.minimum = given['minimum'];
  if (typeof given['maximum'] === 'number') schema.maximum = given['maximum'];
  return schema;
}

const isType = (value: unknown): value is Type => types.some((type) => type === value);

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
