import type { OperatorType } from '@headgate/operators';
import { issueSentences, type Problems } from 'headgate/driver-kit';
import type * as z from 'zod';

/** The class marker that consoles and the engine write among the properties. */
export const classMarkers: ReadonlySet<string> = new Set(['class', '@class']);

/** Checks the properties of an operator; resolves them parsed, defaults included. */
export function readProperties(
  type: OperatorType,
  values: Readonly<Record<string, unknown>>,
  place: (property: string) => string,
  problems: Problems,
): Readonly<Record<string, unknown>> {
  const shape: Readonly<Record<string, unknown>> = type.properties.shape;
  const given: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(values)) {
    if (classMarkers.has(name)) continue;
    if (Object.hasOwn(shape, name)) given[name] = lenient(shape[name], value);
    else
      problems.add(place(name), `${type.className} has no property ${JSON.stringify(name)}${listOf(shape)}`);
  }
  const parsed = type.properties.safeParse(given, issueSentences);
  if (parsed.success) return parsed.data;
  for (const { path, message } of parsed.error.issues) problems.add(place(path.join('.')), message);
  return {};
}

/** One property that was given as text, as it belongs into the application; or what is wrong with its name or its value. */
export function readProperty(
  type: OperatorType,
  name: string,
  text: string,
): { readonly value: unknown } | { readonly problem: string; readonly at: 'propertyName' | 'propertyValue' } {
  const shape: Readonly<Record<string, unknown>> = type.properties.shape;
  const schema = Object.hasOwn(shape, name) ? shape[name] : undefined;
  if (!isSchema(schema))
    return {
      problem: `${type.className} has no property ${JSON.stringify(name)}${listOf(shape)}`,
      at: 'propertyName',
    };
  const value = lenient(schema, text);
  const { error } = schema.safeParse(value);
  return error ? { problem: error.issues[0]?.message ?? 'is not valid', at: 'propertyValue' } : { value };
}

function listOf(shape: object): string {
  const names = Object.keys(shape);
  return names.length > 0 ? `; it has ${names.join(', ')}` : '';
}

/** Consoles and launch properties send numbers, flags and lists as text: text that does not fit is read as JSON. */
function lenient(schema: unknown, value: unknown): unknown {
  if (typeof value !== 'string' || !isSchema(schema) || schema.safeParse(value).success) return value;
  try {
    const read: unknown = JSON.parse(value);
    return schema.safeParse(read).success ? read : value;
  } catch {
    return value;
  }
}

const isSchema = (value: unknown): value is z.ZodType =>
  typeof value === 'object' && value !== null && 'safeParse' in value;
