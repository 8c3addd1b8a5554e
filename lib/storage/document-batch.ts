import { jsonText } from '../formats/json-text.js';
import type { DocumentWrite } from '../interfaces/storage.js';
import { BadRequest, PreconditionFailed, TooLarge } from '../model/errors.js';
import { checkKey, documentName } from './storage-keys.js';

// What every storage driver does with a batch before it decides and writes.

/** A write whose keys and value are sound. */
export interface CheckedWrite {
  readonly collection: string;
  readonly key: string;
  readonly ifMatch: DocumentWrite['ifMatch'];
  /** JSON; absent for a delete. */
  readonly text: string | undefined;
}

/** Throws `BadRequest`, `TooLarge` or `TypeError` for a batch that no driver takes. */
export function checkedBatch(
  batch: readonly DocumentWrite[],
  maxDocumentBytes: number,
): readonly CheckedWrite[] {
  const checked = batch.map((write): CheckedWrite => {
    const { collection, key, ifMatch } = write;
    checkKey(collection, 'name of a collection');
    checkKey(key);
    const text = write.op === 'put' ? jsonText(write.value) : undefined;
    if (
      text !== undefined &&
      text.length * 3 > maxDocumentBytes &&
      Buffer.byteLength(text) > maxDocumentBytes
    ) {
      throw new TooLarge(documentName(collection, key), maxDocumentBytes);
    }
    return { collection, key, ifMatch, text };
  });
  if (checked.length > 1) requireDistinct(checked);
  return checked;
}

function requireDistinct(batch: readonly CheckedWrite[]): void {
  const seen = new Set<string>();
  for (const { collection, key } of batch) {
    // Where the one ends and the other begins, whatever they hold.
    const id = `${collection.length} ${collection}${key}`;
    if (seen.has(id)) {
      throw new BadRequest(
        'DUPLICATE_WRITE',
        `${documentName(collection, key)} is written twice in one batch`,
      );
    }
    seen.add(id);
  }
}

/** Throws `PreconditionFailed` unless the etag that is there now (absent: there is no document) is what the write asks for. */
export function requireMatch({ collection, key, ifMatch }: CheckedWrite, etag: string | undefined): void {
  if (ifMatch === undefined || ifMatch === (etag ?? null) || (ifMatch === '*' && etag !== undefined)) return;
  const why =
    etag === undefined
      ? 'does not exist'
      : ifMatch === null
        ? 'exists already'
        : 'was changed since it was read';
  throw new PreconditionFailed(`${documentName(collection, key)} ${why}`, { collection, key });
}
