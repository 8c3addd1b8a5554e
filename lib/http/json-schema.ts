import * as z from 'zod';
import { controlCharacters } from '../formats/control-characters.js';

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
      if (typeof value !== 'string') return [key, refer(value, names)];
      if (key === 'pattern') return [key, portable(value)];
      if (key !== '$ref') return [key, value];
      const id = value.replace('#/$defs/', '');
      return [key, `#/components/schemas/${names.get(id) ?? id}`];
    }),
  );
}

/** The same pattern for engines that know no classes of Unicode, or mean all digits and letters there are by `\d` and `\w`. */
function portable(pattern: string): string {
  let isInClass = false;
  const within = (members: string): string => (isInClass ? members : `[${members}]`);
  return pattern.replace(/\\[pP]\{Cc\}|\\.|[[\]]/gs, (part) => {
    if (part === '[' || part === ']') {
      isInClass = part === '[';
      return part;
    }
    if (part === '\\p{Cc}') return within(controlCharacters);
    if (part === '\\P{Cc}' && !isInClass) return `[^${controlCharacters}]`;
    if (part === '\\d') return within('0-9');
    if (part === '\\w') return within('A-Za-z0-9_');
    return part;
  });
}

export const asJson = (value: unknown): Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
