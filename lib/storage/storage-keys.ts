import { BadRequest } from '../model/errors.js';

// The rules of keys that all storage drivers share (`lib/interfaces/storage.ts`).

/** Bytes of UTF-8. */
export const maxKeyBytes = 512;

/** Whether a key is short enough for all drivers: what has a longer one was never stored. */
export const fitsKey = (key: string): boolean =>
  key.length * 3 <= maxKeyBytes || Buffer.byteLength(key) <= maxKeyBytes;

/** One of several parts of a key, which slashes stand between: names that a host brings may hold some themselves. */
export const keyPart = (name: string): string =>
  /[%/]/.test(name) ? name.replace(/%/g, '%25').replace(/\//g, '%2F') : name;

/** Throws `BadRequest` for a key, or the name of a collection, that no driver takes. */
export function checkKey(key: string, what = 'key'): void {
  if (key === '') throw new BadRequest('NAME_NOT_VALID', `A ${what} may not be empty`);
  if (!fitsKey(key)) {
    throw new BadRequest(
      'NAME_NOT_VALID',
      `A ${what} may have ${maxKeyBytes} bytes of UTF-8 at most; ${shorten(key)} has more`,
    );
  }
  checkPrefix(key, what);
}

/** Throws `BadRequest` for a text that can start no key. */
export function checkPrefix(prefix: string, what = 'prefix'): void {
  // A half of a surrogate pair has no bytes of its own, so two different keys would become one.
  if (!prefix.isWellFormed()) {
    throw new BadRequest(
      'NAME_NOT_VALID',
      `The ${what} ${shorten(prefix)} is not Unicode: it holds half of a character`,
    );
  }
}

/** The order of the UTF-8 bytes, which differs from JavaScript's where characters beyond U+FFFF are compared. */
export function compareKeys(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const left = a.charCodeAt(i);
    const right = b.charCodeAt(i);
    if (left !== right) return codePointRank(left) - codePointRank(right);
  }
  return a.length - b.length;
}

/** Surrogates stand for characters beyond U+FFFF, so they come after U+E000 to U+FFFF. */
const codePointRank = (unit: number) =>
  unit >= 0xe000 ? unit - 0x800 : unit >= 0xd800 ? unit + 0x2000 : unit;

/** How a document is called in errors and in problems. */
export const documentName = (collection: string, key: string): string =>
  `The document ${JSON.stringify(key)} of the collection ${JSON.stringify(collection)}`;

/** How a blob is called in errors and in problems. */
export const blobName = (key: string): string => `The blob ${JSON.stringify(key)}`;

const shorten = (key: string) => JSON.stringify(key.length > 40 ? `${key.slice(0, 40)}...` : key);
