import type { Clock } from '../interfaces/clock.js';
import type { HubLimits } from './limits.js';

/** Long work of many sockets, done in slices: all of them together take no more of a turn than `turnMs`. */
export interface Slices {
  /** Calls `step` again and again, from the next turn of the event loop on, until it returns `false`. */
  run(step: () => boolean): void;
  close(): void;
}

export function createSlices(options: { clock: Clock; limits: Pick<HubLimits, 'turnMs'> }): Slices {
  const { clock, limits } = options;
  let waiting: (() => boolean)[] = [];
  let turn: NodeJS.Immediate | undefined;

  function work(): void {
    turn = undefined;
    const until = clock.monotonic() + limits.turnMs;
    do {
      const step = waiting.shift();
      if (step?.()) waiting.push(step);
    } while (waiting.length > 0 && clock.monotonic() < until);
    if (waiting.length > 0) turn ??= setImmediate(work);
  }

  return {
    run(step) {
      waiting.push(step);
      turn ??= setImmediate(work);
    },
    close() {
      clearImmediate(turn);
      waiting = [];
    },
  };
}
