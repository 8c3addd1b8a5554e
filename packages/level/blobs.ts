import { randomBytes } from 'node:crypto';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { crc32 } from 'node:zlib';
import {
  type Blob,
  type BlobInfo,
  type BlobStore,
  type BlobWriteOptions,
  blobIntake,
  blobName,
  checkKey,
  checkPrefix,
  DamagedDocument,
  NotFound,
  NotReady,
  owned,
  StorageFailed,
} from 'headgate/driver-kit';
import { type BlobReader, blobReader } from './blob-reader.js';
import { type BlobRecord, parseBlobRecord, sealedBlobRecord } from './blob-record.js';
import type { Commits } from './commits.js';
import type { Database } from './database.js';
import { type Directories, isMissing, syncDirectory } from './directories.js';
import type { Problems } from './problems.js';
import { blobRange, blobRecord, keyOfBlob } from './records.js';

interface BlobsOptions {
  readonly directories: Directories;
  readonly database: Database;
  readonly commits: Commits;
  readonly problems: Problems;
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
  const { directories, database, commits, problems, requireOpen } = options;
  const incoming = new Set<Readable>();
  const writing = new Set<Promise<unknown>>();
  const readers = new Set<BlobReader>();

  function damage(key: string, why: string): DamagedDocument {
    const error = new DamagedDocument(blobName(key), new Error(why));
    problems.add({ kind: 'blob', key, message: `${blobName(key)} is damaged: ${why}` });
    return error;
  }

  /** Makes `record` (absent: nothing) the blob of the key; resolves whether there was one before. */
  async function swap(key: string, record: BlobRecord | undefined): Promise<boolean> {
    const name = blobRecord(key);
    const { old, there } = await commits.commit({
      reads: [name],
      bytes: name.length,
      decide([value]) {
        const there = value !== undefined;
        const old = there ? parseBlobRecord(name, value) : undefined;
        const put = record && ({ type: 'put', key: name, value: sealedBlobRecord(name, record) } as const);
        const operations = put ? [put] : there ? [{ type: 'del', key: name } as const] : [];
        return { operations, result: { old, there } };
      },
    });
    problems.remove({ kind: 'blob', key });
    // A file that can't be deleted now is an orphan for the sweep at the next start.
    if (old) await rm(join(directories.blobs, old.file), { force: true }).catch(() => {});
    return there;
  }

  async function write(key: string, content: Readable, writeOptions?: BlobWriteOptions): Promise<BlobInfo> {
    const file = randomBytes(16).toString('hex');
    const staged = join(directories.staging, file);
    const placed = join(directories.blobs, file);
    try {
      const record = { file, ...(await stage(staged, key, content, writeOptions)) };
      await rename(staged, placed);
      await syncDirectory(directories.blobs);
      writeOptions?.signal?.throwIfAborted();
      await swap(key, record);
      return { size: record.size, digest: record.digest };
    } catch (error) {
      // What can't be deleted now is an orphan for the sweep at the next start. After a failed commit the record may be
      // on the disk all the same, and then the content must be there too.
      if (error instanceof StorageFailed) void removeUnlessNamed(key, file);
      else for (const path of [staged, placed]) await rm(path, { force: true }).catch(() => {});
      throw error;
    }
  }

  /** As soon as it is known what is on the disk: on a full one each upload would leave its content behind. */
  async function removeUnlessNamed(key: string, file: string): Promise<void> {
    try {
      await database.mended();
      const name = blobRecord(key);
      const value = await database.get(name);
      const record = value === undefined ? undefined : parseBlobRecord(name, value);
      const isKnown = value === undefined || record !== undefined;
      if (isKnown && record?.file !== file) await rm(join(directories.blobs, file), { force: true });
    } catch {
      // The sweep at the next start does it.
    }
  }

  async function openFile(key: string): Promise<{ record: BlobRecord; file: FileHandle }> {
    const name = blobRecord(key);
    for (let lastFile: string | undefined; ; ) {
      const value = await database.get(name);
      if (value === undefined) throw new NotFound('blob', key);
      const record = parseBlobRecord(name, value);
      if (!record) throw damage(key, 'the record of it is not what was written');
      try {
        return { record, file: await open(join(directories.blobs, record.file)) };
      } catch (error) {
        if (!isMissing(error)) throw error;
        // Replaced between the look and the opening; if not, it is really gone.
        if (record.file === lastFile) throw damage(key, 'its file is missing');
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
      damaged: (why) => damage(key, why),
      closed: () => readers.delete(reader),
    });
    readers.add(reader);
    try {
      const found = (await file.stat()).size;
      if (found !== size) throw damage(key, `its file has ${found} bytes instead of ${size}`);
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
      return swap(key, undefined);
    },

    async *list(prefix = '') {
      requireOpen();
      checkPrefix(prefix);
      try {
        for await (const found of database.pages(blobRange(prefix))) {
          for (const [record] of found) yield keyOfBlob(record);
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

/** The content in a file of its own, whole and on the disk, but under no name that counts. */
async function stage(
  path: string,
  key: string,
  content: Readable,
  options?: BlobWriteOptions,
): Promise<Omit<BlobRecord, 'file'>> {
  const intake = blobIntake(key, content, options);
  const file = await open(path, 'wx', 0o600);
  const along = await syncAlong(path).catch(async (error) => {
    await file.close();
    throw error;
  });
  let checksum = 0;
  async function* summed() {
    for await (const chunk of intake) {
      checksum = crc32(chunk, checksum);
      yield chunk;
      along.passed(chunk.length);
    }
  }
  try {
    // What comes in while a write is under way goes to the disk in one.
    const writing = owned(file.createWriteStream({ highWaterMark: gatheredBytes, flush: true }));
    await pipeline(summed, writing);
    return { ...intake.info(), checksum };
  } finally {
    await along.close().finally(() => file.close());
  }
}

const gatheredBytes = 1024 ** 2;
/** Between syncs, of what is still coming in. */
const syncedBytes = 32 * 1024 ** 2;

/**
 * Has the disk begin while bytes still come in, so that little is left to wait for at the end. What goes wrong here is
 * told again by the last sync: it is by another handle.
 */
async function syncAlong(path: string) {
  const file = await open(path, 'r+');
  let waiting = 0;
  let running: Promise<void> | undefined;
  return {
    passed(bytes: number): void {
      waiting += bytes;
      if (running || waiting < syncedBytes) return;
      waiting = 0;
      running = file
        .datasync()
        .catch(() => {})
        .finally(() => {
          running = undefined;
        });
    },
    async close(): Promise<void> {
      await running;
      await file.close();
    },
  };
}
