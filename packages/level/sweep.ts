import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { blobName } from 'headgate/driver-kit';
import { type BlobRecord, parseBlobRecord } from './blob-record.js';
import type { Database } from './database.js';
import type { Directories } from './directories.js';
import type { Problems } from './problems.js';
import { blobRange, keyOfBlob } from './records.js';

/** Files looked at together. */
const stride = 64;

/**
 * At start: compares the files of blobs with the records, notes what is missing, and deletes what a killed process
 * left. Contents that no record names stay when `keepOrphans`, for then the record may be what was lost.
 */
export async function sweep(
  database: Database,
  directories: Directories,
  problems: Problems,
  keepOrphans: boolean,
): Promise<void> {
  const orphans = new Set(await readdir(directories.blobs));
  const kept: { key: string; record: BlobRecord }[] = [];
  let unreadable = false;
  for await (const found of database.pages(blobRange(''))) {
    for (const [name, value] of found) {
      const key = keyOfBlob(name);
      const record = parseBlobRecord(name, value);
      if (!record) {
        unreadable = true;
        note(key, 'the record of it is not what was written');
      } else if (orphans.delete(record.file)) kept.push({ key, record });
      else note(key, 'its file is missing');
    }
  }
  for (let i = 0; i < kept.length; i += stride) {
    await Promise.all(kept.slice(i, i + stride).map(checkSize));
  }
  for (const name of await readdir(directories.staging)) await remove(directories.staging, name);
  if (keepOrphans || unreadable) return;
  for (const name of orphans) await remove(directories.blobs, name);

  async function checkSize({ key, record }: { key: string; record: BlobRecord }): Promise<void> {
    const { size } = await stat(join(directories.blobs, record.file));
    if (size !== record.size) note(key, `its file has ${size} bytes instead of ${record.size}`);
  }

  function note(key: string, why: string): void {
    problems.add({ kind: 'blob', key, message: `${blobName(key)} is damaged: ${why}` });
  }
}

const remove = (directory: string, name: string) =>
  rm(join(directory, name), { recursive: true, force: true });
