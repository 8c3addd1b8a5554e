import { quotedEtag } from '../../core/conditional.js';

/** With the digest of the archive that it was read from. */
export interface Tagged<T> {
  readonly value: T;
  readonly digest: string;
}

interface Answering {
  readonly setHeader: (name: string, value: string) => void;
}

export function tagged<T>(call: Answering, { value, digest }: Tagged<T>): T {
  sayDigest(call, digest);
  return value;
}

export const sayDigest = (call: Answering, digest: string): void =>
  call.setHeader('etag', quotedEtag(digest));
