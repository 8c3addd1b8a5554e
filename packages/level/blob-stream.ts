import { Readable } from 'node:stream';
import { crc32 } from 'node:zlib';
import { owned } from 'headgate/driver-kit';

const chunkBytes = 256 * 1024;

interface Bounds {
  readonly start: number;
  readonly end: number;
}

export interface BlobContent {
  readonly size: number;
  /** CRC-32 of the content; checked when it is read from the first byte to the last. */
  readonly checksum: number;
  /** Notes the damage and returns the error for it. */
  readonly damaged: (why: string) => Error;
  /** Exactly the bytes from `start` up to `end`. */
  readonly read: (start: number, end: number) => Promise<Buffer>;
}

/** A part of a content, or all of it. `ended` is called once, when nothing is read for it any more. */
export function blobStream(
  bounds: Bounds,
  content: BlobContent,
  ended: (stream: Readable) => void,
): Readable {
  const next = chunksOf(bounds, content);
  const readable = owned(
    new Readable({
      // One more than is sent: the next is read while this one is checked and on its way.
      highWaterMark: 2 * chunkBytes,
      read() {
        next().then(
          (chunk) => this.push(chunk),
          (error) => this.destroy(error),
        );
      },
      destroy(error, done) {
        ended(readable);
        done(error);
      },
    }),
  );
  return readable;
}

/** Each call resolves the next chunk, `null` after the last. */
function chunksOf(
  { start, end }: Bounds,
  { size, checksum, damaged, read }: BlobContent,
): () => Promise<Buffer | null> {
  const isWhole = start === 0 && end === size;
  let seen = 0;
  let position = start;
  return async () => {
    if (position === end) return null;
    const chunk = await read(position, Math.min(position + chunkBytes, end));
    position += chunk.length;
    if (isWhole) seen = crc32(chunk, seen);
    // The last chunk is held back, so nobody takes a damaged blob for a whole one.
    if (isWhole && position === end && seen !== checksum) {
      throw damaged('its content is not what was written');
    }
    return chunk;
  };
}
