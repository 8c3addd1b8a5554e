import { on } from 'node:events';
import { type MessagePort, parentPort } from 'node:worker_threads';
import { BadRequest } from '../../../core/errors.js';
import { type ArchiveSummary, checkArchive } from './check.js';
import type { ArchiveLimits } from './limits.js';

// The thread that checks archives; see check-thread.ts.

/** What the thread gets to do. Over the port come the bytes, and then `end`. */
export interface CheckTask {
  readonly port: MessagePort;
  readonly limits: Partial<ArchiveLimits>;
}

/** What it tells over the port. */
export type CheckMessage =
  | { readonly is: 'taken'; readonly bytes: number }
  | { readonly is: 'good'; readonly summary: ArchiveSummary }
  /** Of the archive. */
  | { readonly is: 'fault'; readonly text: string }
  /** Anything else. */
  | { readonly is: 'failed'; readonly error: unknown };

parentPort?.on('message', async ({ port, limits }: CheckTask) => {
  const tell = (message: CheckMessage) => port.postMessage(message);

  async function* arriving(): AsyncGenerator<Buffer> {
    // A port that closes is an upload that was given up.
    for await (const [bytes] of on(port, 'message', { close: ['close'] })) {
      if (!(bytes instanceof Uint8Array)) return;
      yield Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
      tell({ is: 'taken', bytes: bytes.length });
    }
  }

  try {
    tell({ is: 'good', summary: await checkArchive(arriving(), { limits }) });
  } catch (error) {
    tell(error instanceof BadRequest ? { is: 'fault', text: error.message } : { is: 'failed', error });
  }
});
