import { crc32 } from 'node:zlib';

// How documents and the index of blobs lie in LevelDB. The first letter of a record tells its kind; the length before
// the name of a collection keeps collections apart whatever their names hold, and leaves the byte order of the keys.

/** The name of a record: text, for LevelDB reads and writes it faster than bytes, in the same order. */
export const documentRecord = (collection: string, key: string): string => documentsOf(collection) + key;

export const blobRecord = (key: string): string => `b${key}`;

/** Tells the format of everything else. */
export const formatRecord = 'format';

/** The records of a collection whose keys start with `prefix`. */
export const documentRange = (collection: string, prefix: string): Range =>
  startingWith(documentsOf(collection) + prefix);

export const blobRange = (prefix: string): Range => startingWith(blobRecord(prefix));

/** How many characters stand before the keys in `documentRecord`. */
export const beforeKeys = (collection: string): number => documentsOf(collection).length;

export const keyOfBlob = (record: string): string => record.slice(1);

export interface Range {
  readonly gte: string;
  readonly lt: string;
}

const documentsOf = (collection: string) =>
  `d${Buffer.byteLength(collection).toString(16).padStart(3, '0')}${collection}`;

/** Up to the prefix with its last character raised by one; the letter of the kind can always be raised. */
function startingWith(prefix: string): Range {
  const characters = [...prefix];
  for (let last = characters.pop(); last !== undefined; last = characters.pop()) {
    const code = last.codePointAt(0) ?? 0;
    if (code === 0x10ffff) continue;
    // Halves of surrogate pairs are no characters.
    const raised = String.fromCodePoint(code === 0xd7ff ? 0xe000 : code + 1);
    return { gte: prefix, lt: characters.join('') + raised };
  }
  throw new RangeError('A range of records starts with a kind');
}

/**
 * A value with a checksum over its record's name and itself. LevelDB checks its blocks only in its paranoid mode,
 * which can't be turned on here; and a checksum of our own names the one document that is hurt.
 */
export const sealed = (record: string, body: string): string =>
  `${checksum(record, body).toString(16).padStart(8, '0')} ${body}`;

/** The value that was sealed, `undefined` when it is not what was written. */
export function unsealed(record: string, value: string): string | undefined {
  const body = value.slice(9);
  return Number.parseInt(value.slice(0, 8), 16) === checksum(record, body) ? body : undefined;
}

/** Over both as one text: each call of it costs more than what it reads. */
const checksum = (record: string, body: string) => crc32(record + body);
