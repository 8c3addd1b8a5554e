import { randomBytes } from 'node:crypto';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import {
  type Blob,
  type BlobInfo,
  type BlobStore,
  type BlobWriteOptions,
  checkKey,
  checkPrefix,
  isMissing,
  NotReady,
  StorageFailed,
  syncFolder,
} from '../../lib/driver-kit.js';
import { type BlobIndexOptions, blobIndex } from './filesystem-blob-index.js';
import { type BlobReader, blobReader } from './filesystem-blob-reader.js';
import type { BlobRecord } from './filesystem-blob-record.js';
import { stage } from './filesystem-blob-staging.js';

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
  const readers = new Set<BlobReader>();

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

  async function openFile(key: string): Promise<{ record: BlobRecord; file: FileHandle }> {
    for (let lastFile: string | undefined; ; ) {
      const record = await index.find(key);
      try {
        return { record, file: await open(join(directories.blobs, record.file)) };
      } catch (error) {
        if (!isMissing(error)) throw error;
        // Replaced between the look and the opening; if not, it is really gone.
        if (record.file === lastFile) throw index.damage(key, 'its file is missing');
        lastFile = record.file;
      }
    }
  }

  async function openBlob(key: string): Promise<Blob> {
    const { record, file } = await openFile(key);
    const { size, digest, checksum } = record;
    const reader = blobReader({
      file,
      info: { size, digest },
      checksum,
      damaged: (why) => index.damage(key, why),
      closed: () => readers.delete(reader),
    });
    readers.add(reader);
    try {
      const found = (await file.stat()).size;
      if (found !== size) throw index.damage(key, `its file has ${found} bytes instead of ${size}`);
      requireOpen();
    } catch (error) {
      await reader.abandon();
      throw error;
    }
    return reader.blob;
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
      return openBlob(key);
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
      await Promise.all([...readers].map((reader) => reader.abandon()));
    },
  };
}
