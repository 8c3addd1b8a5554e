import type { CheckBatch } from './check-thread-main.js';

/** Bytes that cross at once. */
const batchBytes = 256 * 1024;

/** Bytes on their way to a thread, in buffers that go there full and come back to be filled again. */
interface CheckBatches {
  /** Copies them, and sends each batch that is full. */
  add(bytes: Buffer): void;
  /** Sends what is left. */
  flush(): void;
  /** The thread gave one back. */
  taken(batch: CheckBatch): void;
  /** Bytes that were sent and not taken yet. */
  readonly ahead: number;
}

export function checkBatches(send: (batch: CheckBatch) => void): CheckBatches {
  const free: Buffer<ArrayBuffer>[] = [];
  let batch: Buffer<ArrayBuffer> = Buffer.allocUnsafeSlow(batchBytes);
  let filled = 0;
  let ahead = 0;

  function flush(): void {
    ahead += filled;
    send({ buffer: batch.buffer, bytes: filled });
    batch = free.pop() ?? Buffer.allocUnsafeSlow(batchBytes);
    filled = 0;
  }

  return {
    flush,
    get ahead() {
      return ahead;
    },
    add(bytes) {
      for (let at = 0; at < bytes.length; ) {
        const copied = bytes.copy(batch, filled, at);
        at += copied;
        filled += copied;
        if (filled === batch.length) flush();
      }
    },
    taken({ buffer, bytes }) {
      ahead -= bytes;
      free.push(Buffer.from(buffer));
    },
  };
}
