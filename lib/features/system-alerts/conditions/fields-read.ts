import type { FieldRead } from '../../../model/alerts.js';
import type { FieldPath } from './reading.js';

/** Characters of one value. */
const maxText = 200;

/** The values that a condition's text names, as short texts. */
export const fieldsRead = (
  fields: readonly FieldPath[],
  topics: object,
): { topic: string; path: string[]; value?: string }[] =>
  fields.map(({ topic, path }) => {
    const value = textOf([topic, ...path].reduce<unknown>(memberOf, topics));
    return { topic, path: [...path], ...(value === undefined ? {} : { value }) } satisfies FieldRead;
  });

function memberOf(value: unknown, key: string): unknown {
  if (typeof value === 'string') return key === 'length' ? value.length : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  return Object.getOwnPropertyDescriptor(value, key)?.value;
}

function textOf(value: unknown): string | undefined {
  if (Array.isArray(value)) return `[${value.length} items]`;
  if (typeof value === 'object' && value !== null) return `{${Object.keys(value).length} members}`;
  const text: string | undefined = JSON.stringify(value);
  return text !== undefined && text.length > maxText ? `${text.slice(0, maxText - 3)}...` : text;
}
