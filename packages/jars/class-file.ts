import { type AnnotationValues, readAnnotations } from './annotations.js';
import { BrokenClass } from './broken-class.js';
import { type ConstantPool, readConstantPool } from './constant-pool.js';

/** What a class file tells of its class (JVM specification 4). */
export interface ClassFile {
  /** `com.example.Outer$Inner`. */
  readonly name: string;
  readonly flags: number;
  /** Absent only for `java.lang.Object` and modules. */
  readonly superName: string | undefined;
  readonly interfaces: readonly string[];
  /** Generic: type parameters, superclass, interfaces. */
  readonly signature: string | undefined;
  /** By the names of their types. */
  readonly annotations: ReadonlyMap<string, AnnotationValues>;
  readonly fields: readonly Member[];
  readonly methods: readonly Member[];
  /** Of its code; absent for what was not read from a class file. */
  readonly pool?: ConstantPool;
}

export interface Member {
  readonly name: string;
  readonly flags: number;
  /** `(Ljava/lang/String;)V`. */
  readonly descriptor: string;
  readonly signature: string | undefined;
  /** Of fields only. */
  readonly annotations: ReadonlyMap<string, AnnotationValues>;
  /** Of methods only, and not of abstract ones. */
  readonly code?: Code;
}

export interface Code {
  readonly bytes: Buffer;
  readonly catches: boolean;
}

export const flag = {
  public: 0x0001,
  static: 0x0008,
  interface: 0x0200,
  abstract: 0x0400,
  synthetic: 0x1000,
  enum: 0x4000,
};

export const has = ({ flags }: { readonly flags: number }, mask: number): boolean => (flags & mask) !== 0;

const magic = 0xcafebabe;

/** Of Java 25. */
const newestVersion = 69;

/** Throws `BrokenClass`, also for a class that is newer than what is known here. */
export function parseClassFile(bytes: Buffer): ClassFile {
  try {
    return parse(bytes);
  } catch (error) {
    if (error instanceof RangeError) throw new BrokenClass('it ends too early');
    throw error;
  }
}

function parse(bytes: Buffer): ClassFile {
  if (bytes.length < 10 || bytes.readUInt32BE(0) !== magic) throw new BrokenClass('it is not a class file');
  const version = bytes.readUInt16BE(6);
  if (version > newestVersion) {
    throw new BrokenClass(
      `it was compiled for Java ${version - 44}; classes up to Java ${newestVersion - 44} can be read`,
    );
  }
  const pool = readConstantPool(bytes);
  let at = pool.end;
  const next = () => {
    at += 2;
    return bytes.readUInt16BE(at - 2);
  };

  const flags = next();
  const name = pool.className(next());
  const superName = pool.className(next());
  const interfaces: string[] = [];
  for (let left = next(); left > 0; left--) interfaces.push(pool.className(next()) ?? '');
  const members = (withAnnotations: boolean): Member[] => {
    const found: Member[] = [];
    for (let left = next(); left > 0; left--) {
      const [flags, name, descriptor] = [next(), pool.text(next()), pool.text(next())];
      const { end, ...attributes } = readAttributes(bytes, at, pool, withAnnotations);
      at = end;
      found.push({ name, flags, descriptor, ...attributes });
    }
    return found;
  };
  const fields = members(true);
  const methods = members(false);
  const { signature, annotations } = readAttributes(bytes, at, pool, true);
  if (name === undefined) throw new BrokenClass('it has no name');
  return { name, flags, superName, interfaces, signature, annotations, fields, methods, pool };
}

const none: ReadonlyMap<string, AnnotationValues> = new Map();

/** Of a class, a field or a method, beginning with their count. Everything else is passed over. */
function readAttributes(bytes: Buffer, start: number, pool: ConstantPool, withAnnotations: boolean) {
  let signature: string | undefined;
  let annotations = none;
  let code: Code | undefined;
  let at = start + 2;
  for (let left = bytes.readUInt16BE(start); left > 0; left--) {
    const name = pool.text(bytes.readUInt16BE(at));
    const from = at + 6;
    const end = from + bytes.readUInt32BE(at + 2);
    if (end > bytes.length) throw new BrokenClass(`its attribute ${name} reaches over its end`);
    if (name === 'Signature') signature = pool.text(bytes.readUInt16BE(from));
    if (name === 'Code') code = readCode(bytes.subarray(from, end));
    if (withAnnotations && name === 'RuntimeVisibleAnnotations') {
      annotations = readAnnotations(bytes.subarray(from, end), pool);
    }
    at = end;
  }
  return { signature, annotations, ...(code ? { code } : {}), end: at };
}

function readCode(attribute: Buffer): Code {
  const end = 8 + attribute.readUInt32BE(4);
  return { bytes: attribute.subarray(8, end), catches: attribute.readUInt16BE(end) > 0 };
}
