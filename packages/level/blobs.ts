import { randomBytes } from 'node:crypto';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import {
  type BlobInfo,
  type BlobStore,
  type BlobWriteOptions,
  checkKey,
  checkPrefix,
  NotReady,
  StorageFailed,
  syncFolder,
} from 'headgate/driver-kit';
import { type BlobIndexOptions, blobIndex } from './blob-index.js';
import { stage } from './blob-staging.js';
import { openBlobs } from './open-blobs.js';

interface BlobsOptions extends BlobIndexOptions {
  readonly requireOpen: () => void;
}

interface FilesystemBlobs {
  readonly store: BlobStore;
  /** Gives up what is still coming in, lets the rest finish, and closes all files. */
  close(): Promise<void>;
}

/**
 * Each content is a file of its own under a random name, never changed once it is there. Which file is the blob's is
 * said by its record in LevelDB, so one synced write of the record replaces the old content by the new.
 */
export function filesystemBlobs(options: BlobsOptions): FilesystemBlobs {
  const { directories, requireOpen } = options;
  const index = blobIndex(options);
  const incoming = new Set<Readable>();
  const writing = new Set<Promise<unknown>>();
  const opened = openBlobs({ index, directory: directories.blobs, requireOpen });

  async function write(key: string, content: Readable, writeOptions?: BlobWriteOptions): Promise<BlobInfo> {
    const file = randomBytes(16).toString('hex');
    const staged = join(directories.staging, file);
    const placed = join(directories.blobs, file);
    try {
      const record = { file, ...(await stage(staged, key, content, writeOptions)) };
      await rename(staged, placed);
      await syncFolder(directories.blobs);
      writeOptions?.signal?.throwIfAborted();
      await index.swap(key, record);
      return { size: record.size, digest: record.digest };
    } catch (error) {
      // What can't be deleted now is an orphan for the sweep at the next start. After a failed commit the record may be
      // on the disk all the same, and then the content must be there too.
      if (error instanceof StorageFailed) void index.removeUnlessNamed(key, file);
      else for (const path of [staged, placed]) await rm(path, { force: true }).catch(() => {});
      throw error;
    }
  }

  const store: BlobStore = {
    async write(key, content, writeOptions) {
      requireOpen();
      checkKey(key);
      incoming.add(content);
      const done = write(key, content, writeOptions);
      writing.add(done);
      try {
        return await done;
      } finally {
        incoming.delete(content);
        writing.delete(done);
      }
    },

    async open(key) {
      requireOpen();
      checkKey(key);
      return opened.open(key);
    },

    async delete(key) {
      requireOpen();
      checkKey(key);
      return index.swap(key, undefined);
    },

    async *list(prefix = '') {
      requireOpen();
      checkPrefix(prefix);
      try {
        for await (const keys of index.keys(prefix)) {
          yield* keys;
          requireOpen();
        }
      } catch (error) {
        requireOpen();
        throw error;
      }
    },
  };

  return {
    store,
    async close() {
      for (const content of incoming) content.destroy(new NotReady('The storage was closed'));
      await Promise.allSettled(writing);
      await opened.close();
    },
  };
}
