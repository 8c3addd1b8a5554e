import type { Clock } from '../interfaces/clock.js';
import type { TurnSlice } from './turn-slice.js';

/** Comes to each socket that has something to be sent, at the end of the turn of the event loop, or in several when it takes long. */
interface Sweep<R> {
  /** Comes to this one after those that were added before. */
  add(receiver: R): void;
  /** Calls `begin` in this turn, even when nobody was added. */
  wake(): void;
  close(): void;
}

interface SweepOptions<R> {
  readonly clock: Clock;
  readonly slice: TurnSlice;
  /** Called once a turn, before the first socket; who is added now is come to with the rest. */
  readonly begin: () => void;
  /** Returns about how many bytes were written. */
  readonly deliver: (receiver: R) => number;
}

/** How much is written between two looks at the clock: sockets, and bytes. */
const stride = { sockets: 32, bytes: 1024 * 1024 };

/** What a sweep has of a turn, however little is left of it. */
const leastMs = 2;

export function createSweep<R>({ clock, slice, begin, deliver }: SweepOptions<R>): Sweep<R> {
  let queue: R[] = [];
  let next = 0;
  let turn: NodeJS.Immediate | undefined;

  const wake = (): void => {
    turn ??= setImmediate(sweep);
  };

  function sweep(): void {
    // `turn` still stands, so who is added now belongs to this sweep.
    begin();
    turn = undefined;
    deliverInTime();
    if (next < queue.length) {
      wake();
      return;
    }
    queue = [];
    next = 0;
  }

  function deliverInTime(): void {
    // Also when the others used the turn up: what is not written only grows.
    const began = clock.monotonic();
    slice.isOver(began);
    let written = 0;
    while (next < queue.length) {
      const receiver = queue[next++];
      if (receiver !== undefined) written += deliver(receiver);
      if (next % stride.sockets !== 0 && written < stride.bytes) continue;
      written = 0;
      const now = clock.monotonic();
      if (now - began > leastMs && slice.isOver(now)) return;
    }
  }

  return {
    add(receiver) {
      queue.push(receiver);
      wake();
    },
    wake,
    close() {
      clearImmediate(turn);
      queue = [];
      next = 0;
    },
  };
}
