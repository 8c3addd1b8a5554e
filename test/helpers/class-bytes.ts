import { type EntrySpec, zipBytes } from './zip-bytes.js';

// Writes class files constant by constant, so that tests need no compiler. Knows nothing of the code under test.

export interface ClassSpec {
  /** With dots and `$`. */
  readonly name: string;
  /** Default `java.lang.Object`; `null`: none. */
  readonly extends?: string | null;
  readonly implements?: readonly string[];
  /** Default public. */
  readonly flags?: number;
  readonly signature?: string;
  readonly annotations?: readonly AnnotationSpec[];
  readonly fields?: readonly MemberSpec[];
  /** A public constructor without arguments is added, unless one is there. */
  readonly methods?: readonly MemberSpec[];
  /** Default 52, Java 8. */
  readonly version?: number;
}

export interface MemberSpec {
  readonly name: string;
  readonly descriptor: string;
  /** Default public. */
  readonly flags?: number;
  readonly signature?: string;
  readonly annotations?: readonly AnnotationSpec[];
  /** Of a method. */
  readonly code?: (constants: CodeConstants) => readonly number[];
  /** It has a handler of exceptions. */
  readonly catches?: boolean;
}

/** Places of constants, in two bytes each. */
export interface CodeConstants {
  string(value: string): readonly [number, number];
  float(value: number): readonly [number, number];
  long(value: bigint): readonly [number, number];
  class(name: string): readonly [number, number];
  field(owner: string, name: string, descriptor: string): readonly [number, number];
  method(owner: string, name: string, descriptor: string): readonly [number, number];
}

export interface AnnotationSpec {
  readonly type: string;
  readonly values?: Readonly<Record<string, ValueSpec>>;
}

export type ValueSpec =
  | string
  | boolean
  | { readonly int: number }
  | { readonly long: bigint }
  | { readonly double: number }
  | { readonly char: string }
  | { readonly enum: readonly [type: string, name: string] }
  | { readonly class: string }
  | { readonly annotation: AnnotationSpec }
  | readonly ValueSpec[];

export const flags = {
  public: 0x0001,
  private: 0x0002,
  static: 0x0008,
  interface: 0x0200,
  abstract: 0x0400,
  enum: 0x4000,
};

const slashed = (name: string) => name.replaceAll('.', '/');

export const descriptorOf = (name: string): string => `L${slashed(name)};`;

/** `getX` and `setX`. */
export const accessors = (name: string, type: string, signature = type): MemberSpec[] => {
  const capital = name.charAt(0).toUpperCase() + name.slice(1);
  return [
    { name: `get${capital}`, descriptor: `()${type}`, signature: `()${signature}` },
    { name: `set${capital}`, descriptor: `(${type})V`, signature: `(${signature})V` },
  ];
};

export function classBytes(spec: ClassSpec): Buffer {
  const pool = constantPool();
  const methods = spec.methods ?? [];
  const plainConstructor: MemberSpec = { name: '<init>', descriptor: '()V' };
  const hasConstructor = methods.some(({ name }) => name === '<init>');
  const body = Buffer.concat([
    u2(spec.flags ?? flags.public),
    u2(pool.class(spec.name)),
    u2(spec.extends === null ? 0 : pool.class(spec.extends ?? 'java.lang.Object')),
    list((spec.implements ?? []).map((name) => u2(pool.class(name)))),
    list((spec.fields ?? []).map((field) => member(field, pool))),
    list((hasConstructor ? methods : [plainConstructor, ...methods]).map((method) => member(method, pool))),
    attributes(spec, pool),
  ]);
  return Buffer.concat([u4(0xcafebabe), u2(0), u2(spec.version ?? 52), pool.bytes(), body]);
}

/** A jar of these classes, each under its name, and of other files. */
export const jarOf = (classes: readonly ClassSpec[], more: readonly EntrySpec[] = []): Buffer =>
  zipBytes({
    entries: [
      ...classes.map((spec) => ({ name: `${slashed(spec.name)}.class`, content: classBytes(spec) })),
      ...more,
    ],
  });

type Pool = ReturnType<typeof constantPool>;

function member(spec: MemberSpec, pool: Pool): Buffer {
  return Buffer.concat([
    u2(spec.flags ?? flags.public),
    u2(pool.text(spec.name)),
    u2(pool.text(spec.descriptor)),
    attributes(spec, pool),
  ]);
}

function attributes(
  { signature, annotations, code, catches = false }: Omit<MemberSpec, 'name' | 'descriptor'>,
  pool: Pool,
) {
  const attribute = (name: string, content: Buffer) =>
    Buffer.concat([u2(pool.text(name)), u4(content.length), content]);
  return list([
    attribute('Unknown', Buffer.from('passed over')),
    ...(code ? [attribute('Code', codeBytes(code(codeConstants(pool)), catches))] : []),
    ...(signature === undefined ? [] : [attribute('Signature', u2(pool.text(signature)))]),
    ...(annotations === undefined
      ? []
      : [
          attribute(
            'RuntimeVisibleAnnotations',
            list(annotations.map((annotation) => annotationBytes(annotation, pool))),
          ),
        ]),
  ]);
}

function codeBytes(code: readonly number[], catches: boolean): Buffer {
  const handlers = catches ? [Buffer.alloc(8)] : [];
  return Buffer.concat([u2(8), u2(8), u4(code.length), Buffer.from(code), list(handlers), u2(0)]);
}

function codeConstants(pool: Pool): CodeConstants {
  const two = (index: number) => [index >> 8, index & 0xff] as const;
  return {
    string: (value) => two(pool.string(value)),
    float: (value) => two(pool.float(value)),
    long: (value) => two(pool.long(value)),
    class: (name) => two(pool.class(name)),
    field: (...member) => two(pool.member(9, ...member)),
    method: (...member) => two(pool.member(10, ...member)),
  };
}

const annotationBytes = ({ type, values = {} }: AnnotationSpec, pool: Pool): Buffer =>
  Buffer.concat([
    u2(pool.text(descriptorOf(type))),
    list(
      Object.entries(values).map(([name, value]) =>
        Buffer.concat([u2(pool.text(name)), valueBytes(value, pool)]),
      ),
    ),
  ]);

function valueBytes(value: ValueSpec, pool: Pool): Buffer {
  const tagged = (tag: string, ...content: Buffer[]) => Buffer.concat([Buffer.from(tag), ...content]);
  if (typeof value === 'string') return tagged('s', u2(pool.text(value)));
  if (typeof value === 'boolean') return tagged('Z', u2(pool.int(value ? 1 : 0)));
  if (Array.isArray(value)) return tagged('[', list(value.map((item) => valueBytes(item, pool))));
  if ('int' in value) return tagged('I', u2(pool.int(value.int)));
  if ('long' in value) return tagged('J', u2(pool.long(value.long)));
  if ('double' in value) return tagged('D', u2(pool.double(value.double)));
  if ('char' in value) return tagged('C', u2(pool.int(value.char.charCodeAt(0))));
  if ('class' in value) return tagged('c', u2(pool.text(descriptorOf(value.class))));
  if ('annotation' in value) return tagged('@', annotationBytes(value.annotation, pool));
  if ('enum' in value)
    return tagged('e', u2(pool.text(descriptorOf(value.enum[0]))), u2(pool.text(value.enum[1])));
  throw new TypeError('unknown value');
}

function constantPool() {
  const constants: Buffer[] = [];
  const known = new Map<string, number>();
  let next = 1;
  const add = (content: Buffer, places = 1): number => {
    const key = content.toString('latin1');
    const before = known.get(key);
    if (before !== undefined) return before;
    constants.push(content);
    known.set(key, next);
    next += places;
    return next - places;
  };
  const text = (value: string) => {
    const bytes = modifiedUtf8(value);
    return add(Buffer.concat([Buffer.from([1]), u2(bytes.length), bytes]));
  };
  const number = (tag: number, bytes: number, write: (buffer: Buffer) => void, places: number) => {
    const buffer = Buffer.alloc(bytes);
    write(buffer);
    return add(Buffer.concat([Buffer.from([tag]), buffer]), places);
  };
  return {
    text,
    class: (name: string) => add(Buffer.concat([Buffer.from([7]), u2(text(slashed(name)))])),
    string: (value: string) => add(Buffer.concat([Buffer.from([8]), u2(text(value))])),
    float: (value: number) => number(4, 4, (buffer) => buffer.writeFloatBE(value), 1),
    member(tag: number, owner: string, name: string, descriptor: string) {
      const named = add(Buffer.concat([Buffer.from([12]), u2(text(name)), u2(text(descriptor))]));
      const type = add(Buffer.concat([Buffer.from([7]), u2(text(slashed(owner)))]));
      return add(Buffer.concat([Buffer.from([tag]), u2(type), u2(named)]));
    },
    int: (value: number) => number(3, 4, (buffer) => buffer.writeInt32BE(value), 1),
    long: (value: bigint) => number(5, 8, (buffer) => buffer.writeBigInt64BE(value), 2),
    double: (value: number) => number(6, 8, (buffer) => buffer.writeDoubleBE(value), 2),
    bytes: () => Buffer.concat([u2(next), ...constants]),
  };
}

/** JVM specification 4.4.7: each unit of UTF-16 by itself, and NUL in two bytes. */
function modifiedUtf8(text: string): Buffer {
  const bytes: number[] = [];
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit > 0 && unit < 0x80) bytes.push(unit);
    else if (unit < 0x800) bytes.push(0xc0 | (unit >> 6), 0x80 | (unit & 0x3f));
    else bytes.push(0xe0 | (unit >> 12), 0x80 | ((unit >> 6) & 0x3f), 0x80 | (unit & 0x3f));
  }
  return Buffer.from(bytes);
}

const list = (items: readonly Buffer[]): Buffer => Buffer.concat([u2(items.length), ...items]);

function u2(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
}

function u4(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
