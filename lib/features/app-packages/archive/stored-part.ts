import type { Readable } from 'node:stream';
import { crc32 } from 'node:zlib';
import type { ArchivePart } from './part.js';

interface StoredSource {
  readonly name: string;
  /** Bytes; less than 4 GiB. */
  readonly size: number;
  /** The same each time: once for the checksum, which stands before the content in an archive, and once for the content. */
  open(): Readable;
}

/** The same each time, so that the same files are the same archive. */
export const longAgo = new Date(0);

/** A file of any size that goes into an archive as it is, read once for its checksum. */
export async function storedPart(
  { name, size, open }: StoredSource,
  signal?: AbortSignal,
): Promise<ArchivePart> {
  let crc = 0;
  for await (const chunk of open()) {
    signal?.throwIfAborted();
    crc = crc32(chunk, crc);
  }
  return { name, stored: { size, crc, open }, modified: longAgo };
}
