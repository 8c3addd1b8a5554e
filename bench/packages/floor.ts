import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { rename } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { Worker } from 'node:worker_threads';

export interface FloorTask {
  /** At its beginning is what has arrived. */
  readonly memory: SharedArrayBuffer;
  /** How many bytes that is: one number of 32 bits. */
  readonly progress: SharedArrayBuffer;
  /** Of all. */
  readonly size: number;
}

/**
 * The least that an upload takes that is checked, digested and durable: its bytes go to a file that is synced and renamed,
 * and a thread that waits for nothing else digests them and inflates and sums each entry. It checks no name, no
 * directory and no limit, writes no record, and holds the whole archive in memory that it keeps. One upload at a time.
 */
export function floorUploads(path: string): (body: IncomingMessage) => Promise<void> {
  const thread = new Worker(new URL('./floor-thread.js', import.meta.url));
  thread.unref();
  let memory = new SharedArrayBuffer(0);

  return async (body) => {
    const size = Number(body.headers['content-length']);
    if (memory.byteLength < size) memory = new SharedArrayBuffer(size);
    const bytes = Buffer.from(memory);
    const progress = new SharedArrayBuffer(4);
    const arrived = new Int32Array(progress);
    const digested = once(thread, 'message');
    const task: FloorTask = { memory, progress, size };
    thread.postMessage(task);
    let position = 0;
    async function* seen(): AsyncGenerator<Buffer> {
      for await (const chunk of body) {
        position += chunk.copy(bytes, position);
        Atomics.store(arrived, 0, position);
        Atomics.notify(arrived, 0);
        yield chunk;
      }
    }
    const arriving = `${path}-arriving`;
    await pipeline(seen, createWriteStream(arriving, { highWaterMark: 1024 ** 2, flush: true }));
    await digested;
    await rename(arriving, path);
  };
}
