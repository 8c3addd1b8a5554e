import { on } from 'node:events';
import { type MessagePort, parentPort } from 'node:worker_threads';
import { BadRequest, TooManyRequests } from '../../../model/errors.js';
import type { BadRequestReason } from '../../../model/reasons.js';
import { type ArchiveSummary, checkArchive } from './check.js';
import { checkCapacity } from './check-capacity.js';
import type { ArchiveLimits } from './limits.js';

// The thread that checks archives; see check-thread.ts.

/** What the thread gets to do. Over the port come the bytes, and then `end`. */
export interface CheckTask {
  readonly port: MessagePort;
  readonly limits: Partial<ArchiveLimits>;
}

export interface CheckBatch {
  readonly buffer: ArrayBuffer;
  /** From its beginning. */
  readonly bytes: number;
}

const isBatch = (message: CheckBatch | 'end'): message is CheckBatch => message !== 'end';

/** What it tells over the port. */
export type CheckMessage =
  /** Given back, to be filled again. */
  | { readonly is: 'taken'; readonly batch: CheckBatch }
  | { readonly is: 'good'; readonly summary: ArchiveSummary }
  /** It may take most of the memory from now on. */
  | { readonly is: 'large' }
  /** It has waited too long for others. */
  | { readonly is: 'busy'; readonly text: string }
  /** Of the archive. */
  | { readonly is: 'fault'; readonly code: BadRequestReason; readonly text: string }
  /** Anything else. */
  | { readonly is: 'failed'; readonly error: unknown };

const capacity = checkCapacity();

parentPort?.on('message', async ({ port, limits }: CheckTask) => {
  const tell = (message: CheckMessage) => port.postMessage(message);
  const memory = capacity.reserve(() => tell({ is: 'large' }));
  // Also while it waits for memory, and asks for no bytes.
  port.on('close', memory.release);

  async function* arriving(): AsyncGenerator<Buffer> {
    // A port that closes is an upload that was given up.
    for await (const [batch] of on(port, 'message', { close: ['close'] })) {
      if (!isBatch(batch)) return;
      yield Buffer.from(batch.buffer, 0, batch.bytes);
      const taken: CheckMessage = { is: 'taken', batch };
      port.postMessage(taken, [batch.buffer]);
    }
  }

  try {
    tell({ is: 'good', summary: await checkArchive(arriving(), { limits, memory }) });
  } catch (error) {
    tell(told(error));
  } finally {
    memory.release();
  }
});

function told(error: unknown): CheckMessage {
  if (error instanceof BadRequest) return { is: 'fault', code: error.code, text: error.message };
  return error instanceof TooManyRequests ? { is: 'busy', text: error.message } : { is: 'failed', error };
}
