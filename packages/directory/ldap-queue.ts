import { Unreachable } from 'headgate/driver-kit';

/** Places for those who want a connection, and a line for those who find none free. */
interface ConnectionQueue {
  /** Rejects with `Unreachable` when too many wait, or it is closed. */
  enter(signal: AbortSignal): Promise<void> | void;
  leave(): void;
  /** For all who wait. */
  failWaiting(error: unknown): void;
  close(): void;
}

interface Waiting {
  enter(): void;
  fail(error: unknown): void;
}

export function createConnectionQueue(limits: {
  readonly max: number;
  readonly waiting: number;
}): ConnectionQueue {
  const waiting = new Set<Waiting>();
  let lent = 0;
  let isClosed = false;

  function enter(signal: AbortSignal): Promise<void> | void {
    signal.throwIfAborted();
    if (isClosed) throw closedPool();
    if (lent < limits.max) {
      lent++;
      return;
    }
    if (waiting.size >= limits.waiting) {
      throw new Unreachable(
        'The directory',
        new Error(`${waiting.size} logins wait for a connection already`),
      );
    }
    return new Promise((resolve, reject) => {
      const stop = () => one.fail(signal.reason);
      const leaveLine = () => {
        waiting.delete(one);
        signal.removeEventListener('abort', stop);
      };
      const one: Waiting = {
        enter() {
          leaveLine();
          resolve();
        },
        fail(error) {
          leaveLine();
          reject(error);
        },
      };
      waiting.add(one);
      signal.addEventListener('abort', stop, { once: true });
    });
  }

  function leave(): void {
    const [next] = waiting;
    // The place is handed on, so nobody can slip in between.
    if (next) next.enter();
    else lent--;
  }

  function failWaiting(error: unknown): void {
    for (const one of [...waiting]) one.fail(error);
  }

  return {
    enter,
    leave,
    failWaiting,
    close() {
      isClosed = true;
      failWaiting(closedPool());
    },
  };
}

const closedPool = () =>
  new Unreachable('The directory', new Error('The connections to it have been closed'));
