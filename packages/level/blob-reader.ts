import type { FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { crc32 } from 'node:zlib';
import { type Blob, type BlobInfo, byteRange, NotReady, owned } from 'headgate/driver-kit';

const chunkBytes = 256 * 1024;

export interface BlobReader {
  readonly blob: Blob;
  /** Closes the file at once, also under streams that still run: they fail. */
  abandon(): Promise<void>;
}

interface BlobReaderOptions {
  readonly file: FileHandle;
  readonly info: BlobInfo;
  /** CRC-32 of the content; checked when it is read from the first byte to the last. */
  readonly checksum: number;
  /** Notes the damage and returns the error for it. */
  readonly damaged: (why: string) => Error;
  /** The file was closed. */
  readonly closed: () => void;
}

/** Reads one file at any positions. The file stays open until nobody uses it: the blob itself, reads and streams. */
export function blobReader({ file, info, checksum, damaged, closed }: BlobReaderOptions): BlobReader {
  const streams = new Set<Readable>();
  let open = true;
  let abandoned = false;
  let uses = 1;
  let markGone = () => {};
  const gone = new Promise<void>((resolve) => {
    markGone = resolve;
  });

  async function release(): Promise<void> {
    if (--uses > 0) return;
    // A file that was only read has nothing to lose when closing fails.
    await file.close().catch(() => {});
    closed();
    markGone();
  }

  function requireOpen(): void {
    if (!open) throw new NotReady('The blob is closed');
  }

  /** Exactly the bytes from `start` up to `end`. */
  async function bytes(start: number, end: number): Promise<Buffer> {
    if (abandoned) throw new NotReady('The storage was closed');
    const buffer = Buffer.allocUnsafe(end - start);
    uses++;
    try {
      for (let filled = 0; filled < buffer.length; ) {
        const { bytesRead } = await file.read(buffer, filled, buffer.length - filled, start + filled);
        if (bytesRead === 0) throw damaged('its file is too short');
        filled += bytesRead;
      }
      return buffer;
    } finally {
      void release();
    }
  }

  function stream(range?: { start?: number; end?: number }): Readable {
    requireOpen();
    const { start, end } = byteRange(info.size, range);
    const isWhole = start === 0 && end === info.size;
    let seen = 0;
    let position = start;

    async function next(): Promise<Buffer | null> {
      if (position === end) return null;
      const chunk = await bytes(position, Math.min(position + chunkBytes, end));
      position += chunk.length;
      if (isWhole) seen = crc32(chunk, seen);
      // The last chunk is held back, so nobody takes a damaged blob for a whole one.
      if (isWhole && position === end && seen !== checksum) {
        throw damaged('its content is not what was written');
      }
      return chunk;
    }

    uses++;
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
          streams.delete(readable);
          void release();
          done(error);
        },
      }),
    );
    streams.add(readable);
    return readable;
  }

  async function close(): Promise<void> {
    if (open) void release();
    open = false;
    if (uses === 0) await gone;
  }

  const blob: Blob = {
    ...info,
    stream,
    close,
    async read(position, length) {
      requireOpen();
      const { start, end } = byteRange(info.size, { start: position, end: position + length });
      return bytes(start, end);
    },
  };

  return {
    blob,
    async abandon() {
      abandoned = true;
      // Without an error: nobody may be listening, and that would end the host's process.
      for (const stream of streams) stream.destroy();
      await close();
      await gone;
    },
  };
}
