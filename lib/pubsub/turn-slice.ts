import type { Clock } from '../interfaces/clock.js';
import type { HubLimits } from './limits.js';

/**
 * The slice of time that the hub may take of one turn of the event loop, all its parts together: each alone would be bounded,
 * their sum not.
 */
export interface TurnSlice {
  /** Whether this turn's `turnMs` are over; they begin with the first question. `now`: where it is known already. */
  isOver(now?: number): boolean;
}

export function createTurnSlice(options: { clock: Clock; limits: Pick<HubLimits, 'turnMs'> }): TurnSlice {
  const { clock, limits } = options;
  let until: number | undefined;
  const renew = () => {
    until = undefined;
  };
  return {
    isOver(now = clock.monotonic()) {
      if (until === undefined) {
        until = now + limits.turnMs;
        // Runs in the next turn, before all that asks for its turn after this question.
        setImmediate(renew);
      }
      return now >= until;
    },
  };
}
