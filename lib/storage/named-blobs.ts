import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { Blob, BlobInfo, BlobStore, BlobWriteOptions } from '../interfaces/storage.js';
import { StorageFailed, undefinedIfUnknown } from '../model/errors.js';

/** Bytes that lie in the storage, and that no document names yet. */
export interface StagedBlob extends BlobInfo {
  readonly id: string;
}

/**
 * Blobs that documents name by an id. A blob never changes: writing the document that names another one is the moment at
 * which the thing changes. One that no document names is deleted, at the next start at the latest.
 */
export interface NamedBlobs {
  /** Resolves `undefined` when it is there no more. */
  open(id: string): Promise<Blob | undefined>;
  openStaged(id: string): Promise<Blob>;
  /** Takes bytes in. They are deleted when `use` settles, unless a document names them by then. */
  staging<T>(
    content: Readable,
    options: Pick<BlobWriteOptions, 'signal' | 'digest'>,
    use: (staged: StagedBlob) => Promise<T>,
  ): Promise<T>;
  /** Calls `write`, by which a document names a staged blob unless it resolves `undefined` or rejects. */
  naming<T>(id: string, write: () => Promise<T>): Promise<T>;
  /** What can't be deleted now goes at the next start. */
  discard(id: string): Promise<void>;
  /** Deletes what a crash left behind. For the start, when nothing is under way. */
  sweep(used: ReadonlySet<string>): Promise<void>;
}

/** `prefix`: of their keys in the storage; it ends in a slash. */
export function namedBlobs(blobs: BlobStore, prefix: string): NamedBlobs {
  const keyOf = (id: string) => `${prefix}${id}`;
  /** Staged blobs that a document names, or may name: after a failed write nobody knows. */
  const named = new Set<string>();

  const discard = async (id: string): Promise<void> => {
    await blobs.delete(keyOf(id)).catch(() => {});
  };

  return {
    open: (id) => blobs.open(keyOf(id)).catch(undefinedIfUnknown),
    openStaged: (id) => blobs.open(keyOf(id)),
    discard,

    async staging(content, options, use) {
      const id = randomUUID();
      const info = await blobs.write(keyOf(id), content, options);
      try {
        return await use({ ...info, id });
      } finally {
        if (!named.has(id)) await discard(id);
        named.delete(id);
      }
    },

    async naming(id, write) {
      const written = await write().catch((error) => {
        if (error instanceof StorageFailed) named.add(id);
        throw error;
      });
      if (written !== undefined) named.add(id);
      return written;
    },

    async sweep(used) {
      const gone: string[] = [];
      for await (const key of blobs.list(prefix)) {
        if (!used.has(key.slice(prefix.length))) gone.push(key);
      }
      for (const key of gone) await blobs.delete(key);
    },
  };
}
