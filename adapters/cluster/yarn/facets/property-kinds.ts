import { parseAsWritten, WrittenNumber } from '../wire/json.js';

/** What a property takes. The engine makes 0 of a number that is none, and then refuses every change of the plan. */
export interface PropertyKind {
  /** Completes the sentence "expected ...". */
  readonly name: string;
  fits(value: unknown): boolean;
}

/** `''` for what is no single value. */
const plain = (value: unknown): string =>
  typeof value === 'object' || value === undefined ? '' : String(value).trim();

const whole = (name: string, bits: bigint): PropertyKind => ({
  name,
  fits: (value) => {
    const text = plain(value);
    if (!/^[+-]?\d{1,19}$/.test(text)) return false;
    const number = BigInt(text.replace('+', ''));
    return number >= -(1n << (bits - 1n)) && number < 1n << (bits - 1n);
  },
});

const anyNumber: PropertyKind = {
  name: 'a number',
  fits: (value) => plain(value) !== '' && Number.isFinite(Number(plain(value))),
};
const flag: PropertyKind = {
  name: 'true or false',
  fits: (value) => /^(?:true|false)$/i.test(plain(value)),
};
/** Text goes too: the engine turns it into what it needs. */
const structure = (name: string): PropertyKind => ({
  name,
  fits: (value) => typeof value === 'string' || (typeof value === 'object' && value !== null),
});

/** More than 32 bits: whether the property takes those, its value now does not tell. */
export const longNumber = whole('an integer', 64n);

const kinds: Readonly<Record<string, PropertyKind>> = {
  byte: whole('an integer of 8 bits', 8n),
  short: whole('an integer of 16 bits', 16n),
  int: whole('an integer of 32 bits', 32n),
  long: longNumber,
  float: anyNumber,
  double: anyNumber,
  boolean: flag,
};

/** As the description of a class names it: `int`, `java.lang.Integer`; `undefined` for what may take anything. */
export const kindOfType = (type: string): PropertyKind | undefined => {
  const name = type.replace(/^java\.lang\./, '').toLowerCase();
  return kinds[name === 'integer' ? 'int' : name];
};

/** From an answer with values as they are: property name to kind. Values that are null tell nothing. */
export function kindsIn(json: string): ReadonlyMap<string, PropertyKind> {
  const values = parseAsWritten(json);
  const found = new Map<string, PropertyKind>();
  if (typeof values !== 'object' || values === null) return found;
  for (const [name, value] of Object.entries(values)) {
    const kind = kindOfValue(value);
    if (kind) found.set(name, kind);
  }
  return found;
}

function kindOfValue(value: unknown): PropertyKind | undefined {
  // The engine writes `2.0` for one that may have a fraction.
  if (value instanceof WrittenNumber) return /[.eE]/.test(value.text) ? anyNumber : longNumber;
  if (typeof value === 'boolean') return flag;
  if (Array.isArray(value)) return structure('a list');
  return typeof value === 'object' && value !== null ? structure('an object') : undefined;
}
