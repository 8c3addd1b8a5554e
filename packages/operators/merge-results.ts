import { type Fields, fieldOf, isRecord } from './record.js';

// Two partitions' results of the same window, and of the same key, become one.

const numberIn = (fields: Fields, name: string): number => {
  const value = fieldOf(fields, name);
  return typeof value === 'number' ? value : 0;
};

const either = (choose: (a: number, b: number) => number) => (a: unknown, b: unknown) =>
  typeof a === 'number' && typeof b === 'number' ? choose(a, b) : (a ?? b);

const add = either((a, b) => a + b);

/** How a field of both is joined; any other field is the same in both, and the first one's is kept. */
const rules: ReadonlyMap<string, (a: unknown, b: unknown) => unknown> = new Map([
  ['count', add],
  ['perSecond', add],
  ['sum', add],
  ['overflow', add],
  ['skipped', add],
  ['total', add],
  ['min', either(Math.min)],
  ['max', either(Math.max)],
]);

/** Fields of one key's result, or of a result without keys. */
export function mergeFields(a: Fields, b: Fields): Fields {
  // Percentiles meet only as "something and nothing": tuples of a key, or all without one, go to one partition.
  const [main, other] = numberIn(a, 'count') >= numberIn(b, 'count') ? [a, b] : [b, a];
  const merged: Record<string, unknown> = { ...main };
  for (const [name, join] of rules) {
    if (Object.hasOwn(main, name)) merged[name] = join(main[name], fieldOf(other, name));
  }
  if (Object.hasOwn(main, 'average')) {
    const count = numberIn(merged, 'count');
    merged['average'] = count === 0 ? null : numberIn(merged, 'sum') / count;
  }
  return merged;
}

/** Results with all keys of a window in `keys`. */
export function mergeKeys(a: Fields, b: Fields): Fields {
  const keys = new Map(Object.entries(isRecord(a['keys']) ? a['keys'] : {}));
  for (const [key, fields] of Object.entries(isRecord(b['keys']) ? b['keys'] : {})) {
    const found = keys.get(key);
    keys.set(key, isRecord(found) && isRecord(fields) ? mergeFields(found, fields) : fields);
  }
  return { ...mergeFields(a, b), keys: Object.fromEntries(keys) };
}
