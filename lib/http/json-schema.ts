import * as z from 'zod';

export type Json = Record<string, unknown>;

/** Schemas with an id become components and are referred to; where input and output differ, each has its own. */
export function toSchema(schema: z.ZodType, io: 'input' | 'output', schemas: Json): Json {
  const { $schema: _, $defs, ...root } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  const names = new Map<string, string>();
  for (const [id, definition] of Object.entries(asJson($defs))) {
    const other = schemas[id];
    const same = other === undefined || JSON.stringify(other) === JSON.stringify(refer(definition, names));
    names.set(id, same ? id : `${id}${io === 'input' ? 'Input' : 'Output'}`);
  }
  for (const [id, definition] of Object.entries(asJson($defs))) {
    schemas[names.get(id) ?? id] = refer(definition, names);
  }
  return asJson(refer(root, names));
}

/** `#/$defs/X` of zod to the place where components live. */
function refer(node: unknown, names: ReadonlyMap<string, string>): unknown {
  if (Array.isArray(node)) return node.map((item) => refer(item, names));
  if (typeof node !== 'object' || node === null) return node;
  return Object.fromEntries(
    Object.entries(node).map(([key, value]) => {
      if (key !== '$ref' || typeof value !== 'string') return [key, refer(value, names)];
      const id = value.replace('#/$defs/', '');
      return [key, `#/components/schemas/${names.get(id) ?? id}`];
    }),
  );
}

export const asJson = (value: unknown): Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
