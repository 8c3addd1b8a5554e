import type { TurnBudget } from './turn-budget.js';

/** Long work of many sockets, done in slices: all of them together take no more of a turn than its budget has left. */
export interface Slices {
  /** Calls `step` again and again, from the next turn of the event loop on, until it returns `false`. */
  run(step: () => boolean): void;
  close(): void;
}

export function createSlices(budget: TurnBudget): Slices {
  let waiting: (() => boolean)[] = [];
  let turn: NodeJS.Immediate | undefined;

  function work(): void {
    turn = undefined;
    budget.isSpent();
    // At least one, so that others that use the budget up can't stop it.
    do {
      const step = waiting.shift();
      if (step?.()) waiting.push(step);
    } while (waiting.length > 0 && !budget.isSpent());
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
