/** Levels of arrays and objects in a document; deeper ones could not be walked safely. */
const maxDepth = 200;

/**
 * The JSON text of a value that comes back from it equal. Properties that are `undefined` count as absent.
 * Throws `TypeError` naming the place of anything that JSON would change or lose without a word: `NaN`, dates, maps,
 * functions, holes, cycles.
 */
export function jsonText(value: unknown): string {
  checkJson(value, '', 0);
  return JSON.stringify(value);
}

function checkJson(value: unknown, place: string, depth: number): void {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return;
  if (typeof value === 'number') {
    if (Number.isFinite(value)) return;
    throw new TypeError(`${at(place)} is ${value}, which JSON can't hold`);
  }
  if (typeof value !== 'object')
    throw new TypeError(`${at(place)} is ${article(typeof value)}, which JSON can't hold`);
  if (depth >= maxDepth)
    throw new TypeError(`The document is deeper than ${maxDepth} levels, or holds itself`);
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) checkJson(value[i], `${place}.${i}`, depth + 1);
    return;
  }
  if (!isPlain(value)) {
    throw new TypeError(`${at(place)} is an instance of a class, which JSON can't hold; keep plain data`);
  }
  for (const [name, member] of Object.entries(value)) {
    if (member !== undefined) checkJson(member, `${place}.${name}`, depth + 1);
  }
}

/** Also for objects that another realm made: only their prototype ends there. */
function isPlain(value: object): boolean {
  const prototype: object | null = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

const at = (place: string) => (place === '' ? 'The document' : `The document's ${place.slice(1)}`);
const article = (type: string) => (type === 'undefined' ? type : `a ${type}`);

/**
 * A value that is kept as JSON text: a member of a `jsonObject` that is written as it is, never parsed. It may stand where
 * the schema has an object of any keys.
 */
export class JsonText {
  readonly [key: string]: unknown;
  constructor(readonly text: string) {}
}
