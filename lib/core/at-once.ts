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

/** Runs work, `running` pieces at once; `waiting` more stand in line. Rejects with what `refusal` makes beyond. */
export function inLine(
  limits: { readonly running: number; readonly waiting: number },
  refusal: () => Error,
): AtOnce {
  const waiting: (() => void)[] = [];
  let running = 0;

  async function enter(): Promise<void> {
    if (running < limits.running) {
      running++;
      return;
    }
    if (waiting.length >= limits.waiting) throw refusal();
    await new Promise<void>((resolve) => waiting.push(resolve));
  }

  return async (work) => {
    await enter();
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
