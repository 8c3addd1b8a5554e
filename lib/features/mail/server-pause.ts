import type { Clock } from '../../interfaces/clock.js';
import { type BackOff, pauseAfter } from '../../runtime/back-off.js';

/** How long failures of the mail server make all mails wait. */
export interface ServerPause {
  /** Nothing is tried before this monotonic time. */
  readonly until: number;
  /** Why the last try failed; `undefined` when the server answered. */
  readonly problem: string | undefined;
  failed(why: string): void;
  /** The next failure counts as the first one. */
  answered(): void;
  /** The settings have changed: whatever made it wait is over. */
  end(): void;
}

export function createServerPause(backOff: BackOff, clock: Clock): ServerPause {
  /** So many tries in a row failed. */
  let failures = 0;
  let until = 0;
  let problem: string | undefined;

  function answered(): void {
    failures = 0;
    problem = undefined;
  }

  return {
    get until() {
      return until;
    },
    get problem() {
      return problem;
    },
    failed(why) {
      problem = why;
      until = clock.monotonic() + pauseAfter(++failures, backOff, Math.random());
    },
    answered,
    end() {
      answered();
      until = 0;
    },
  };
}
