import { BadRequest, TooManyRequests } from '../../../model/errors.js';
import { type CountingSemaphore, countingSemaphore } from '../../../runtime/semaphore.js';

/** The memory that one check takes for what it has to remember until it has read the directory. */
export interface CheckReservation {
  /** Bytes that it may take. */
  readonly granted: number;
  /**
   * Resolves when it may take `needed` bytes, which may last until others have ended. Rejects with `BadRequest` when no
   * archive may need so much, with `TooManyRequests` when it lasts too long.
   */
  grow(needed: number): Promise<void>;
  /** Gives back what it has, whether it has ended or waits. Idempotent. */
  release(): void;
}

/** How much memory checks may take together. */
interface CapacityLevels {
  /** Bytes that each check may take, however many there are. */
  readonly each: number;
  /** Above it up to so many bytes may be taken by that many checks at once; from the smallest. */
  readonly levels: readonly { readonly bytes: number; readonly checks: number }[];
}

interface CheckCapacity {
  /** `onLargest`: it may take more than all others from now on. */
  reserve(onLargest?: () => void): CheckReservation;
}

const mebi = 1024 ** 2;

const largestBytes = 256 * 1024 ** 2;

/**
 * Nearly all packages have a few hundred entries, and never wait. Those with many thousands take turns: the last level
 * is enough for the longest names that the limits for archives allow, and there is one such archive at a time.
 */
const defaultLimits: CapacityLevels = {
  each: mebi / 2,
  levels: [
    { bytes: 8 * mebi, checks: 8 },
    { bytes: largestBytes, checks: 1 },
  ],
};

/** For who waits to be checked: by then those before have been slow, and a client may have given up. */
const defaultWaitMillis = 120_000;

interface Level {
  readonly bytes: number;
  readonly permits: CountingSemaphore;
}

export function checkCapacity(
  { each, levels: limits }: CapacityLevels = defaultLimits,
  waitMillis: number = defaultWaitMillis,
): CheckCapacity {
  const levels = limits.map(
    ({ bytes, checks }): Level => ({
      bytes,
      permits: countingSemaphore({ permits: checks, queue: Number.POSITIVE_INFINITY }, busy),
    }),
  );

  return {
    reserve(onLargest = () => {}) {
      const released = new AbortController();
      let level: Level | undefined;
      const granted = () => level?.bytes ?? each;

      /** Those that go up wait only for those that are higher, so they never wait for each other in a circle. */
      async function climb(next: Level): Promise<void> {
        await acquireWithin(waitMillis, next.permits, released.signal);
        level?.permits.release();
        level = next;
        if (level === levels.at(-1)) onLargest();
      }

      return {
        get granted() {
          return granted();
        },
        async grow(needed) {
          if (needed > Math.max(each, ...levels.map(({ bytes }) => bytes))) throw tooMuch();
          for (const next of levels) {
            if (granted() < needed && granted() < next.bytes) await climb(next);
          }
        },
        release() {
          if (released.signal.aborted) return;
          released.abort(new Error('The check was given up'));
          level?.permits.release();
        },
      };
    },
  };
}

/** Rejects with `TooManyRequests` when it lasts too long. */
async function acquireWithin(
  waitMillis: number,
  permits: CountingSemaphore,
  released: AbortSignal,
): Promise<void> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(busy()), waitMillis);
  try {
    await permits.acquire(AbortSignal.any([released, late.signal]));
  } finally {
    clearTimeout(timer);
  }
  if (!released.aborted) return;
  // It was let in and given up at the same moment.
  permits.release();
  throw released.reason;
}

const busy = () =>
  new TooManyRequests(
    'Other packages with as many entries are being checked already; send it again later',
    30,
  );

const tooMuch = () =>
  new BadRequest(
    'ARCHIVE_LIMIT',
    'The names in the archive are too many and too long together: they take more memory than the check of a package may take',
  );

/** For an archive that is so small that what is remembered of it is small as well. */
export const unlimitedReservation: CheckReservation = {
  granted: Number.POSITIVE_INFINITY,
  grow: async () => {},
  release() {},
};
