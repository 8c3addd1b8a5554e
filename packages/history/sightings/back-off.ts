import { type Clock, pauseAfter } from 'headgate/driver-kit';

/** Leaves alone for a while what just failed: nobody waits twice in a row for something that hangs. */
export interface BackOff {
  /** The failure that keeps it from being asked now; `undefined`: ask. */
  readonly holding: unknown;
  failed(error: unknown): void;
  worked(): void;
}

const firstMillis = 1000;

export function createBackOff(clock: Clock, maxMillis: number): BackOff {
  let failures = 0;
  let until = -Infinity;
  let last: unknown;
  return {
    get holding() {
      return clock.monotonic() < until ? last : undefined;
    },
    failed(error) {
      last = error;
      failures++;
      until = clock.monotonic() + pauseAfter(failures, { first: firstMillis, most: maxMillis }, 0);
    },
    worked() {
      failures = 0;
      until = -Infinity;
    },
  };
}
