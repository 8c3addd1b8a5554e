/**
 * Bytes on their way to another thread, through memory that both see: each byte is copied once, and nothing is allocated
 * or handed over on the way. The two tell each other by messages how far they are, so each looks only at bytes that the
 * other has left alone since.
 */

/** How many bytes may be written ahead of the reader: a jar that inflates to a multiple does not stop what comes in. */
const ringBytes = 4 * 1024 ** 2;

/** A message wakes the other thread, so it is told no sooner. */
const writtenStep = 256 * 1024;
/** Far less than the ring, so that a full one is never waited for in vain. */
const readStep = 1024 ** 2;

export const sharedRing = (): SharedArrayBuffer => new SharedArrayBuffer(ringBytes);

interface RingWriter {
  /** Copies as many of them as fit in one piece; returns how many. */
  write(bytes: Buffer): number;
  /** Tells of all that was written. */
  flush(): void;
  /** The reader has read so many bytes since the beginning. */
  read(total: number): void;
}

/** `tell` gets how many bytes were written since the beginning. */
export function ringWriter(memory: SharedArrayBuffer, tell: (written: number) => void): RingWriter {
  const ring = Buffer.from(memory);
  let written = 0;
  let told = 0;
  let read = 0;

  function flush(): void {
    if (told === written) return;
    told = written;
    tell(written);
  }

  return {
    flush,
    write(bytes) {
      const at = written % ring.length;
      const room = Math.min(ring.length - at, read + ring.length - written);
      const copied = bytes.copy(ring, at, 0, room);
      written += copied;
      if (written - told >= writtenStep) flush();
      return copied;
    },
    read(total) {
      read = total;
    },
  };
}

/** What a writer tells of; a chunk is valid until the next is asked for. `tell` gets how many bytes were read. */
export async function* ringChunks(
  memory: SharedArrayBuffer,
  written: AsyncIterable<number>,
  tell: (read: number) => void,
): AsyncGenerator<Buffer> {
  const ring = Buffer.from(memory);
  let read = 0;
  let told = 0;
  for await (const total of written) {
    while (read < total) {
      const at = read % ring.length;
      const chunk = ring.subarray(at, Math.min(at + total - read, ring.length));
      yield chunk;
      read += chunk.length;
      if (read - told < readStep) continue;
      told = read;
      tell(read);
    }
  }
}
