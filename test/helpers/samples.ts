import { z } from 'zod';

export interface JsonSchema {
  $ref?: string | undefined;
  $defs?: Record<string, JsonSchema> | undefined;
  type?: string | undefined;
  enum?: unknown[] | undefined;
  const?: unknown;
  anyOf?: JsonSchema[] | undefined;
  oneOf?: JsonSchema[] | undefined;
  allOf?: JsonSchema[] | undefined;
  properties?: Record<string, JsonSchema> | undefined;
  required?: string[] | undefined;
  minItems?: number | undefined;
  maxLength?: number | undefined;
  items?: JsonSchema | undefined;
  additionalProperties?: JsonSchema | boolean | undefined;
  examples?: unknown[] | undefined;
}
const JsonSchema: z.ZodType<JsonSchema> = z.lazy(() =>
  z.looseObject({
    $ref: z.string().optional(),
    $defs: z.record(z.string(), JsonSchema).optional(),
    // One of several is enough for a sample.
    type: z.union([z.string(), z.array(z.string()).transform(([first]) => first)]).optional(),
    enum: z.array(z.unknown()).optional(),
    const: z.unknown().optional(),
    anyOf: z.array(JsonSchema).optional(),
    oneOf: z.array(JsonSchema).optional(),
    allOf: z.array(JsonSchema).optional(),
    properties: z.record(z.string(), JsonSchema).optional(),
    required: z.array(z.string()).optional(),
    minItems: z.number().optional(),
    maxLength: z.number().optional(),
    items: JsonSchema.optional(),
    additionalProperties: z.union([z.boolean(), JsonSchema]).optional(),
    examples: z.array(z.unknown()).optional(),
  }),
);

const Examples = z.object({ examples: z.array(z.unknown()).optional() });

/** What a client may send, as a JSON schema. */
export const jsonSchemaOf = (schema: z.ZodType): JsonSchema =>
  JsonSchema.parse(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }));

/** The smallest thing that a schema lets through: what has to be there, and nothing else. Throws where it finds none. */
export function sampleOf(schema: z.ZodType): unknown {
  const root = jsonSchemaOf(schema);
  // zod leaves those of inputs out that become something else when they are read.
  const { examples } = Examples.parse(schema.meta() ?? {});
  const sample = examples ? examples[0] : smallest(root, root.$defs ?? {});
  schema.parse(sample);
  return sample;
}

/** What has to be there and nothing else, of this part of a schema. */
export function smallest(schema: JsonSchema, named: Readonly<Record<string, JsonSchema>>): unknown {
  const within = (part: JsonSchema | undefined) => smallest(part ?? {}, named);
  if (schema.$ref !== undefined) return within(named[schema.$ref.replace('#/$defs/', '')]);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  if (schema.examples) return schema.examples[0];
  if (schema.allOf && schema.type === undefined) return Object.assign({}, ...schema.allOf.map(within));
  const [choice] = schema.anyOf ?? schema.oneOf ?? [];
  if (choice) return within(choice);
  switch (schema.type) {
    case 'object':
      return Object.fromEntries(
        (schema.required ?? []).map((name) => [name, within(schema.properties?.[name])]),
      );
    case 'array':
      return Array.from({ length: schema.minItems ?? 0 }, () => within(schema.items));
    case 'integer':
    case 'number':
      return 1;
    case 'boolean':
      return false;
    default:
      return 'x';
  }
}
