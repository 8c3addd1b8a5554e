import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { blobName, DamagedDocument, NotFound } from 'headgate/driver-kit';
import { type BlobRecord, parseBlobRecord, sealedBlobRecord } from './blob-record.js';
import type { Commits } from './commits.js';
import type { Database } from './database.js';
import type { Directories } from './directories.js';
import type { Problems } from './problems.js';
import { blobRange, blobRecord, keyOfBlob } from './records.js';

export interface BlobIndexOptions {
  readonly directories: Directories;
  readonly database: Database;
  readonly commits: Commits;
  readonly problems: Problems;
}

/** Which file is which blob, as LevelDB says; files that it names no more are deleted. */
export interface BlobIndex {
  /** Rejects with `NotFound` for a key without a blob. */
  find(key: string): Promise<BlobRecord>;
  /** Makes `record` (absent: nothing) the blob of the key; resolves whether there was one before. */
  swap(key: string, record: BlobRecord | undefined): Promise<boolean>;
  /** As soon as it is known what is on the disk: on a full one each upload would leave its content behind. */
  removeUnlessNamed(key: string, file: string): Promise<void>;
  /** Keys in the order of the index, a page at a time. */
  keys(prefix: string): AsyncIterable<readonly string[]>;
  /** Notes the damage and returns the error for it. */
  damage(key: string, why: string): DamagedDocument;
}

export function blobIndex({ directories, database, commits, problems }: BlobIndexOptions): BlobIndex {
  function damage(key: string, why: string): DamagedDocument {
    const error = new DamagedDocument(blobName(key), new Error(why));
    problems.add({ kind: 'blob', key, message: `${blobName(key)} is damaged: ${why}` });
    return error;
  }

  return {
    damage,

    async find(key) {
      const name = blobRecord(key);
      const value = await database.get(name);
      if (value === undefined) throw new NotFound('blob', key);
      const record = parseBlobRecord(name, value);
      if (!record) throw damage(key, 'the record of it is not what was written');
      return record;
    },

    async swap(key, record) {
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
    },

    async removeUnlessNamed(key, file) {
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
    },

    async *keys(prefix) {
      for await (const found of database.pages(blobRange(prefix)))
        yield found.map(([record]) => keyOfBlob(record));
    },
  };
}
