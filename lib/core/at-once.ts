import { TooManyRequests } from './errors.js';

/** Runs work, so many pieces at once and no more. Rejects with `TooManyRequests` beyond. */
export type AtOnce = <T>(work: () => Promise<T>) => Promise<T>;

/** `what`: plural, as in "uploads". */
export function atOnce(limit: number, what: string): AtOnce {
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
