import { MessageChannel, Worker } from 'node:worker_threads';
import { BadRequest, NotReady, TooManyRequests } from '../../../model/errors.js';
import { owned } from '../../../runtime/owned.js';
import type { ArchiveSummary } from './check.js';
import type { CheckBatch, CheckMessage, CheckTask } from './check-thread-main.js';
import type { ArchiveLimits } from './limits.js';

/** One archive that is checked while its bytes are given. */
export interface ThreadCheck {
  /** Copies them, and waits while the check is far behind. Rejects with the fault as soon as one is known. */
  give(bytes: Buffer): Promise<void>;
  /** After the last bytes. */
  end(): Promise<ArchiveSummary>;
  /** Whether it has ended or not. */
  close(): void;
}

/**
 * A thread for checking large archives: inflating, summing, and what V8 has to collect after it stay off the host's
 * event loop. One for all of them, so that uploads take one core more at most; it ends a while after
 * the last check, and keeps no process alive that waits for nothing else.
 */
interface CheckThread {
  check(limits: Partial<ArchiveLimits>): ThreadCheck;
}

/** Bytes that cross at once. */
const batchBytes = 256 * 1024;
/** How far giving may be ahead of the check (bytes): a jar that inflates to a multiple does not stop what comes in. */
const leadBytes = 4 * 1024 ** 2;

/**
 * The young generation is small because the check leaves nothing to keep. The rest is more than all checks together may
 * take by the levels of their rooms.
 */
const resourceLimits = { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 448 };

/** The next upload finds a thread that has compiled its code (ms). */
const lingerMs = 10_000;

export function checkThread(): CheckThread {
  const running = new Set<(cause: unknown) => void>();
  let thread: Worker | undefined;
  let lingering: NodeJS.Timeout | undefined;

  function end(): void {
    void thread?.terminate();
    thread = undefined;
  }

  function rest(): void {
    thread?.unref();
    lingering = setTimeout(end, lingerMs).unref();
  }

  function started(): Worker {
    clearTimeout(lingering);
    thread?.ref();
    if (thread) return thread;
    const worker = owned(
      new Worker(new URL('./check-thread-main.bundle.mjs', import.meta.url), {
        env: {},
        execArgv: [],
        resourceLimits,
      }),
    );
    worker.on('error', (error) => {
      if (thread === worker) thread = undefined;
      for (const lose of running) lose(error);
    });
    thread = worker;
    return worker;
  }

  return {
    check(limits) {
      const { port1: port, port2 } = new MessageChannel();
      const free: Buffer<ArrayBuffer>[] = [];
      let batch: Buffer<ArrayBuffer> = Buffer.allocUnsafeSlow(batchBytes);
      let filled = 0;
      let ahead = 0;
      let wake = () => {};
      let isLarge = false;
      let failure: { readonly error: unknown } | undefined;
      let summary: ArchiveSummary | undefined;

      function fail(error: unknown): void {
        failure ??= { error };
        wake();
      }

      /** The thread is gone, by the one that took most of its memory. The others may come again, to another thread. */
      const lose = (cause: unknown) => fail(isLarge ? tooMuchMemory() : interrupted(cause));

      port.on('message', (message: CheckMessage) => {
        if (message.is === 'large') {
          isLarge = true;
          return;
        }
        if (message.is === 'busy') return fail(new TooManyRequests(message.text, 30));
        if (message.is === 'fault') return fail(new BadRequest(message.code, message.text));
        if (message.is === 'failed') return fail(message.error);
        if (message.is === 'taken') {
          ahead -= message.batch.bytes;
          free.push(Buffer.from(message.batch.buffer));
        } else summary = message.summary;
        wake();
      });
      running.add(lose);
      const task: CheckTask = { port: port2, limits };
      started().postMessage(task, [port2]);

      const changed = () =>
        new Promise<void>((resolve) => {
          wake = resolve;
        });

      function send(): void {
        ahead += filled;
        const full: CheckBatch = { buffer: batch.buffer, bytes: filled };
        port.postMessage(full, [batch.buffer]);
        batch = free.pop() ?? Buffer.allocUnsafeSlow(batchBytes);
        filled = 0;
      }

      return {
        async give(bytes) {
          for (let at = 0; at < bytes.length; ) {
            const copied = bytes.copy(batch, filled, at);
            at += copied;
            filled += copied;
            if (filled === batch.length) send();
          }
          while (ahead > leadBytes && !failure) await changed();
          if (failure) throw failure.error;
        },
        async end() {
          send();
          port.postMessage('end');
          while (!summary && !failure) await changed();
          if (summary) return summary;
          throw failure?.error;
        },
        close() {
          fail(new Error('The check was given up'));
          port.close();
          running.delete(lose);
          if (running.size === 0) rest();
        },
      };
    },
  };
}

const tooMuchMemory = () =>
  new BadRequest(
    'ARCHIVE_LIMIT',
    'The archive needs more memory than there is for the check of one: it has too many entries',
  );

function interrupted(cause: unknown): NotReady {
  const error = new NotReady('The check of the package was interrupted; send it again');
  error.cause = cause;
  return error;
}
