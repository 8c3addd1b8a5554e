import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { type Blob, isMissing } from 'headgate/driver-kit';
import type { BlobIndex } from './blob-index.js';
import { type BlobReader, blobReader } from './blob-reader.js';
import type { BlobRecord } from './blob-record.js';

/** Blobs that are being read. */
interface OpenBlobs {
  open(key: string): Promise<Blob>;
  /** Closes their files at once: streams that still run fail. */
  close(): Promise<void>;
}

export function openBlobs({
  index,
  directory,
  requireOpen,
}: {
  readonly index: BlobIndex;
  readonly directory: string;
  readonly requireOpen: () => void;
}): OpenBlobs {
  const readers = new Set<BlobReader>();

  async function openFile(key: string): Promise<{ record: BlobRecord; file: FileHandle }> {
    for (let lastFile: string | undefined; ; ) {
      const record = await index.find(key);
      try {
        return { record, file: await open(join(directory, record.file)) };
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

  return {
    open: openBlob,
    async close() {
      await Promise.all([...readers].map((reader) => reader.abandon()));
    },
  };
}
