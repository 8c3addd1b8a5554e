import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import { openThreadClock } from '../../test/helpers/thread-clock.js';

export interface Watch {
  start(): 'started';
  /** Milliseconds that this process held its event loop at the longest. */
  stop(): Promise<number>;
  /** Milliseconds that the event loop stood at the longest, waiting for a processor included. */
  stood(): number;
}

/**
 * Of the process that it runs in. On a machine that others use too a process also stands still without doing anything,
 * so two things are watched: how long the loop stood, and how much processor time of its thread passed between two moments
 * at which it was free. No work of our own was longer than either. The sampling timer's own millisecond is taken off.
 */
export function openWatch(): Watch {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  const spent = openThreadClock();
  let timer: NodeJS.Timeout | undefined;
  let last = 0;
  let longestWork = 0;
  const look = () => {
    const now = spent();
    longestWork = Math.max(longestWork, now - last);
    last = now;
  };
  const stood = () => Math.max(delay.max / 1e6 - 1, 0);
  return {
    start() {
      look();
      longestWork = 0;
      timer = setInterval(look, 1);
      delay.enable();
      delay.reset();
      return 'started';
    },
    async stop() {
      // A stop counts when the timers come after it, which may be later than this question.
      await setTimeout(10);
      clearInterval(timer);
      delay.disable();
      return Math.min(stood(), longestWork);
    },
    stood,
  };
}
