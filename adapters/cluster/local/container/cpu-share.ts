import { performance } from 'node:perf_hooks';

/** Measured milliseconds of one tuple count up to here, plus `perCharacter`: more was somebody else's time on the core. */
const perTuple = 0.1;
const perCharacter = 0.00002;

/** What a recording may take of the container's thread: a share of the time that passes, saved up for one window. */
export class CpuShare {
  readonly #share: () => number;
  readonly #maxMillis: number;
  #saved: number;
  #at = performance.now();

  /** `share`: from 0 to 1, asked at every window. */
  constructor(share: () => number, windowMillis: number) {
    this.#share = share;
    this.#maxMillis = windowMillis;
    this.#saved = share() * windowMillis;
  }

  /** A window begins: tells whether something may be spent in it. */
  refill(): boolean {
    const now = performance.now();
    const share = this.#share();
    this.#saved = Math.min(this.#saved + (now - this.#at) * share, this.#maxMillis * share);
    this.#at = now;
    return this.#saved > 0;
  }

  /** Tells whether there is anything left. */
  spend(millis: number, characters: number): boolean {
    this.#saved -= Math.min(millis, perTuple + characters * perCharacter);
    return this.#saved > 0;
  }
}
