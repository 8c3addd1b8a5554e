import { ClientHungUp } from '../model/errors.js';
import { createRoundRobin } from './round-robin.js';

/** Where a piece of work stands in a line. */
export interface QueuePlace {
  /** Whose turn it takes: an address, a user. */
  readonly whose: string;
  /**
   * Stands in a line of its own, which takes turns with the other one: whom we know does not wait behind any number of
   * strangers. Default: false.
   */
  readonly isKnown?: boolean;
  /** Aborted when nobody waits for it any more; then it is left out, unless it has begun. */
  readonly signal?: AbortSignal | undefined;
}

/** Runs work when its turn has come. */
type FairQueue = <T>(place: QueuePlace, work: () => Promise<T>) => Promise<T>;

export interface FairQueueBounds {
  /** Pieces of work at once. */
  readonly running: number;
  /** Of them, of one. Default: all. */
  readonly runningOfOne?: number;
  /** That wait, of known ones and of strangers each; beyond, the newest of who has most is refused. */
  readonly waiting: number;
  /** Who has waited for so many milliseconds is refused. */
  readonly waitMillis: number;
}

interface Waiting {
  readonly whose: string;
  begin(): void;
  giveUp(error: Error): void;
}

/**
 * Work that is slow, for clients of whom some want much of it: those that wait take turns, each once, however much one of
 * them has sent. Rejects with `ClientHungUp` when the signal aborts first, and with what `refusal` makes beyond the limits.
 */
export function fairQueue(limits: FairQueueBounds, refusal: () => Error): FairQueue {
  const known = createRoundRobin<Waiting>();
  const strangers = createRoundRobin<Waiting>();
  const running = createRunning(limits);
  let isTurnOfKnown = true;

  function beginNext(): void {
    while (!running.isFull) {
      const [first, second] = isTurnOfKnown ? [known, strangers] : [strangers, known];
      const next = first.take(running.mayHaveMore) ?? second.take(running.mayHaveMore);
      if (!next) return;
      isTurnOfKnown = !isTurnOfKnown;
      next.begin();
    }
  }

  /** Makes room for one more of `whose`, at the cost of who has more than they would, or throws. */
  function makeRoom(line: typeof known, whose: string): void {
    if (line.size < limits.waiting) return;
    const busiest = line.busiest();
    if (busiest === undefined || line.countOf(busiest) <= line.countOf(whose) + 1) throw refusal();
    line.takeNewest(busiest)?.giveUp(refusal());
  }

  async function enter({ whose, isKnown = false, signal }: QueuePlace): Promise<void> {
    if (signal?.aborted) throw new ClientHungUp();
    if (!running.isFull && running.mayHaveMore(whose)) {
      running.start(whose);
      return;
    }
    const line = isKnown ? known : strangers;
    makeRoom(line, whose);
    await new Promise<void>((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', hungUp);
      };
      const waiting: Waiting = {
        whose,
        begin() {
          leave();
          running.start(whose);
          resolve();
        },
        giveUp(error) {
          leave();
          reject(error);
        },
      };
      const dropWith = (error: Error) => {
        if (line.remove(whose, waiting)) waiting.giveUp(error);
      };
      const hungUp = () => dropWith(new ClientHungUp());
      const timer = setTimeout(() => dropWith(refusal()), limits.waitMillis).unref();
      signal?.addEventListener('abort', hungUp, { once: true });
      line.add(whose, waiting);
    });
  }

  return async (place, work) => {
    await enter(place);
    try {
      return await work();
    } finally {
      running.end(place.whose);
      beginNext();
    }
  };
}

/** What runs, and how much of it is whose. */
function createRunning({ running: most, runningOfOne = most }: FairQueueBounds) {
  const byWhom = new Map<string, number>();
  let count = 0;
  return {
    get isFull() {
      return count >= most;
    },
    mayHaveMore: (whose: string): boolean => (byWhom.get(whose) ?? 0) < runningOfOne,
    start(whose: string): void {
      count++;
      byWhom.set(whose, (byWhom.get(whose) ?? 0) + 1);
    },
    end(whose: string): void {
      count--;
      const left = (byWhom.get(whose) ?? 0) - 1;
      if (left > 0) byWhom.set(whose, left);
      else byWhom.delete(whose);
    },
  };
}
