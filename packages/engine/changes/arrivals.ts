import { Conflict } from 'headgate/driver-kit';
import type { Slot } from '../layout/physical-state.js';
import type { Containers } from '../processes/containers.js';
import type { StartQueue } from '../processes/start-queue.js';
import type { Latch } from './latch.js';

interface ArrivalsDeps {
  readonly starts: StartQueue;
  readonly containers: Pick<Containers, 'discard'>;
  readonly latch: Latch;
}

/** What may stop a change while it waits. Both throw. */
interface Checks {
  /** That the plan can still change at all. */
  check(): void;
  /** That besides nothing is being deployed. */
  checkCalm(): void;
}

/** The places that a change of the plan needs besides those that are there. */
interface Arrivals {
  /** Those of the change that is under way. */
  readonly slots: readonly Slot[];
  /** Starts their containers one by one. Resolves them when all are ready. */
  start(slots: readonly Slot[], signal: AbortSignal): Promise<readonly Slot[]>;
  /** The plan stays as it is. Resolves when their processes have ended. */
  discard(): Promise<void>;
  /** The change is over, whichever way. */
  over(): void;
}

export function createArrivals(
  { starts, containers, latch }: ArrivalsDeps,
  { check, checkCalm }: Checks,
): Arrivals {
  let arriving: readonly Slot[] = [];

  return {
    get slots() {
      return arriving;
    },
    async start(slots, signal) {
      arriving = slots;
      for (const slot of slots) {
        await starts.add(slot, () => !signal.aborted);
        signal.throwIfAborted();
        // Whatever was waiting for its start then is forgotten, but this here would go on.
        check();
      }
      await latch.until(() => {
        checkCalm();
        if (slots.some(({ agent }) => !agent))
          throw new Conflict(
            'PLAN_CHANGE_INTERRUPTED',
            'A new container ended while it was starting; the plan is as it was',
          );
        return slots.every(({ ready }) => ready);
      }, signal);
      return slots;
    },
    async discard() {
      await Promise.all(arriving.map((slot) => containers.discard(slot)));
    },
    over() {
      arriving = [];
    },
  };
}
