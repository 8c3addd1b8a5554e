/** Long work of many, done in slices: what waits comes in its turn, and everybody else is served in between. */
export interface StepScheduler {
  /** Calls `step` again and again, from the next turn of the event loop on, until it returns `false`. */
  run(step: () => boolean): void;
  close(): void;
}

/** `isSpent` tells whether a turn of the event loop has had its share; it is asked when one begins and after each step. */
export function createStepScheduler(isSpent: () => boolean): StepScheduler {
  let waiting: (() => boolean)[] = [];
  let turn: NodeJS.Immediate | undefined;

  function work(): void {
    turn = undefined;
    isSpent();
    // At least one, so that others that use the turn up can't stop it.
    do {
      const step = waiting.shift();
      if (step?.()) waiting.push(step);
    } while (waiting.length > 0 && !isSpent());
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
