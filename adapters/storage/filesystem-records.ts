import { crc32 } from 'node:zlib';

// How documents and the index of blobs lie in LevelDB. The first byte of a key tells the kind; the length before
// the collection keeps collections apart whatever their names hold, and leaves the byte order of the keys alone.

export const documentKey = (collection: string, key: string): Buffer =>
  Buffer.concat([documentsOf(collection), Buffer.from(key)]);

export const blobKey = (key: string): Buffer => Buffer.from(`b${key}`);

/** Tells the format of everything else. */
export const formatKey: Buffer = Buffer.from('format');

/** The records of a collection whose keys start with `prefix`. */
export const documentRange = (collection: string, prefix: string): Range =>
  startingWith(Buffer.concat([documentsOf(collection), Buffer.from(prefix)]));

export const blobRange = (prefix: string): Range => startingWith(blobKey(prefix));

export const keyOfDocument = (collection: string, record: Buffer): string =>
  record.toString('utf8', documentsOf(collection).length);

export const keyOfBlob = (record: Buffer): string => record.toString('utf8', 1);

export interface Range {
  readonly gte: Buffer;
  readonly lt: Buffer;
}

function documentsOf(collection: string): Buffer {
  const name = Buffer.from(collection);
  const head = Buffer.from([0x64, name.length >> 8, name.length & 0xff]);
  return Buffer.concat([head, name]);
}

/** 0xff occurs in no UTF-8, and the kind before it is smaller, so there is always a byte to raise. */
function startingWith(prefix: Buffer): Range {
  const lt = Buffer.from(prefix);
  for (let last = lt.length - 1; last >= 0; last--) {
    const byte = lt[last] ?? 0;
    if (byte === 0xff) continue;
    lt[last] = byte + 1;
    return { gte: prefix, lt: lt.subarray(0, last + 1) };
  }
  return { gte: prefix, lt };
}

/**
 * A value with a checksum over its key and itself. LevelDB checks its blocks only when it compacts them in paranoid
 * mode, which can't be turned on here; and a checksum of our own names the one document that is hurt.
 */
export const sealed = (record: Buffer, body: string): string => `${checksum(record, body)} ${body}`;

/** The value that was sealed, `undefined` when it is not what was written. */
export function unsealed(record: Buffer, value: string): string | undefined {
  const body = value.slice(9);
  return value === sealed(record, body) ? body : undefined;
}

const checksum = (record: Buffer, body: string) => crc32(body, crc32(record)).toString(16).padStart(8, '0');
