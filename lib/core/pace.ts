import { setImmediate as nextTurn } from 'node:timers/promises';

/** Lets others have their turn after this long (ms): long enough to be cheap, short enough that several at once are not felt. */
const sliceMs = 3;

/** Keeps a long run of small pieces of work off the event loop. Call `due` after each piece, and `rest` when it says so. */
export interface Pace {
  due(): boolean;
  rest(): Promise<void>;
}

export function pace(): Pace {
  let began = performance.now();
  return {
    due: () => performance.now() - began > sliceMs,
    async rest() {
      await nextTurn();
      began = performance.now();
    },
  };
}
