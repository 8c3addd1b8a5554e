import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import { z } from 'zod';
import type { Clock } from '../../interfaces/clock.js';
import type { Blob, Storage } from '../../interfaces/storage.js';
import { BadRequest, PreconditionFailed, StorageFailed, undefinedIfUnknown } from '../../model/errors.js';
import { type Collection, collection, type Kept } from '../../storage/collection.js';
import { maxKeyBytes } from '../../storage/storage-keys.js';
import { ConfigContents } from './read.js';
import type { ConfigPackageRef } from './schema.js';

/** A configuration package. Its bytes are a blob that never changes; a changed package is another blob. */
export const StoredConfigPackage = z.object({
  user: z.string(),
  /** Of its blob. */
  id: z.string(),
  /** SHA-256 of the archive, hexadecimal. */
  digest: z.string(),
  /** Bytes. */
  size: z.number(),
  /** Epoch milliseconds. */
  modificationTime: z.number(),
  contents: ConfigContents,
});
export type StoredConfigPackage = z.output<typeof StoredConfigPackage>;

/** As for application packages, the document says which blob it is: writing it is the moment of change. */
interface ConfigPackageStore {
  find(ref: ConfigPackageRef): Promise<Kept<StoredConfigPackage> | undefined>;
  list(user?: string): Promise<readonly Kept<StoredConfigPackage>[]>;
  /** `undefined` when the package is another one by now, or none. */
  open(stored: StoredConfigPackage): Promise<Blob | undefined>;
  /**
   * Takes an archive in, reads it and makes it the user's package of its name, in place of one that `mayReplace` lets go.
   * Nothing is left when it rejects.
   */
  take(
    user: string,
    content: Readable,
    how: {
      readonly signal: AbortSignal;
      readonly read: (blob: Blob, id: string) => Promise<ConfigContents>;
      readonly mayReplace: (existing: Kept<StoredConfigPackage> | undefined, name: string) => void;
    },
  ): Promise<StoredConfigPackage>;
  /** Rejects with `PreconditionFailed` when it has changed meanwhile. */
  remove(existing: Kept<StoredConfigPackage>): Promise<void>;
  /** Deletes what a crash left behind. For the start, when nothing is under way. */
  sweep(): Promise<void>;
}

const blobPrefix = 'config-packages/';
const blobKey = (id: string) => `${blobPrefix}${id}`;
const maxAttempts = 20;

const folded = (part: string): string => part.replace(/%/g, '%25').replace(/\//g, '%2F');
const keyOf = ({ user, name }: ConfigPackageRef): string => `${folded(user)}/${folded(name)}`;
const fits = (key: string): boolean => Buffer.byteLength(key) <= maxKeyBytes;

export function createConfigPackageStore(deps: { storage: Storage; clock: Clock }): ConfigPackageStore {
  const { documents, blobs } = deps.storage;
  const packages: Collection<StoredConfigPackage> = collection(
    documents,
    'config-packages',
    StoredConfigPackage,
  );
  /** What can't be deleted now goes at the next start. */
  const discard = (id: string) => blobs.delete(blobKey(id)).catch(() => {});

  async function readIn(
    id: string,
    read: (blob: Blob, id: string) => Promise<ConfigContents>,
  ): Promise<ConfigContents> {
    const blob = await blobs.open(blobKey(id));
    try {
      return await read(blob, id);
    } finally {
      await blob.close();
    }
  }

  return {
    find: async (ref) => (fits(keyOf(ref)) ? packages.get(keyOf(ref)) : undefined),
    list: (user) => packages.list(user === undefined ? {} : { prefix: `${folded(user)}/` }),
    open: ({ id }) => blobs.open(blobKey(id)).catch(undefinedIfUnknown),

    async take(user, content, { signal, read, mayReplace }) {
      const id = randomUUID();
      const { size, digest } = await blobs.write(blobKey(id), content, { signal });
      let isPlaced = false;
      try {
        const contents = await readIn(id, read);
        const key = keyOf({ user, name: contents.name });
        if (!fits(key))
          throw new BadRequest('The names of the user and of the package are too long together');
        const value = { user, id, digest, size, modificationTime: deps.clock.now(), contents };
        for (let attempt = 1; ; attempt++) {
          const existing = await packages.get(key);
          mayReplace(existing, contents.name);
          try {
            await packages.put(key, value, { ifMatch: existing?.etag ?? null });
            isPlaced = true;
            if (existing) await discard(existing.value.id);
            return value;
          } catch (error) {
            // After a failed write nobody knows whether the document names it.
            isPlaced = error instanceof StorageFailed;
            if (!(error instanceof PreconditionFailed) || attempt === maxAttempts) throw error;
          }
        }
      } finally {
        if (!isPlaced) await discard(id);
      }
    },

    async remove({ key, etag, value }) {
      await packages.remove(key, { ifMatch: etag });
      await discard(value.id);
    },

    async sweep() {
      const used = new Set((await packages.list()).map(({ value }) => value.id));
      const isDamaged = deps.storage
        .problems()
        .some(({ kind, collection }) => kind === 'store' || collection === 'config-packages');
      // A document that can't be read may be restored, and then its blob must be there.
      if (isDamaged || packages.problems().length > 0) return;
      const gone: string[] = [];
      for await (const key of blobs.list(blobPrefix))
        if (!used.has(key.slice(blobPrefix.length))) gone.push(key);
      for (const key of gone) await blobs.delete(key);
    },
  };
}
