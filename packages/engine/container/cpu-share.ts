import { performance } from 'node:perf_hooks';
import { threadCpuMillis } from './thread-time.js';

/** Measured milliseconds of one tuple count up to here, plus `perCharacter`: more was somebody else's time on the core. */
const perTuple = 0.1;
const perCharacter = 0.00002;
/** What cleaning up and the writing of files take besides, for each measured millisecond. */
const besides = 1.5;
/** Of the time in which the thread has nothing to do. */
const idleShare = 0.25;

/** Milliseconds since the start. */
interface ThreadTimes {
  readonly worked: number;
  readonly idle: number;
}

/**
 * What a recording may take of the container's thread: a share of the time it works, which the stream loses, and a larger
 * one of the time it has nothing to do, which nobody misses. It is saved up for one window.
 */
export class CpuShare {
  readonly #share: () => number;
  readonly #maxMillis: number;
  readonly #times: () => ThreadTimes;
  #saved: number;
  #last: ThreadTimes;

  /** `share`: of the working time, from 0 to 1, asked at every window. */
  constructor(share: () => number, windowMillis: number, times: () => ThreadTimes = threadTimes) {
    this.#share = share;
    this.#times = times;
    this.#last = times();
    this.#maxMillis = windowMillis * idleShare;
    const { worked, idle } = this.#last;
    // As if the window before had been like the thread's life so far.
    this.#saved = ((worked * share() + idle * idleShare) / Math.max(1, worked + idle)) * windowMillis;
  }

  /** A window begins: tells whether something may be spent in it. */
  refill(): boolean {
    const { worked, idle } = this.#times();
    const more = (worked - this.#last.worked) * this.#share() + (idle - this.#last.idle) * idleShare;
    this.#saved = Math.min(this.#saved + more, this.#maxMillis);
    this.#last = { worked, idle };
    return this.#saved > 0;
  }

  /** `tuples` like one that took so long. Tells whether there is anything left. */
  spend(tuples: number, millis: number, characters: number): boolean {
    this.#saved -= besides * tuples * Math.min(millis, perTuple + characters * perCharacter);
    return this.#saved > 0;
  }
}

/** Not the time that passes: on a busy machine that is much more, and a share of it a larger part of the work. */
export const threadTimes = (): ThreadTimes => ({
  worked: threadCpuMillis(),
  idle: performance.eventLoopUtilization().idle,
});
