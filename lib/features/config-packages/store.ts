import type { Readable } from 'node:stream';
import * as z from 'zod';
import type { Clock } from '../../interfaces/clock.js';
import type { Blob, BlobWriteOptions, Storage } from '../../interfaces/storage.js';
import { BadRequest, PreconditionFailed } from '../../model/errors.js';
import { type Collection, collection, type Kept } from '../../storage/collection.js';
import { namedBlobs, type StagedBlob } from '../../storage/named-blobs.js';
import { fitsKey, keyPart } from '../../storage/storage-keys.js';
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
export interface ConfigPackageStore {
  find(ref: ConfigPackageRef): Promise<Kept<StoredConfigPackage> | undefined>;
  list(user?: string): Promise<readonly Kept<StoredConfigPackage>[]>;
  /** `undefined` when the package is another one by now, or none. */
  open(stored: StoredConfigPackage): Promise<Blob | undefined>;
  /** Takes an archive in. Whoever stages it releases it, and then it is gone unless it was published. */
  stage(content: Readable, options: Pick<BlobWriteOptions, 'signal'>): Promise<StagedBlob>;
  /**
   * Makes what was staged the user's package of the name that its contents tell, in place of one that `mayReplace` lets go
   * by not throwing.
   */
  publish(
    user: string,
    staged: StagedBlob,
    contents: ConfigContents,
    mayReplace: (existing: Kept<StoredConfigPackage> | undefined) => void,
  ): Promise<StoredConfigPackage>;
  /** Rejects with `PreconditionFailed` when it has changed meanwhile. */
  remove(existing: Kept<StoredConfigPackage>): Promise<void>;
  /** Deletes what a crash left behind. For the start, when nothing is under way. */
  sweep(): Promise<void>;
}

const collectionName = 'config-packages';

const maxAttempts = 20;

const keyOf = ({ user, name }: ConfigPackageRef): string => `${keyPart(user)}/${keyPart(name)}`;

export function createConfigPackageStore(deps: { storage: Storage; clock: Clock }): ConfigPackageStore {
  const { documents } = deps.storage;
  const packages: Collection<StoredConfigPackage> = collection(
    documents,
    collectionName,
    StoredConfigPackage,
  );
  const blobs = namedBlobs(deps.storage, collectionName, packages);

  return {
    find: async (ref) => (fitsKey(keyOf(ref)) ? packages.get(keyOf(ref)) : undefined),
    list: (user) => packages.list(user === undefined ? {} : { prefix: `${keyPart(user)}/` }),
    open: ({ id }) => blobs.open(id),

    stage: blobs.stage,

    async publish(user, staged, contents, mayReplace) {
      const { id, size, digest } = staged;
      const key = keyOf({ user, name: contents.name });
      if (!fitsKey(key))
        throw new BadRequest(
          'NAME_NOT_VALID',
          'The names of the user and of the package are too long together',
        );
      const value = { user, id, digest, size, modificationTime: deps.clock.now(), contents };
      for (let attempt = 1; ; attempt++) {
        const existing = await packages.get(key);
        mayReplace(existing);
        try {
          await staged.naming(() => packages.put(key, value, { ifMatch: existing?.etag ?? null }));
          if (existing) await blobs.discard(existing.value.id);
          return value;
        } catch (error) {
          if (!(error instanceof PreconditionFailed) || attempt === maxAttempts) throw error;
        }
      }
    },

    async remove({ key, etag, value }) {
      await packages.remove(key, { ifMatch: etag });
      await blobs.discard(value.id);
    },

    sweep: blobs.sweep,
  };
}
