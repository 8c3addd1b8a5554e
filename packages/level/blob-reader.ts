import type { FileHandle } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { type Blob, type BlobInfo, byteRange, NotReady } from 'headgate/driver-kit';
import { type BlobContent, blobStream } from './blob-stream.js';
import { shareFile } from './shared-file.js';

export interface BlobReader {
  readonly blob: Blob;
  /** Closes the file at once, also under streams that still run: they fail. */
  abandon(): Promise<void>;
}

interface BlobReaderOptions extends Pick<BlobContent, 'checksum' | 'damaged'> {
  readonly file: FileHandle;
  readonly info: BlobInfo;
  /** The file was closed. */
  readonly closed: () => void;
}

/** Reads one file at any positions. The file stays open until nobody uses it: the blob itself, reads and streams. */
export function blobReader({ file, info, checksum, damaged, closed }: BlobReaderOptions): BlobReader {
  const shared = shareFile(file, closed);
  const streams = new Set<Readable>();
  let open = true;
  let abandoned = false;

  function requireOpen(): void {
    if (!open) throw new NotReady('The blob is closed');
  }

  /** Exactly the bytes from `start` up to `end`. */
  async function read(start: number, end: number, memory: Buffer): Promise<Buffer> {
    if (abandoned) throw new NotReady('The storage was closed');
    const bytes = await shared.read(start, end, memory);
    if (bytes.length < end - start) throw damaged('its file is too short');
    return bytes;
  }

  async function close(): Promise<void> {
    if (open) void shared.release();
    open = false;
    if (!shared.isUsed) await shared.gone;
  }

  const blob: Blob = {
    ...info,
    stream(range) {
      requireOpen();
      const bounds = byteRange(info.size, range);
      shared.hold();
      const stream = blobStream(bounds, { size: info.size, checksum, damaged, read }, (ended) => {
        streams.delete(ended);
        void shared.release();
      });
      streams.add(stream);
      return stream;
    },
    close,
    async read(position, length) {
      requireOpen();
      const { start, end } = byteRange(info.size, { start: position, end: position + length });
      return read(start, end, Buffer.allocUnsafe(end - start));
    },
  };

  return {
    blob,
    async abandon() {
      abandoned = true;
      // Without an error: nobody may be listening, and that would end the host's process.
      for (const stream of streams) stream.destroy();
      await close();
      await shared.gone;
    },
  };
}
