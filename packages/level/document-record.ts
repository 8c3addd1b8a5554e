import { randomBytes } from 'node:crypto';
import type { CheckedWrite, StoredDocument } from 'headgate/driver-kit';
import type { Operation } from './database.js';
import { documentRecord, sealed, unsealed } from './records.js';

// A document's record is its etag, a space and its JSON text, sealed.

/** The document of a record, or what is wrong with it. */
export function documentOf(record: string, value: string): StoredDocument | Error {
  const body = unsealed(record, value);
  if (body === undefined) return new Error('the checksum does not fit');
  const space = body.indexOf(' ');
  try {
    return { value: JSON.parse(body.slice(space + 1)), etag: body.slice(0, space) };
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** Each is given once for good, also over restarts. */
export function etags(): () => string {
  const boot = randomBytes(6).toString('base64url');
  let writes = 0;
  return () => `${boot}.${(++writes).toString(36)}`;
}

interface PreparedWrite {
  readonly write: CheckedWrite;
  /** Of the record. */
  readonly key: string;
  /** That it will have; absent for one that is deleted. */
  readonly etag: string | undefined;
  readonly operation: Operation;
}

export function prepared(write: CheckedWrite, newEtag: () => string): PreparedWrite {
  const key = documentRecord(write.collection, write.key);
  if (write.text === undefined) return { write, key, etag: undefined, operation: { type: 'del', key } };
  const etag = newEtag();
  return { write, key, etag, operation: { type: 'put', key, value: sealed(key, `${etag} ${write.text}`) } };
}
