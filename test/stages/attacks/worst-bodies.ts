import type { z } from 'zod';
import { type JsonSchema, jsonSchemaOf, sampleOf, smallest } from '../../helpers/samples.js';

export interface WorstBody {
  /** Where what is large stands, and how it is large. */
  readonly what: string;
  readonly text: string;
  /** How many entries or keys there are at its large place, out of `counts`; 0 where that is no matter. */
  readonly values: number;
  /** What is large means nothing to anybody. */
  readonly isIdle?: true;
}

/** Characters of a string that fills a body of 1 MiB, escapes included. */
const longest = 450_000;
/** Characters of one that has no limit in the schema, as far as that can be told. */
const long = 16_000;
/** As many as the bytes of a body have room for, as many values as one may hold, and as many as lists may have. */
export const counts = [45_000, 9_800, 4_900, 3_900, 1_900, 950, 95];
const letters = ['a@b.cc,', '${a}', '&gt;', '\n', 'é', '['];

/**
 * Bodies for a schema, each with one place that is as large as a body can be: one string (as long as it may be, and
 * longer), many entries (right ones, different ones, and wrong ones of which each has its message), many keys, deep
 * nesting. The rest is the smallest that is right, for each choice that the schema gives.
 */
export function* worstBodies(schema: z.ZodType): Generator<WorstBody> {
  const root = jsonSchemaOf(schema);
  const sample = sampleOf(schema);
  yield* around(sample);
  const seen = new Set<string>();
  for (const { at, large, around } of places(root, root.$defs ?? {}, sample, [], (value) => value)) {
    const [before = '', after = ''] = JSON.stringify(around(mark)).split(JSON.stringify(mark));
    const what = `${['body', ...at].join('.')}: ${large.what}`;
    const same = `${what} ${before} ${after}`;
    if (seen.has(same) || before.length + large.text.length + after.length > 1024 * 1024) continue;
    seen.add(same);
    yield { what, text: before + large.text + after, values: large.values };
  }
}

/** A small right body with much around it that nobody asked for. */
function* around(sample: unknown): Generator<WorstBody> {
  const text = JSON.stringify(sample);
  yield { what: 'blanks behind it', text: text.padEnd(1024 * 1024), values: 0, isIdle: true };
  if (!isObject(sample)) return;
  for (const count of counts)
    yield {
      what: `${count} keys that mean nothing`,
      text: JSON.stringify({
        ...sample,
        ...Object.fromEntries(Array.from({ length: count }, (_, i) => [`other.${i}`, 'x'])),
      }),
      values: count,
      isIdle: true,
    };
}

/** Stands where something large is put. */
const mark = 'here it is large';

interface Large {
  readonly what: string;
  /** JSON. */
  readonly text: string;
  readonly values: number;
}

interface Place {
  readonly at: readonly string[];
  readonly large: Large;
  /** The whole body with this in its place. */
  readonly around: (value: unknown) => unknown;
}

type Named = Readonly<Record<string, JsonSchema>>;

function* places(
  shape: JsonSchema,
  named: Named,
  sample: unknown,
  at: readonly string[],
  around: Place['around'],
): Generator<Place> {
  if (at.length > 6) return;
  const within = (part: JsonSchema, key: string | 0, inner: unknown) =>
    places(part, named, inner, [...at, String(key)], (value) =>
      around(key === 0 ? [value] : { ...(isObject(sample) ? sample : {}), [key]: value }),
    );
  if (shape.$ref !== undefined) {
    yield* places(named[shape.$ref.replace('#/$defs/', '')] ?? {}, named, sample, at, around);
    return;
  }
  for (const part of shape.allOf ?? []) yield* places(part, named, sample, at, around);
  for (const part of [...(shape.anyOf ?? []), ...(shape.oneOf ?? [])])
    yield* places(part, named, merged(sample, smallest(part, named)), at, around);
  for (const large of largeOnes(shape, named)) yield { at, large, around };
  if (shape.items) yield* within(shape.items, 0, smallest(shape.items, named));
  if (typeof shape.additionalProperties === 'object')
    yield* within(shape.additionalProperties, 'key', undefined);
  for (const [key, part] of Object.entries(shape.properties ?? {}))
    yield* within(part, key, isObject(sample) ? sample[key] : undefined);
}

function* largeOnes(shape: JsonSchema, named: Named): Generator<Large> {
  const isAny = shape.type === undefined && !shape.anyOf && !shape.oneOf && !shape.allOf && !shape.properties;
  const is = (type: string) => (isAny && shape.enum === undefined) || shape.type === type;
  if (is('string') && shape.const === undefined && shape.enum === undefined) yield* strings(shape.maxLength);
  if (is('array')) yield* entries(shape.items ? choicesOf(shape.items, named) : ['x', { a: 1 }]);
  if (is('object') && (isAny || shape.additionalProperties !== undefined))
    yield* keys(shape.additionalProperties !== false);
}

/** Letters are of no matter where a string is refused for its length alone. */
function* strings(maxLength: number | undefined): Generator<Large> {
  for (const part of maxLength === undefined ? letters : letters.slice(0, 1)) yield oneString(part, longest);
  for (const part of letters) yield oneString(part, Math.min(maxLength ?? long, longest));
}

const oneString = (part: string, length: number): Large =>
  kept(`${length} characters ${JSON.stringify(part)}`, 0, () =>
    part.repeat(Math.ceil(length / part.length)).slice(0, length),
  );

function* entries(samples: readonly unknown[]): Generator<Large> {
  for (const count of counts) {
    for (const entry of [...samples, 1, null])
      yield listed(count, JSON.stringify(entry), () => Array.from({ length: count }, () => entry));
    for (const entry of samples)
      yield listed(count, `different ${JSON.stringify(entry)}`, () =>
        Array.from({ length: count }, (_, index) => different(entry, index)),
      );
  }
}

const listed = (count: number, kind: string, value: () => unknown): Large =>
  kept(`${count} entries ${kind}`, count, value);

/** The same with other names. */
function different(sample: unknown, index: number): unknown {
  if (typeof sample === 'string') return `${sample}${index}`;
  if (!isObject(sample)) return sample;
  return Object.fromEntries(
    Object.entries(sample).map(([key, value]) => [key, /name$/i.test(key) ? different(value, index) : value]),
  );
}

function* keys(isOpen: boolean): Generator<Large> {
  for (const count of counts)
    for (const value of ['x', null, ...(isOpen ? [['x'], {}] : [])])
      yield kept(`${count} keys with ${JSON.stringify(value)}`, count, () =>
        Object.fromEntries(Array.from({ length: count }, (_, index) => [`key.${index}`, value])),
      );
  yield kept('long keys', 0, () =>
    Object.fromEntries(Array.from({ length: 800 }, (_, i) => ['k'.repeat(1000) + i, 'x'])),
  );
  yield kept('deep nesting', 0, () => {
    let deep: unknown = 'x';
    for (let level = 0; level < 50; level++) deep = { a: deep, b: Array.from({ length: 180 }, () => level) };
    return deep;
  });
}

/** Each is made once: nearly all of the time went into that. */
const made = new Map<string, string>();
function kept(what: string, values: number, make: () => unknown): Large {
  const text = made.get(what) ?? JSON.stringify(make());
  made.set(what, text);
  return { what, text, values };
}

/** A sample of each choice. */
function choicesOf(shape: JsonSchema, named: Named): readonly unknown[] {
  if (shape.$ref !== undefined) return choicesOf(named[shape.$ref.replace('#/$defs/', '')] ?? {}, named);
  const parts = [...(shape.anyOf ?? []), ...(shape.oneOf ?? [])];
  if (parts.length > 0) return parts.flatMap((part) => choicesOf(part, named));
  const [first, ...others] = shape.allOf ?? [];
  if (!first) return [smallest(shape, named)];
  const rest = others.map((part) => smallest(part, named));
  return choicesOf(first, named).map((choice) => rest.reduce(merged, choice));
}

const merged = (sample: unknown, more: unknown): unknown =>
  isObject(sample) && isObject(more) ? { ...sample, ...more } : more;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
