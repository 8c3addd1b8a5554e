import { setImmediate } from 'node:timers/promises';

/** Resolves in the next turn of the event loop, after all that waits for this one. */
export const nextTurn = (): Promise<void> => setImmediate();

/** Lets others have their turn after this long (ms): long enough to be cheap, short enough that several at once are not felt. */
const sliceMillis = 3;

/** Keeps long work off the event loop: it is done in slices, each in a turn of its own. */
export interface TimeSlice {
  /** Whether the slice has lasted its time: do no more before `next`. Ask after each small piece of work. */
  isOver(): boolean;
  /** Resolves when the next slice may begin. */
  next(): Promise<void>;
}

/** For work that nobody else's has to take turns with. The first slice begins now. */
export function timeSlice(millis = sliceMillis): TimeSlice {
  let began = performance.now();
  return {
    isOver: () => performance.now() - began > millis,
    async next() {
      await nextTurn();
      began = performance.now();
    },
  };
}
