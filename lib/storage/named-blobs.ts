import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { Blob, BlobInfo, BlobWriteOptions, Storage } from '../interfaces/storage.js';
import { DamagedDocument, StorageFailed, undefinedIfUnknown } from '../model/errors.js';
import type { Collection } from './collection.js';

/** Bytes that lie in the storage, and that no document names yet. Whoever staged them releases them. */
export interface StagedBlob extends BlobInfo {
  readonly id: string;
  open(): Promise<Blob>;
  /** Calls `write`, by which a document names the blob unless it resolves `undefined` or rejects. */
  naming<T>(write: () => Promise<T>): Promise<T>;
  /** Deletes the bytes, unless a document names them by now. */
  release(): Promise<void>;
}

/**
 * Blobs that documents name by an id. A blob never changes: writing the document that names another one is the moment at
 * which the thing changes. One that no document names is deleted, at the next start at the latest.
 */
export interface NamedBlobs {
  /** Resolves `undefined` when it is there no more. */
  open(id: string): Promise<Blob | undefined>;
  /** Takes bytes in. */
  stage(content: Readable, options: Pick<BlobWriteOptions, 'signal' | 'digest'>): Promise<StagedBlob>;
  /** What can't be deleted now goes at the next start. */
  discard(id: string): Promise<void>;
  /** Deletes what a crash left behind. For the start, when nothing is under way. */
  sweep(): Promise<void>;
}

/** `collection`: of the documents that name them. The keys of the blobs begin with its name. */
export function namedBlobs(
  storage: Pick<Storage, 'blobs' | 'problems'>,
  collection: string,
  documents: Pick<Collection<{ readonly id: string }>, 'entries' | 'problems'>,
): NamedBlobs {
  const { blobs } = storage;
  const prefix = `${collection}/`;
  const keyOf = (id: string) => `${prefix}${id}`;
  const discard = async (id: string): Promise<void> => {
    await blobs.delete(keyOf(id)).catch(() => {});
  };

  return {
    open: (id) => blobs.open(keyOf(id)).catch(undefinedIfUnknown),
    discard,

    async stage(content, options) {
      const id = randomUUID();
      const info = await blobs.write(keyOf(id), content, options);
      /** A document names it, or may name it: after a failed write nobody knows. */
      let isNamed = false;
      return {
        ...info,
        id,
        open: () => blobs.open(keyOf(id)),
        async naming(write) {
          const written = await write().catch((error) => {
            if (error instanceof StorageFailed) isNamed = true;
            throw error;
          });
          if (written !== undefined) isNamed = true;
          return written;
        },
        async release() {
          if (!isNamed) await discard(id);
        },
      };
    },

    async sweep() {
      const used = new Set<string>();
      for await (const { value } of documents.entries()) used.add(value.id);
      const isDamaged =
        documents.problems().length > 0 ||
        storage.problems().some((problem) => problem.kind === 'store' || problem.collection === collection);
      // A document that can't be read may be restored, and then its blob must be there.
      if (isDamaged) return;
      const gone: string[] = [];
      for await (const key of blobs.list(prefix)) {
        if (!used.has(key.slice(prefix.length))) gone.push(key);
      }
      for (const key of gone) await blobs.delete(key);
    },
  };
}

/**
 * What `use` makes of a document and its blob; `undefined` says that the blob is there no more. Then another one has
 * taken its place in between, and that is looked for, or the blob is lost: rejects with `DamagedDocument` naming `what`.
 */
export async function ofPresent<Found, T>(
  what: string,
  find: () => Promise<Found>,
  idOf: (found: Found) => string,
  use: (found: Found) => Promise<T | undefined>,
): Promise<T> {
  for (let last: string | undefined; ; ) {
    const found = await find();
    const result = await use(found);
    if (result !== undefined) return result;
    const id = idOf(found);
    if (id === last) throw new DamagedDocument(what);
    last = id;
  }
}
