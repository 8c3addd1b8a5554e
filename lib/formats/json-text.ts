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
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return undefined;
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : { what: `${value}`, place: [] };
  if (typeof value !== 'object') return { what: article(typeof value), place: [] };
  if (depth >= maxDepth)
    throw new TypeError(`The document is deeper than ${maxDepth} levels, or holds itself`);
  const isList = Array.isArray(value);
  if (!isList && !isPlain(value)) return { what: instance, place: [] };
  const members: readonly unknown[] = isList ? value : Object.values(value);
  for (let i = 0; i < members.length; i++) {
    const member = members[i];
    if (member === undefined && !isList) continue;
    const flaw = flawOf(member, depth + 1);
    if (flaw) {
      flaw.place.push(isList ? String(i) : (Object.keys(value)[i] ?? ''));
      return flaw;
    }
  }
  return undefined;
}

const instance = 'an instance of a class';

function sentenceOf({ what, place }: Flaw): string {
  const at = place.length === 0 ? 'The document' : `The document's ${place.toReversed().join('.')}`;
  return `${at} is ${what}, which JSON can't hold${what === instance ? '; keep plain data' : ''}`;
}

/** Also for objects that another realm made: only their prototype ends there. */
function isPlain(value: object): boolean {
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
