import { Readable } from 'node:stream';
import { owned } from '../../../runtime/owned.js';
import { withDirectories } from './directories.js';
import type { ArchivePart } from './part.js';
import type { ArchiveSource } from './reader.js';
import type { ArchiveShelf } from './shelf.js';
import { writeArchive } from './writer.js';

/**
 * An archive for engines to unpack: as it is, or with the entries of directories that it lacks. Nothing is inflated.
 * Fails with `DamagedDocument` when it can't be read, and as `ArchiveShelf` does.
 */
export function unpackable(shelf: ArchiveShelf, blob: ArchiveSource, id: string): Readable {
  async function* bytes(): AsyncGenerator<Buffer> {
    const { archive, release } = await shelf.toCopy(blob, { id });
    try {
      const parts = archive.entries.map((entry): ArchivePart => ({ from: archive, entry }));
      const isWhole = (await withDirectories(parts)) === parts;
      yield* isWhole ? blob.stream() : writeArchive(parts, { limits: unlimited });
    } finally {
      release();
    }
  }
  return owned(Readable.from(bytes(), { objectMode: false }));
}

/** It was taken in before. */
const unlimited = { maxEntries: Number.POSITIVE_INFINITY };
