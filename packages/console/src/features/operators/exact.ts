import { parseExact } from '../../format/exact-json.js';
import { isRecord, textOf, type Values } from '../../forms/property-values.js';

/** An object as it came, digit for digit; empty for whatever is none. */
export function exactRecord(text: string | undefined): Values {
  const value = text === undefined ? undefined : parseExact(text);
  return isRecord(value) ? value : {};
}

/** One of the operators in an answer or a message that lists them. */
export function exactOperator(text: string | undefined, key: 'name' | 'id', id: string): Values | undefined {
  const { operators } = exactRecord(text);
  return Array.isArray(operators) ? operators.filter(isRecord).find((one) => one[key] === id) : undefined;
}

/** Counters and metrics of an operator, flat, with dots between names; each value as text. */
export function countersOf(operator: Values): readonly (readonly [name: string, value: string])[] {
  return ['counters', 'autoMetrics', 'metrics'].flatMap((key) => flat(operator[key], ''));
}

function flat(value: unknown, path: string): (readonly [string, string])[] {
  if (isRecord(value))
    return Object.entries(value).flatMap(([key, inner]) => flat(inner, path === '' ? key : `${path}.${key}`));
  if (value === undefined || value === null || path === '') return [];
  return [[path, textOf(value)]];
}
