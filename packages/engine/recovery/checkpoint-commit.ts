import type { OperatorState } from '../layout/physical-state.js';
import type { SavedState } from '../store/record.js';
import { checkpointAt, commonWindow } from './recovery.js';

export interface Commit {
  readonly saved: SavedState;
  /** Files that are not needed any more, with the number of the slot that wrote them. */
  readonly obsolete: readonly (readonly [slot: number, file: string])[];
}

/**
 * The newest state that all operators have, when it is newer than `committed`; the operators forget what is older.
 * `reported` is the window of what is new: an initial state belongs to a window that is committed already.
 */
export function commitOf(
  operators: readonly OperatorState[],
  committed: number,
  reported: number,
): Commit | undefined {
  const allEnded = operators.every(({ finalWindow }) => finalWindow !== undefined);
  const window = allEnded ? Infinity : commonWindow(operators);
  if (window < committed || (window === committed && reported !== committed)) return undefined;
  const states: Record<string, string | null> = {};
  const obsolete: [number, string][] = [];
  for (const state of operators) {
    const kept = checkpointAt(state, window);
    states[state.operator.key] = state.checkpoints.get(kept) ?? null;
    state.recoveryWindow = kept;
    for (const [older, file] of [...state.checkpoints]) {
      if (older >= kept) continue;
      state.checkpoints.delete(older);
      if (file !== undefined) obsolete.push([state.operator.slot, file]);
    }
  }
  return { saved: { window: window === Infinity ? committed : window, states }, obsolete };
}
