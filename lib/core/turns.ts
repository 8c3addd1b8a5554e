import { TooManyRequests } from './errors.js';
import { createSlices } from './slices.js';

/** A piece of long work: it runs in slices, each in a turn of the event loop of its own. */
export interface Turn {
  /** Resolves when the next slice may begin; rejects with the signal's reason when that aborts. */
  next(): Promise<void>;
  /** The slice has lasted its time: do no more before `next`. */
  isOver(): boolean;
}

/**
 * Long work of one gateway for its clients. However many of them want something at once, a turn of the event loop
 * holds one slice at most, and everybody else is served in between.
 */
export interface Turns {
  /** Rejects with `TooManyRequests` when too much is under way. */
  run<T>(signal: AbortSignal, work: (turn: Turn) => Promise<T>): Promise<T>;
}

export interface TurnLimits {
  /** Milliseconds. Default: 10. */
  readonly slice: number;
  /** Pieces of work at once. Default: 16. */
  readonly atOnce: number;
}

export function createTurns({ slice = 10, atOnce = 16 }: Partial<TurnLimits> = {}): Turns {
  // What waits for its slice begins when the step is over, so a turn has one of them.
  const slices = createSlices(() => true);
  let running = 0;
  const granted = () =>
    new Promise<void>((resolve) => {
      slices.run(() => {
        resolve();
        return false;
      });
    });

  function turnOf(signal: AbortSignal): Turn {
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
        return await work(turnOf(signal));
      } finally {
        running--;
      }
    },
  };
}
