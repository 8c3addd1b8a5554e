import { ExactNumber, parseExact, writeExact } from '../format/exact-json.js';

/** A property as the API describes it, as far as a form needs it. */
export interface Property {
  readonly name: string;
  readonly type: string;
  readonly canSet?: boolean | undefined;
  readonly uiType?: string | undefined;
  readonly description?: string | undefined;
  readonly values?: readonly string[] | undefined;
  readonly itemType?: { readonly type?: string | undefined } | undefined;
  readonly typeArgs?: readonly { readonly type?: string | undefined }[] | undefined;
  readonly properties?: readonly Property[] | undefined;
}

/** What a property is edited with; `text` takes whatever there is. */
export type FieldKind =
  | 'text'
  | 'integer'
  | 'number'
  | 'boolean'
  | 'choice'
  | 'list'
  | 'group'
  | 'json'
  | 'secret';

export type Values = Readonly<Record<string, unknown>>;

const ofTypes: Readonly<Record<string, FieldKind>> = {
  boolean: 'boolean',
  'java.lang.Boolean': 'boolean',
  integer: 'integer',
  byte: 'integer',
  short: 'integer',
  int: 'integer',
  long: 'integer',
  'java.lang.Byte': 'integer',
  'java.lang.Short': 'integer',
  'java.lang.Integer': 'integer',
  'java.lang.Long': 'integer',
  'java.math.BigInteger': 'integer',
  number: 'number',
  float: 'number',
  double: 'number',
  'java.lang.Float': 'number',
  'java.lang.Double': 'number',
  'java.math.BigDecimal': 'number',
  array: 'list',
  object: 'json',
  'java.util.Map': 'json',
};

const texts: ReadonlySet<string> = new Set(['string', 'char', 'java.lang.String', 'java.lang.Character']);

const secretNames = /password|passphrase|secret|token|credential|api-?key|access-?key/i;

export const isSecret = ({ name }: Pick<Property, 'name'>): boolean => secretNames.test(name);

/** Where the value that is there does not fit the kind, it is edited as text: nothing is lost by looking at it. */
export function kindOf(property: Property, value: unknown): FieldKind {
  if (property.properties?.length && (value === undefined || isRecord(value))) return 'group';
  if (isSecret(property) && (value === undefined || typeof value === 'string')) return 'secret';
  const kind = describedKind(property);
  return value === undefined || fits(kind, value) ? kind : fallbackFor(value);
}

function describedKind({ type, uiType, values, itemType, typeArgs }: Property): FieldKind {
  if (values?.length) return 'choice';
  if (uiType === 'Map') return 'json';
  const isList = uiType === 'List' || type === 'array' || type.endsWith('[]');
  const item = itemType?.type ?? typeArgs?.[0]?.type;
  if (isList) return item === undefined || texts.has(item) ? 'list' : 'json';
  return ofTypes[type] ?? 'text';
}

const fallbackFor = (value: unknown): FieldKind =>
  value !== null && typeof value === 'object' && !(value instanceof ExactNumber) ? 'json' : 'text';

/** Text stands for itself, and for a number or a truth that was written as text, as properties of launches are. */
function fits(kind: FieldKind, value: unknown): boolean {
  switch (kind) {
    case 'integer':
    case 'number':
      return parsedNumber(kind, textOf(value)) !== undefined;
    case 'boolean':
      return ['true', 'false'].includes(textOf(value));
    case 'list':
      return Array.isArray(value) && value.every((item) => typeof item === 'string');
    case 'json':
      return typeof value !== 'string';
    case 'choice':
    case 'secret':
      return typeof value === 'string';
    case 'group':
      return isRecord(value);
    case 'text':
      return fallbackFor(value) === 'text';
  }
}

/** As it stands in a field. */
export function textOf(value: unknown): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : writeExact(value);
}

const number = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
const integer = /^[+-]?\d+$/;

function parsedNumber(kind: 'integer' | 'number', text: string): unknown {
  if (!(kind === 'integer' ? integer : number).test(text)) return undefined;
  const parsed = Number(text);
  if (kind === 'integer')
    return Number.isSafeInteger(parsed)
      ? parsed
      : new ExactNumber(text.replace(/^\+/, '').replace(/^(-?)0+(?=\d)/, '$1'));
  return Number.isFinite(parsed) ? parsed : undefined;
}

export type Parsed = { readonly ok: true; readonly value: unknown } | { readonly ok: false };

/** What a field's text says; `before` tells a text that was a number from one that was text. */
export function parsed(kind: FieldKind, text: string, before: unknown): Parsed {
  switch (kind) {
    case 'integer':
    case 'number': {
      const value = parsedNumber(kind, text.trim());
      return value === undefined ? { ok: false } : { ok: true, value };
    }
    case 'boolean':
      return { ok: true, value: text === 'true' };
    case 'json':
      return json(text);
    case 'text': {
      if (before === undefined || typeof before === 'string') return { ok: true, value: text };
      const found = json(text);
      return found.ok ? found : { ok: true, value: text };
    }
    default:
      return { ok: true, value: text };
  }
}

function json(text: string): Parsed {
  try {
    return { ok: true, value: parseExact(text) };
  } catch {
    return { ok: false };
  }
}

export const isRecord = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber);

/** Markers of engines among the properties, which nobody edits. */
const markers: ReadonlySet<string> = new Set(['class', '@class', 'name']);

/** Those that are described, then what else has a value: it is there, so it can be seen and edited. */
export function withUndescribed(properties: readonly Property[], values: Values): readonly Property[] {
  const described = new Set(properties.map(({ name }) => name));
  const others = Object.keys(values).filter((name) => !described.has(name) && !markers.has(name));
  return [...properties, ...others.map((name) => ({ name, type: 'any', canSet: true }))];
}

/** Those whose name, or text, has what is searched. */
export function matching(properties: readonly Property[], term: string): readonly Property[] {
  const wanted = term.trim().toLowerCase();
  if (wanted === '') return properties;
  return properties.filter(({ name, description = '' }) =>
    [name, description].some((text) => text.toLowerCase().includes(wanted)),
  );
}

/** What has been edited, and differs from what there is: name to value. `undefined` takes a value away. */
export function changesIn(values: Values, edits: Values): Values {
  const differs = ([name, value]: readonly [string, unknown]) => textOf(value) !== textOf(values[name]);
  return Object.fromEntries(Object.entries(edits).filter(differs));
}
