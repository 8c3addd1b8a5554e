import { Readable } from 'node:stream';
import {
  type Blob,
  type BlobInfo,
  type BlobStore,
  blobIntake,
  byteRange,
  checkKey,
  checkPrefix,
  compareKeys,
  NotFound,
  NotReady,
  owned,
} from '../../lib/driver-kit.js';

const chunkBytes = 64 * 1024;

interface MemoryBlobs {
  readonly store: BlobStore;
  /** Gives up what is still coming in. */
  close(): void;
}

export function memoryBlobs(requireOpen: () => void): MemoryBlobs {
  const kept = new Map<string, { info: BlobInfo; content: Buffer }>();
  const incoming = new Set<Readable>();

  const store: BlobStore = {
    async write(key, content, options) {
      requireOpen();
      checkKey(key);
      incoming.add(content);
      try {
        const intake = blobIntake(key, content, options);
        const chunks: Buffer[] = [];
        // Copies: a source may use its buffers again.
        for await (const chunk of intake) chunks.push(Buffer.from(chunk));
        requireOpen();
        const info = intake.info();
        kept.set(key, { info, content: Buffer.concat(chunks) });
        return info;
      } finally {
        incoming.delete(content);
      }
    },

    async open(key) {
      requireOpen();
      checkKey(key);
      const blob = kept.get(key);
      if (!blob) throw new NotFound('blob', key);
      return reader(blob.info, blob.content, requireOpen);
    },

    async delete(key) {
      requireOpen();
      checkKey(key);
      return kept.delete(key);
    },

    async *list(prefix = '') {
      requireOpen();
      checkPrefix(prefix);
      for (const key of [...kept.keys()].filter((key) => key.startsWith(prefix)).sort(compareKeys)) {
        requireOpen();
        yield key;
      }
    },
  };

  return {
    store,
    close() {
      for (const content of incoming) content.destroy(new NotReady('The storage was closed'));
    },
  };
}

function reader(info: BlobInfo, content: Buffer, requireStorage: () => void): Blob {
  let open = true;
  const requireOpen = () => {
    requireStorage();
    if (!open) throw new NotReady('The blob is closed');
  };
  // Copies again: what a reader does to its bytes stays with the reader.
  const part = (start: number, end: number) => Buffer.from(content.subarray(start, end));

  return {
    ...info,
    stream(range) {
      requireOpen();
      const { start, end } = byteRange(info.size, range);
      function* chunks() {
        for (let at = start; at < end; at += chunkBytes) {
          requireStorage();
          yield part(at, Math.min(at + chunkBytes, end));
        }
      }
      return owned(Readable.from(chunks(), { objectMode: false }));
    },
    async read(position, length) {
      requireOpen();
      const { start, end } = byteRange(info.size, { start: position, end: position + length });
      return part(start, end);
    },
    async close() {
      open = false;
    },
  };
}
