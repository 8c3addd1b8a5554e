import { BrokenClass } from './broken-class.js';

/** The constants of a class file (JVM specification 4.4), decoded when they are asked for. */
export interface ConstantPool {
  /** Where the pool ends and the rest of the class begins. */
  readonly end: number;
  /** An `Utf8` constant. */
  text(index: number): string;
  /** The name that a `Class` constant holds, with dots; `undefined` for index 0. */
  className(index: number): string | undefined;
  /** An `Integer`, `Float`, `Long` or `Double`. A long that a double can't hold is rounded. */
  number(index: number): number;
  /** A number, a text or a long as it is; `undefined` for a constant of another kind. */
  loaded(index: number): number | string | bigint | undefined;
  /** A `Fieldref`, a `Methodref` or an `InterfaceMethodref`, or what an `InvokeDynamic` is called as. */
  member(index: number): MemberRef;
}

export interface MemberRef {
  /** With dots; of an `InvokeDynamic` empty. */
  readonly owner: string;
  readonly name: string;
  readonly descriptor: string;
}

const tags = {
  utf8: 1,
  integer: 3,
  float: 4,
  long: 5,
  double: 6,
  class: 7,
  string: 8,
  nameAndType: 12,
  dynamic: 18,
};

/** Bytes of a constant with its tag, by tag; of texts without what their length tells. */
const constantBytes: Readonly<Record<number, number>> = {
  [tags.utf8]: 3,
  [tags.integer]: 5,
  [tags.float]: 5,
  [tags.long]: 9,
  [tags.double]: 9,
  [tags.class]: 3,
  8: 3,
  9: 5,
  10: 5,
  11: 5,
  12: 5,
  15: 4,
  16: 3,
  17: 5,
  18: 5,
  19: 3,
  20: 3,
};

/** `bytes` is a whole class file. Throws `BrokenClass`. */
export function readConstantPool(bytes: Buffer): ConstantPool {
  const count = bytes.readUInt16BE(8);
  const offsets = new Uint32Array(count);
  let at = 10;
  for (let index = 1; index < count; index++) {
    const tag = bytes.readUInt8(at);
    const size = constantBytes[tag];
    if (size === undefined) throw new BrokenClass(`it has a constant of the unknown kind ${tag}`);
    offsets[index] = at;
    at += tag === tags.utf8 ? size + bytes.readUInt16BE(at + 1) : size;
    // JVM specification 4.4.5: these take two places.
    if (tag === tags.long || tag === tags.double) index++;
  }
  if (at > bytes.length) throw new BrokenClass('it ends in the middle of its constants');

  function offsetOf(index: number, tag: number): number {
    const offset = offsets[index];
    if (!offset || bytes[offset] !== tag) {
      throw new BrokenClass(`constant ${index} is not of the kind ${tag}`);
    }
    return offset + 1;
  }

  function text(index: number): string {
    const offset = offsetOf(index, tags.utf8);
    return decodeText(bytes.subarray(offset + 2, offset + 2 + bytes.readUInt16BE(offset)));
  }

  const className = (index: number) =>
    index === 0 ? undefined : dotted(text(bytes.readUInt16BE(offsetOf(index, tags.class))));

  return {
    end: at,
    text,
    className,
    loaded(index) {
      const offset = offsets[index] ?? 0;
      switch (bytes[offset]) {
        case tags.integer:
          return bytes.readInt32BE(offset + 1);
        case tags.float:
          return bytes.readFloatBE(offset + 1);
        case tags.long:
          return bytes.readBigInt64BE(offset + 1);
        case tags.double:
          return bytes.readDoubleBE(offset + 1);
        case tags.string:
          return text(bytes.readUInt16BE(offset + 1));
        default:
          return undefined;
      }
    },
    member(index) {
      const offset = offsets[index] ?? 0;
      const tag = bytes[offset] ?? 0;
      if ((tag < 9 || tag > 11) && tag !== tags.dynamic) {
        throw new BrokenClass(`constant ${index} is no member`);
      }
      const named = offsetOf(bytes.readUInt16BE(offset + 3), tags.nameAndType);
      return {
        owner: tag === tags.dynamic ? '' : (className(bytes.readUInt16BE(offset + 1)) ?? ''),
        name: text(bytes.readUInt16BE(named)),
        descriptor: text(bytes.readUInt16BE(named + 2)),
      };
    },
    number(index) {
      const offset = offsets[index] ?? 0;
      const tag = bytes[offset];
      if (offset > 0 && tag === tags.integer) return bytes.readInt32BE(offset + 1);
      if (offset > 0 && tag === tags.float) return bytes.readFloatBE(offset + 1);
      if (offset > 0 && tag === tags.long) return Number(bytes.readBigInt64BE(offset + 1));
      if (offset > 0 && tag === tags.double) return bytes.readDoubleBE(offset + 1);
      throw new BrokenClass(`constant ${index} is not a number`);
    },
  };
}

export const dotted = (name: string): string => name.replaceAll('/', '.');

/** Modified UTF-8 (JVM specification 4.4.7): NUL has two bytes, and a character beyond 16 bits is two of three bytes each. */
function decodeText(bytes: Buffer): string {
  let isPlain = true;
  for (const byte of bytes) {
    if (byte === 0xc0 || byte === 0xed) return decodeModified(bytes);
    if (byte >= 0x80) isPlain = false;
  }
  return bytes.toString(isPlain ? 'latin1' : 'utf8');
}

function decodeModified(bytes: Buffer): string {
  const units: string[] = [];
  const low = (at: number) => (bytes[at] ?? 0) & 0x3f;
  for (let at = 0; at < bytes.length; ) {
    const first = bytes[at] ?? 0;
    const length = first < 0x80 ? 1 : first < 0xe0 ? 2 : 3;
    const unit =
      length === 1
        ? first
        : length === 2
          ? ((first & 0x1f) << 6) | low(at + 1)
          : ((first & 0x0f) << 12) | (low(at + 1) << 6) | low(at + 2);
    units.push(String.fromCharCode(unit));
    at += length;
  }
  return units.join('');
}
