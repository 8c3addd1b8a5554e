/** Long work of many, done in slices: what waits comes in its turn, and everybody else is served in between. */
export interface StepScheduler {
  /** Calls `step` again and again, from the next turn of the event loop on, until it returns `false`. */
  run(step: () => boolean): void;
  close(): void;
}

/** `isOver` tells whether the slice of this turn of the event loop is over; it is asked when a turn begins and after each step. */
export function createStepScheduler(isOver: () => boolean): StepScheduler {
  let waiting: (() => boolean)[] = [];
  let turn: NodeJS.Immediate | undefined;

  function work(): void {
    turn = undefined;
    isOver();
    // At least one, so that others that use the turn up can't stop it.
    do {
      const step = waiting.shift();
      if (step?.()) waiting.push(step);
    } while (waiting.length > 0 && !isOver());
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
