import { pauseAfter } from '../../runtime/back-off.js';

const firstDelayMillis = 1000;
const maxDelayMillis = 15 * 60_000;
/** Quiet for so long after the wait, and it is forgotten. */
const forgetAfterMillis = 15 * 60_000;

/** What is counted under one key. */
interface Counter {
  readonly key: string;
  /** So many failures less one cost nothing, then each one doubles the wait, from one second to `maxDelayMillis`. */
  readonly free: number;
}

/** One attempt in one counter; one of its functions is called, once. */
interface Counted {
  failed(): void;
  /** As if it had not been made. */
  withdraw(): void;
}

/** Failed attempts by keys, and how long each has to wait for the next one. */
interface FailureCounts {
  /** One that is not decided weighs as much as a failure. */
  begin(counter: Counter): Counted;
  /** Milliseconds; 0 or less: none. */
  waitOf(key: string): number;
  /** Of those that are decided. */
  failuresOf(key: string): number;
  forget(key: string): void;
}

interface Count {
  failures: number;
  undecided: number;
  /** Monotonic milliseconds; attempts before it are refused. */
  blockedUntil: number;
}

/** Keeps at most `max` of them; at the limit those that block nobody go first. */
export function createFailureCounts(now: () => number, max: number): FailureCounts {
  /** In the order of their last attempt. */
  const counts = new Map<string, Count>();

  return {
    begin({ key, free }) {
      const time = now();
      const count = counts.get(key) ?? { failures: 0, undecided: 0, blockedUntil: 0 };
      if (isOver(count, time)) count.failures = 0;
      count.undecided++;
      const extra = count.failures + count.undecided - free;
      const wait =
        extra < 0 ? 0 : pauseAfter(extra + 1, { first: firstDelayMillis, most: maxDelayMillis }, 0);
      count.blockedUntil = Math.max(count.blockedUntil, time + wait);
      counts.delete(key);
      if (counts.size >= max) dropSome(counts, time);
      counts.set(key, count);
      return {
        failed() {
          count.undecided--;
          count.failures++;
        },
        withdraw() {
          count.undecided--;
          const left = count.failures + count.undecided;
          if (left < free) count.blockedUntil = Math.min(count.blockedUntil, now());
          if (left <= 0 && counts.get(key) === count) counts.delete(key);
        },
      };
    },
    waitOf: (key) => (counts.get(key)?.blockedUntil ?? 0) - now(),
    failuresOf(key) {
      const count = counts.get(key);
      return count === undefined || isOver(count, now()) ? 0 : count.failures;
    },
    forget: (key) => void counts.delete(key),
  };
}

const isOver = ({ blockedUntil }: Count, time: number): boolean => time >= blockedUntil + forgetAfterMillis;

/** A tenth, the oldest of those that block nobody first: in one go, because finding the oldest of a map is slow. */
function dropSome(counts: Map<string, Count>, time: number): void {
  const until = Math.floor(counts.size * 0.9);
  const drop = (mayGo: (count: Count) => boolean) => {
    for (const [key, count] of counts) {
      if (counts.size <= until) return;
      if (mayGo(count)) counts.delete(key);
    }
  };
  drop(({ blockedUntil }) => blockedUntil <= time);
  drop(() => true);
}
