/** Levels of arrays and objects in a document; deeper ones could not be walked safely. */
const maxDepth = 200;

/**
 * The JSON text of a value that comes back from it equal. Properties that are `undefined` count as absent.
 * Throws `TypeError` naming the place of anything that JSON would change or lose without a word: `NaN`, dates, maps,
 * functions, holes, cycles.
 */
export function jsonText(value: unknown): string {
  const flaw = flawOf(value, 0);
  if (flaw) throw new TypeError(sentenceOf(flaw));
  return JSON.stringify(value);
}

/** What JSON can't hold. */
interface Flaw {
  readonly what: string;
  /** The way to it, from the inside out: put together on the way back, because nearly no value has one. */
  readonly place: string[];
}

function flawOf(value: unknown, depth: number): Flaw | undefined {
  if (isSound(value)) return undefined;
  if (typeof value !== 'object')
    return { what: typeof value === 'number' ? `${value}` : article(typeof value), place: [] };
  if (depth >= maxDepth)
    throw new TypeError(`The document is deeper than ${maxDepth} levels, or holds itself`);
  if (Array.isArray(value)) return flawOfItems(value, depth);
  if (!isPlain(value)) return { what: instance, place: [] };
  for (const name in value) {
    const member = value[name];
    // Most members are texts and numbers: to ask no more of those is half of what all this costs.
    if (isSound(member) || member === undefined || !Object.hasOwn(value, name)) continue;
    const flaw = flawOf(member, depth + 1);
    if (flaw) return within(name, flaw);
  }
  return undefined;
}

function flawOfItems(items: readonly unknown[], depth: number): Flaw | undefined {
  for (let i = 0; i < items.length; i++) {
    const flaw = flawOf(items[i], depth + 1);
    if (flaw) return within(String(i), flaw);
  }
  return undefined;
}

/** Nothing to look into, and nothing that JSON changes. */
const isSound = (value: unknown): value is null | string | boolean | number =>
  value === null ||
  typeof value === 'string' ||
  typeof value === 'boolean' ||
  (typeof value === 'number' && Number.isFinite(value));

function within(name: string, flaw: Flaw): Flaw {
  flaw.place.push(name);
  return flaw;
}

const instance = 'an instance of a class';

function sentenceOf({ what, place }: Flaw): string {
  const at = place.length === 0 ? 'The document' : `The document's ${place.toReversed().join('.')}`;
  return `${at} is ${what}, which JSON can't hold${what === instance ? '; keep plain data' : ''}`;
}

/** Also for objects that another realm made: only their prototype ends there. */
function isPlain(value: object): value is Readonly<Record<string, unknown>> {
  const prototype: object | null = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

const article = (type: string) => (type === 'undefined' ? type : `a ${type}`);

/**
 * A value that is kept as JSON text: a member of a `jsonObject` that is written as it is, never parsed. It may stand where
 * the schema has an object of any keys.
 */
export class JsonText {
  readonly [key: string]: unknown;
  constructor(readonly text: string) {}
}
