import type { MessagePort } from 'node:worker_threads';
import { BadRequest, NotReady, TooManyRequests } from '../../../model/errors.js';
import type { ArchiveSummary } from './check.js';
import type { CheckMessage } from './check-thread-main.js';
import { ringWriter } from './shared-ring.js';

/** One archive that is checked in a thread while its bytes are given. */
export interface RemoteCheck {
  /** Copies them, and waits while the check is far behind. Rejects with the fault as soon as one is known. */
  give(bytes: Buffer): Promise<void>;
  /** After the last bytes. */
  end(): Promise<ArchiveSummary>;
  /** Whether it has ended or not. */
  close(): void;
}

/** `port`: its other end is the thread's, as is `ring`. `lose` is called when the thread has died. */
export function remoteCheck(
  port: MessagePort,
  ring: SharedArrayBuffer,
): RemoteCheck & { lose(cause: unknown): void } {
  const writer = ringWriter(ring, (written) => port.postMessage(written));
  let wake = () => {};
  let isLarge = false;
  let failure: { readonly error: unknown } | undefined;
  let summary: ArchiveSummary | undefined;

  const changed = () =>
    new Promise<void>((resolve) => {
      wake = resolve;
    });

  function fail(error: unknown): void {
    failure ??= { error };
    wake();
  }

  port.on('message', (message: CheckMessage) => {
    if (message.is === 'large') isLarge = true;
    else if (message.is === 'read') writer.read(message.bytes);
    else if (message.is === 'good') summary = message.summary;
    else fail(errorOf(message));
    wake();
  });

  return {
    async give(bytes) {
      for (let left = bytes; left.length > 0 && !failure; ) {
        const written = writer.write(left);
        left = left.subarray(written);
        if (written === 0) await changed();
      }
      if (failure) throw failure.error;
    },
    async end() {
      writer.flush();
      port.postMessage('end');
      while (!summary && !failure) await changed();
      if (summary) return summary;
      throw failure?.error;
    },
    close() {
      fail(new Error('The check was given up'));
      port.close();
    },
    // By the one that took most of its memory. The others may come again, to another thread.
    lose: (cause) => fail(isLarge ? tooMuchMemory() : interrupted(cause)),
  };
}

function errorOf(message: Extract<CheckMessage, { is: 'busy' | 'fault' | 'failed' }>): unknown {
  if (message.is === 'busy') return new TooManyRequests(message.text, 30);
  return message.is === 'fault' ? new BadRequest(message.code, message.text) : message.error;
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
