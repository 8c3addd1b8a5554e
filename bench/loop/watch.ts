import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';

export interface Watch {
  start(): 'started';
  /** Milliseconds that the event loop stood at the longest. */
  stop(): Promise<number>;
}

/** Of the process that it runs in. The sampling timer's own millisecond is taken off. */
export function openWatch(): Watch {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  return {
    start() {
      delay.enable();
      delay.reset();
      return 'started';
    },
    async stop() {
      // A stop counts when the sampling timer comes after it, which may be later than this question.
      await setTimeout(10);
      delay.disable();
      return Math.max(delay.max / 1e6 - 1, 0);
    },
  };
}
