import type { Clock } from 'headgate/driver-kit';

/** Leaves alone for a while what just failed: nobody waits twice in a row for something that hangs. */
export interface BackOff {
  /** The failure that keeps it from being asked now; `undefined`: ask. */
  readonly holding: unknown;
  failed(error: unknown): void;
  worked(): void;
}

const firstMillis = 1000;

export function createBackOff(clock: Clock, maxMillis: number): BackOff {
  let pause = 0;
  let until = -Infinity;
  let last: unknown;
  return {
    get holding() {
      return clock.monotonic() < until ? last : undefined;
    },
    failed(error) {
      last = error;
      pause = Math.min(maxMillis, pause === 0 ? firstMillis : pause * 2);
      until = clock.monotonic() + pause;
    },
    worked() {
      pause = 0;
      until = -Infinity;
    },
  };
}
