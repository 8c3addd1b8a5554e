import type { DeclaredProperty } from '../views/operator-class.js';

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

/**
 * What the engine has no way to make of a text: it writes such an order down before it fails at it, and fails again
 * when the application's master starts anew.
 */
const unsettable = (why: string): PropertyKind => ({ name: `no value: ${why}`, fits: () => false });
const parts = (of: string) =>
  unsettable(`the engine can't set ${of} of a running operator as a whole, only parts of it`);
const ofEnum = unsettable("the engine can't set an enum of a running operator");

const kinds: Readonly<Record<string, PropertyKind>> = {
  byte: whole('an integer of 8 bits', 8n),
  short: whole('an integer of 16 bits', 16n),
  int: whole('an integer of 32 bits', 32n),
  long: whole('an integer', 64n),
  float: anyNumber,
  double: anyNumber,
  boolean: flag,
};

const simpleName = (type: string): string => type.replace(/^java\.lang\./, '');

/** As the description of a class names it: `int`, `java.lang.Integer`. */
function kindOfType(type: string): PropertyKind | undefined {
  const name = simpleName(type).toLowerCase();
  return kinds[name === 'integer' ? 'int' : name];
}

/** The engine makes these of a text, beside numbers and flags. */
const convertible =
  /^(?:java\.lang\.(?:String|Object|CharSequence|Comparable|Character|Class|Number)|java\.math\.Big(?:Integer|Decimal)|java\.io\.(?:File|Serializable)|java\.net\.UR[IL]|java\.sql\.(?:Date|Time|Timestamp)|\w+)$/;

/** `undefined` for what may take anything. */
export function kindOfDeclared({ type, uiType, itemType }: DeclaredProperty): PropertyKind | undefined {
  const kind = kindOfType(type);
  if (kind) return kind;
  if (uiType === 'Enum') return ofEnum;
  if (uiType === 'List') return parts('a list');
  if (uiType === 'Map') return parts('a map');
  if (type === '' || itemType !== undefined || type.includes('[')) return undefined;
  return convertible.test(type) ? undefined : parts(`an object of the class ${type}`);
}

/**
 * What a value tells, as the master has it: numbers as text. Where that may stand for several kinds it is the one that
 * does no harm. `undefined` for what may take anything.
 */
export function kindOfRecorded(value: unknown): PropertyKind | undefined {
  if (typeof value === 'boolean') return flag;
  if (Array.isArray(value)) return parts('a list');
  if (typeof value === 'object' && value !== null) return parts('an object');
  const text = plain(value);
  if (/^[+-]?\d{1,19}$/.test(text)) return kinds['long'];
  if (anyNumber.fits(text)) return anyNumber;
  if (text === 'null' || value === null) return unsettable('nobody can tell what it takes');
  // As names of an enum are written.
  return /^[A-Z][A-Z0-9_]*$/.test(text) ? ofEnum : undefined;
}

/** Whether each value of it can be sent by Java's serialization: no class of its own is among them. */
export const isSerializable = ({ type, uiType }: DeclaredProperty): boolean =>
  uiType === 'Enum' ||
  /^(?:byte|short|int(?:eger)?|long|float|double|boolean|char(?:acter)?|string)$/i.test(simpleName(type));
