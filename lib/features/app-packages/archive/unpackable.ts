import { Readable } from 'node:stream';
import { withDirectories } from './directories.js';
import { type ArchiveSource, openArchive } from './reader.js';
import { type ArchivePart, writeArchive } from './writer.js';

/**
 * An archive for engines to unpack: as it is, or with the entries of directories that it lacks. Nothing is inflated.
 * Fails with `DamagedDocument` when it can't be read.
 */
export function unpackable(blob: ArchiveSource): Readable {
  async function* bytes(): AsyncGenerator<Buffer> {
    const archive = await openArchive(blob);
    const parts = archive.entries.map((entry): ArchivePart => ({ from: archive, entry }));
    const isWhole = (await withDirectories(parts)) === parts;
    yield* isWhole ? blob.stream() : writeArchive(parts, { limits: unlimited });
  }
  return Readable.from(bytes(), { objectMode: false });
}

/** It was taken in before. */
const unlimited = { maxEntries: Number.POSITIVE_INFINITY };
