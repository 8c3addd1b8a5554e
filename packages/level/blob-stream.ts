import { Readable } from 'node:stream';
import { crc32 } from 'node:zlib';
import { owned, type RecyclingReadable } from 'headgate/driver-kit';

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
  /** Exactly the bytes from `start` up to `end`, in the beginning of `memory`. */
  readonly read: (start: number, end: number, memory: Buffer) => Promise<Buffer>;
}

/** A part of a content, or all of it. `ended` is called once, when nothing is read for it any more. */
export function blobStream(
  bounds: Bounds,
  content: BlobContent,
  ended: (stream: Readable) => void,
): RecyclingReadable {
  const free: Buffer[] = [];
  const next = chunksOf(bounds, content, () => free.pop() ?? Buffer.allocUnsafeSlow(chunkBytes));
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
  return Object.assign(readable, {
    recycle({ buffer }: Buffer) {
      // What the stream has joined for its reader is none of ours.
      if (buffer.byteLength === chunkBytes) free.push(Buffer.from(buffer));
    },
  });
}

/** Each call resolves the next chunk, `null` after the last. */
function chunksOf(
  { start, end }: Bounds,
  { size, checksum, damaged, read }: BlobContent,
  memory: () => Buffer,
): () => Promise<Buffer | null> {
  const isWhole = start === 0 && end === size;
  let seen = 0;
  let position = start;
  return async () => {
    if (position === end) return null;
    const chunk = await read(position, Math.min(position + chunkBytes, end), memory());
    position += chunk.length;
    if (isWhole) seen = crc32(chunk, seen);
    // The last chunk is held back, so nobody takes a damaged blob for a whole one.
    if (isWhole && position === end && seen !== checksum) {
      throw damaged('its content is not what was written');
    }
    return chunk;
  };
}
