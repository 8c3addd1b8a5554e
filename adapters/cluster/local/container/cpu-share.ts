import { performance } from 'node:perf_hooks';

/** Measured milliseconds of one tuple count up to here, plus `perCharacter`: more was somebody else's time on the core. */
const perTuple = 0.1;
const perCharacter = 0.00002;

/** What a recording may take of the container's thread: a share of its time, saved up for one window. */
export class CpuShare {
  readonly #share: () => number;
  readonly #maxMillis: number;
  readonly #now: () => number;
  #saved: number;
  #at: number;

  /** `share`: from 0 to 1, asked at every window. `now`: milliseconds that the thread had. */
  constructor(share: () => number, windowMillis: number, now: () => number = threadMillis) {
    this.#share = share;
    this.#maxMillis = windowMillis;
    this.#now = now;
    this.#at = now();
    this.#saved = share() * windowMillis;
  }

  /** A window begins: tells whether something may be spent in it. */
  refill(): boolean {
    const now = this.#now();
    const share = this.#share();
    this.#saved = Math.min(this.#saved + (now - this.#at) * share, this.#maxMillis * share);
    this.#at = now;
    return this.#saved > 0;
  }

  /** `tuples` like one that took so long. Tells whether there is anything left. */
  spend(tuples: number, millis: number, characters: number): boolean {
    this.#saved -= tuples * Math.min(millis, perTuple + characters * perCharacter);
    return this.#saved > 0;
  }
}

/**
 * Worked and idle. On a busy machine that is much less than the time that passes: a share of that would be a larger
 * part of the work.
 */
export function threadMillis(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000 + performance.eventLoopUtilization().idle;
}
