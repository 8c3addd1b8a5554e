import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { crc32 } from 'node:zlib';
import { type BlobWriteOptions, blobIntake, owned } from 'headgate/driver-kit';
import type { BlobRecord } from './blob-record.js';

/** The content in a file of its own, whole and on the disk, but under no name that counts. */
export async function stage(
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
const syncedBytes = 4 * 1024 ** 2;

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
