import { on } from 'node:events';
import { type MessagePort, parentPort } from 'node:worker_threads';
import { BadRequest, TooManyRequests } from '../../../model/errors.js';
import type { BadRequestReason } from '../../../model/reasons.js';
import { type ArchiveSummary, checkArchive } from './check.js';
import { checkCapacity } from './check-capacity.js';
import type { ArchiveLimits } from './limits.js';
import { ringChunks } from './shared-ring.js';

// The thread that checks archives; see check-thread.ts.

/** What the thread gets to do. Over the port comes how many bytes are in the ring, and then `end`. */
export interface CheckTask {
  readonly port: MessagePort;
  readonly ring: SharedArrayBuffer;
  readonly limits: Partial<ArchiveLimits>;
}

/** What it tells over the port. */
export type CheckMessage =
  /** So many bytes since the beginning: their place in the ring is free again. */
  | { readonly is: 'read'; readonly bytes: number }
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

parentPort?.on('message', async ({ port, ring, limits }: CheckTask) => {
  const tell = (message: CheckMessage) => port.postMessage(message);
  const memory = capacity.reserve(() => tell({ is: 'large' }));
  // Also while it waits for memory, and asks for no bytes.
  port.on('close', memory.release);

  async function* written(): AsyncGenerator<number> {
    // A port that closes is an upload that was given up.
    for await (const [message] of on(port, 'message', { close: ['close'] })) {
      if (message === 'end') return;
      yield message;
    }
  }
  const arriving = ringChunks(ring, written(), (bytes) => tell({ is: 'read', bytes }));

  try {
    tell({ is: 'good', summary: await checkArchive(arriving, { limits, memory }) });
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
