import { setTimeout as delay } from 'node:timers/promises';

/**
 * What every wait of a test ends with, in milliseconds: generous, since a machine may have many times the work it can do. A
 * test waits for what it asks for and is as fast as that.
 */
export const limitMillis = 120_000;

/** Asks until the answer fits; fails at the limit, with the last answer. */
export async function until<T>(
  ask: () => Promise<T> | T,
  fits: (answer: T) => boolean,
  betweenMillis = 20,
): Promise<T> {
  const deadline = performance.now() + limitMillis;
  for (;;) {
    const answer = await ask();
    if (fits(answer)) return answer;
    if (performance.now() > deadline)
      throw new Error(`After ${limitMillis / 1000} s it is still ${JSON.stringify(answer)?.slice(0, 2000)}`);
    await delay(betweenMillis);
  }
}

/** Resolves the first value that is not `undefined`. */
export async function eventually<T>(
  read: () => Promise<T | undefined> | T | undefined,
  betweenMillis?: number,
): Promise<T> {
  const value = await until(read, (found) => found !== undefined, betweenMillis);
  if (value === undefined) throw new Error('It was there a moment ago');
  return value;
}

/** Looks until it is so. */
export const untilTrue = (isSo: () => Promise<boolean> | boolean, betweenMillis = 5): Promise<boolean> =>
  until(isSo, (so) => so, betweenMillis);
