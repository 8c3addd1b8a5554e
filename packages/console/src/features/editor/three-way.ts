import { writeExact } from '../../format/exact-json.js';
import { isRecord, type Values } from '../../forms/property-values.js';
import type { Definition } from './definition.js';

/** One place where somebody has changed something. Absent texts: there is nothing. */
export interface Difference {
  readonly path: readonly string[];
  readonly base: unknown;
  readonly mine: unknown;
  readonly theirs: unknown;
  /** `both`: each in another way. The same change by both is no difference. */
  readonly by: 'mine' | 'theirs' | 'both';
}

/** Lists whose items have names are compared by these, so that a new one in the middle is one difference. */
const named: ReadonlySet<string> = new Set(['operators', 'streams']);

const asTree = (definition: Definition): Values =>
  Object.fromEntries(
    Object.entries(definition).map(([key, value]) => [
      key,
      named.has(key) && Array.isArray(value) ? byName(value) : value,
    ]),
  );

const byName = (items: readonly unknown[]): Values =>
  Object.fromEntries(items.map((item, index) => [nameOf(item, index), item]));

const nameOf = (item: unknown, index: number): string =>
  isRecord(item) && typeof item['name'] === 'string' ? item['name'] : `#${index}`;

const isSame = (a: unknown, b: unknown): boolean =>
  a === undefined || b === undefined ? a === b : writeExact(a) === writeExact(b);

/** What two people have made of the same definition. */
export function differences(base: Definition, mine: Definition, theirs: Definition): readonly Difference[] {
  return within([], asTree(base), asTree(mine), asTree(theirs));
}

function within(path: readonly string[], base: Values, mine: Values, theirs: Values): Difference[] {
  const keys = new Set([...Object.keys(base), ...Object.keys(theirs), ...Object.keys(mine)]);
  return [...keys].flatMap((key) => {
    const [before, my, their] = [base[key], mine[key], theirs[key]];
    if (isSame(my, their)) return [];
    const place = [...path, key];
    if (isRecord(my) && isRecord(their)) return within(place, isRecord(before) ? before : {}, my, their);
    const by = isSame(before, their) ? 'mine' : isSame(before, my) ? 'theirs' : 'both';
    return [{ path: place, base: before, mine: my, theirs: their, by }];
  });
}

/** Theirs, with mine wherever `isMine` says so. */
export function merged(
  theirs: Definition,
  found: readonly Difference[],
  isMine: (difference: Difference) => boolean,
): Definition {
  let tree = asTree(theirs);
  for (const difference of found)
    if (isMine(difference)) tree = withValue(tree, difference.path, difference.mine);
  return Object.fromEntries(
    Object.entries(tree).map(([key, value]) => [
      key,
      named.has(key) && isRecord(value) ? Object.values(value) : value,
    ]),
  );
}

function withValue(tree: Values, [key = '', ...rest]: readonly string[], value: unknown): Values {
  if (rest.length > 0) {
    const inner = tree[key];
    return { ...tree, [key]: withValue(isRecord(inner) ? inner : {}, rest, value) };
  }
  const { [key]: _, ...others } = tree;
  return value === undefined ? others : { ...tree, [key]: value };
}
