import { TooManyRequests } from '../model/errors.js';

/** Runs work, so many pieces at once and no more. Rejects with `TooManyRequests` beyond. */
export type Semaphore = <T>(work: () => Promise<T>) => Promise<T>;

/** `what`: plural, as in "uploads". */
export function semaphore(limit: number, what: string): Semaphore {
  let running = 0;
  return async (work) => {
    if (running >= limit) {
      throw new TooManyRequests(`${limit} ${what} are under way already; try again in a moment`, 5);
    }
    running++;
    try {
      return await work();
    } finally {
      running--;
    }
  };
}

/** As `Semaphore`; who waits leaves the line when the signal aborts: it rejects with its reason. */
type QueueingSemaphore = <T>(work: () => Promise<T>, signal?: AbortSignal) => Promise<T>;

/** Runs work, `running` pieces at once; `waiting` more stand in line. Rejects with what `refusal` makes beyond. */
export function queueingSemaphore(
  limits: { readonly running: number; readonly waiting: number },
  refusal: () => Error,
): QueueingSemaphore {
  const waiting: (() => void)[] = [];
  let running = 0;

  async function enter(signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    if (running < limits.running) {
      running++;
      return;
    }
    if (waiting.length >= limits.waiting) throw refusal();
    await new Promise<void>((resolve, reject) => {
      const begin = () => {
        signal?.removeEventListener('abort', leave);
        resolve();
      };
      const leave = () => {
        waiting.splice(waiting.indexOf(begin), 1);
        reject(signal?.reason);
      };
      signal?.addEventListener('abort', leave, { once: true });
      waiting.push(begin);
    });
  }

  return async (work, signal) => {
    await enter(signal);
    try {
      return await work();
    } finally {
      // The place is handed on, so nobody can slip in between.
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  };
}
