import { monitorEventLoopDelay } from 'node:perf_hooks';

export interface Watch {
  start(): 'started';
  /** Milliseconds that the event loop stood at the longest. */
  stop(): number;
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
    stop() {
      delay.disable();
      return Math.max(delay.max / 1e6 - 1, 0);
    },
  };
}
