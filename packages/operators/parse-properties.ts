import * as z from 'zod';
import type { OperatorClass } from './operator.js';
import { isRecord } from './record.js';

/** What is wrong with an operator's properties, all of it. */
export class PropertiesError extends Error {
  /** `path` is the property's name, with the place inside it after dots. */
  readonly issues: readonly { readonly path: string; readonly message: string }[];

  constructor(className: string, issues: PropertiesError['issues']) {
    super(`${className}: ${issues.map(({ path, message }) => `${path}: ${message}`).join('; ')}`);
    this.name = 'PropertiesError';
    this.issues = issues;
  }
}

/**
 * The properties of an operator from what a launch or a client gave. Values may come as text, as the properties of a
 * launch always do: `"5"`, `"true"`, `"[1,2]"`. Throws `PropertiesError`, also for a name that the class does not have:
 * a misspelled property would have no effect and nobody would know.
 */
export function parseProperties(
  { className, properties }: OperatorClass,
  values: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const known = Object.keys(properties.shape);
  const unknown = Object.keys(values).filter((name) => !known.includes(name));
  const list = known.length > 0 ? `it has ${known.join(', ')}` : 'it has none';
  const issues = unknown.map((path) => ({ path, message: `there is no such property; ${list}` }));
  const types = typesOf(properties);
  const converted = Object.entries(values).map(([name, value]) => [name, fromText(value, types.get(name))]);
  const parsed = properties.safeParse(Object.fromEntries(converted));
  if (!parsed.success) {
    issues.push(...parsed.error.issues.map(({ path, message }) => ({ path: path.join('.'), message })));
  }
  if (issues.length > 0 || !parsed.success) throw new PropertiesError(className, issues);
  return parsed.data;
}

const Schema = z.looseObject({
  properties: z.record(z.string(), z.looseObject({ type: z.string().optional() })).optional(),
});

function typesOf(properties: z.ZodObject): ReadonlyMap<string, string | undefined> {
  const json = Schema.parse(z.toJSONSchema(properties, { io: 'input', unrepresentable: 'any' }));
  return new Map(Object.entries(json.properties ?? {}).map(([name, { type }]) => [name, type]));
}

/** Text stays text where the property is text; where it can't be read as what is wanted, zod says so. */
function fromText(value: unknown, type: string | undefined): unknown {
  if (typeof value !== 'string' || type === undefined || type === 'string') return value;
  let read: unknown;
  try {
    read = JSON.parse(value);
  } catch {
    return value;
  }
  const fits =
    type === 'integer' || type === 'number'
      ? typeof read === 'number'
      : type === 'boolean'
        ? typeof read === 'boolean'
        : isRecord(read) && Array.isArray(read) === (type === 'array');
  return fits ? read : value;
}
