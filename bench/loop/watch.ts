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

/**
 * The same in processor time: the most that this process took between two moments at which its event loop was free for
 * others. On a machine that others use too a process stands still without doing anything; that does not count here.
 */
export function openWorkWatch(): Watch {
  let timer: NodeJS.Timeout | undefined;
  let last = 0;
  let longest = 0;
  const look = () => {
    const { user, system } = process.cpuUsage();
    const now = (user + system) / 1000;
    longest = Math.max(longest, now - last);
    last = now;
  };
  return {
    start() {
      look();
      longest = 0;
      timer = setInterval(look, 1);
      return 'started';
    },
    async stop() {
      await setTimeout(10);
      clearInterval(timer);
      return longest;
    },
  };
}
