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

/** Permits of which there are so many; one that is released goes to who has waited longest. */
export interface CountingSemaphore {
  /** Whoever acquires one releases it. Who waits leaves the line when the signal aborts: it rejects with its reason. */
  acquire(signal?: AbortSignal): Promise<void>;
  release(): void;
}

export interface SemaphoreSize {
  /** Pieces of work at once. */
  readonly permits: number;
  /** How many more may wait for a permit. */
  readonly queue: number;
}

/** Rejects with what `refusal` makes beyond its size. */
export function countingSemaphore(
  { permits, queue }: SemaphoreSize,
  refusal: () => Error,
): CountingSemaphore {
  const waiting: (() => void)[] = [];
  let running = 0;

  return {
    async acquire(signal) {
      signal?.throwIfAborted();
      if (running < permits) {
        running++;
        return;
      }
      if (waiting.length >= queue) throw refusal();
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
    },

    release() {
      // The permit is handed on, so nobody can slip in between.
      const next = waiting.shift();
      if (next) next();
      else running--;
    },
  };
}

/** As `Semaphore`; who waits leaves the line when the signal aborts: it rejects with its reason. */
export type QueueingSemaphore = <T>(work: () => Promise<T>, signal?: AbortSignal) => Promise<T>;

/** Runs work. Rejects with what `refusal` makes beyond its size. */
export function queueingSemaphore(size: SemaphoreSize, refusal: () => Error): QueueingSemaphore {
  const permits = countingSemaphore(size, refusal);
  return async (work, signal) => {
    await permits.acquire(signal);
    try {
      return await work();
    } finally {
      permits.release();
    }
  };
}
