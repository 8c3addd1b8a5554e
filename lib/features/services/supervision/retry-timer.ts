import { type BackOff, pauseAfter } from '../../../runtime/back-off.js';

/** New tries after failures, each after a longer pause. */
interface RetryTimer {
  /** After one more failure. Returns a sentence that says when the next try comes. */
  schedule(run: () => void): string;
  cancel(): void;
  /** Failures so far count no more. */
  reset(): void;
}

export function createRetryTimer(backOff: BackOff): RetryTimer {
  let timer: NodeJS.Timeout | undefined;
  let failures = 0;

  return {
    schedule(run) {
      clearTimeout(timer);
      failures++;
      const pause = pauseAfter(failures, backOff, 0);
      timer = setTimeout(run, pause);
      return `tried again ${failures === 1 ? '' : `after ${failures} failures `}in ${Math.ceil(pause / 1000)} s`;
    },
    cancel: () => clearTimeout(timer),
    reset() {
      failures = 0;
    },
  };
}
