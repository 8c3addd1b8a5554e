import { controlCharacters } from '../formats/control-characters.js';
import { decodePathSegment } from '../formats/percent.js';
import { BadRequest } from '../model/errors.js';
import type { Json } from './json-schema.js';

// What may stand in one segment of a path, whatever it names: how it is read, and how the documents say so.

const maxLength = 600;
const control = /\p{Cc}/u;

/** Decoded exactly once. What could be mistaken for a place in a file system is no name anywhere. Throws `BadRequest`. */
export function readPathParameter(raw: string, name: string): string {
  const value = decodePathSegment(raw);
  if (value === undefined) throw badParam(name, 'is not well-formed percent-encoding');
  if (value.length > maxLength) throw badParam(name, `is longer than ${maxLength} characters`);
  if (control.test(value)) throw badParam(name, 'holds a control character');
  if (value === '.' || value === '..') throw badParam(name, 'is no name');
  return value;
}

const badParam = (name: string, what: string) =>
  new BadRequest('MALFORMED_PATH', `The path parameter ${name} ${what}`, [
    { path: `params.${name}`, message: what },
  ]);

/** No control characters, neither `.` nor `..`: without a lookahead, which few engines know. */
const pattern = `^(\\.{0,2}[^.${controlCharacters}][^${controlCharacters}]*|\\.{3}[^${controlCharacters}]*)$`;

/** The schema of a parameter together with what holds for every segment. A pattern of its own says more than that. */
export function ofSegment(schema: Json): Json {
  if (schema['type'] !== 'string') return schema;
  const { maxLength: own } = schema;
  const shorter = typeof own === 'number' && own < maxLength ? own : maxLength;
  return { pattern, minLength: 1, ...schema, maxLength: shorter };
}
