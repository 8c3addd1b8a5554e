import { TooManyRequests } from '../model/errors.js';
import type { TimeSlice } from './event-loop.js';
import { createStepScheduler } from './step-scheduler.js';

/**
 * Long work of one gateway for its clients. However many of them want something at once, a turn of the event loop
 * holds one slice at most, and everybody else is served in between.
 */
export interface SliceScheduler {
  /** Rejects with `TooManyRequests` when too much is under way. */
  run<T>(signal: AbortSignal, work: (slice: TimeSlice) => Promise<T>): Promise<T>;
}

interface SliceBounds {
  /** Milliseconds. Default: 10. */
  readonly slice: number;
  /** Pieces of work at once. Default: 16. */
  readonly atOnce: number;
}

export function createSliceScheduler({ slice = 10, atOnce = 16 }: Partial<SliceBounds> = {}): SliceScheduler {
  // What waits for its slice begins when the step is over, so a turn has one of them.
  const slices = createStepScheduler(() => true);
  let running = 0;
  const granted = () =>
    new Promise<void>((resolve) => {
      slices.run(() => {
        resolve();
        return false;
      });
    });

  function sliceOf(signal: AbortSignal): TimeSlice {
    let until = 0;
    return {
      async next() {
        await granted();
        signal.throwIfAborted();
        until = performance.now() + slice;
      },
      isOver: () => performance.now() >= until,
    };
  }

  return {
    async run(signal, work) {
      if (running >= atOnce)
        throw new TooManyRequests(`${atOnce} long answers are being made already; ask again in a moment`, 1);
      running++;
      try {
        return await work(sliceOf(signal));
      } finally {
        running--;
      }
    },
  };
}
