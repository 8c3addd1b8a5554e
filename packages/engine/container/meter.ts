import { performance } from 'node:perf_hooks';
import { threadCpuMillis } from './thread-time.js';

/** What an operator's calls took since shares were settled last, and its processor time before that. Milliseconds. */
export interface Account {
  /** In calls that are always timed: window ends and checkpoints. */
  exact: number;
  /** In the turns that were sampled. */
  sampled: number;
  settled: number;
}

/** Reading the processor's clock takes microseconds: of what is shorter than this, all is taken for work. Milliseconds. */
const coarse = 0.5;

/**
 * Who uses the thread. Timing each tuple would cost more than most operators do, so calls of `process` and `emitTuples`
 * are timed in sampled turns only, and their shares are applied to the time of all turns. What an operator is said to
 * have used is its share of the processor time of the thread, that outside of all calls included: sockets, and what
 * operators do in the background. `current` is always kept, so that a throw can be blamed on the operator that threw.
 */
export class Meter<Owner extends { readonly account: Account }> {
  current: Owner | undefined;
  timed = false;
  readonly #cpu: () => number;
  readonly #calls: Work;
  readonly #turns: Work;
  #exact = false;
  #last = 0;
  #turnStarted = 0;
  #sampleDue = 0;
  #busy = 0;
  #sampled = 0;
  #exactTotal = 0;
  #settledAt = performance.now();
  #settledCpu: number;

  /** Milliseconds between two sampled turns. */
  static readonly sampleEvery = 100;

  constructor(cpu: () => number = threadCpuMillis) {
    this.#cpu = cpu;
    this.#calls = new Work(cpu);
    this.#turns = new Work(cpu);
    this.#settledCpu = cpu();
  }

  startTurn(): void {
    const now = performance.now();
    this.#turnStarted = now;
    this.#last = now;
    this.timed = now >= this.#sampleDue;
    if (!this.timed) return;
    this.#sampleDue = now + Meter.sampleEvery;
    this.#calls.begin();
  }

  endTurn(): void {
    const work = this.#turns.of(performance.now() - this.#turnStarted);
    if (this.timed) this.#sampled += work;
    this.#busy += work;
    this.current = undefined;
    this.timed = false;
  }

  /** Ends the share of the current owner and begins the next one's. */
  switchTo(owner: Owner | undefined): void {
    const now = performance.now();
    const work = this.#calls.of(now - this.#last);
    if (this.current) {
      if (this.#exact) this.current.account.exact += work;
      else this.current.account.sampled += work;
    }
    if (this.#exact) this.#exactTotal += work;
    this.#last = now;
    this.current = owner;
  }

  /** Times this call and all it leads to, sampled turn or not. */
  exactly(owner: Owner, call: () => void): void {
    const before = { owner: this.current, timed: this.timed, exact: this.#exact };
    if (before.timed) this.switchTo(undefined);
    else this.#calls.begin();
    this.timed = true;
    this.#exact = true;
    this.#last = performance.now();
    this.current = owner;
    call();
    this.switchTo(before.owner);
    this.timed = before.timed;
    this.#exact = before.exact;
  }

  /** Shares out what the thread used since the last time; among all alike where none of them did anything. */
  settle(owners: readonly Owner[]): void {
    const now = performance.now();
    // In less time there may have been no turn that was sampled.
    if (now - this.#settledAt < Meter.sampleEvery) return;
    const cpu = this.#cpu();
    // Where threads that clean up are counted too it may be more than one thread can use.
    const used = Math.min(cpu - this.#settledCpu, now - this.#settledAt);
    const rest = Math.max(0, this.#busy - this.#exactTotal);
    const scale = this.#sampled > 0 ? Math.max(1, rest / this.#sampled) : 1;
    const weights = owners.map(({ account }) => account.exact + account.sampled * scale);
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    for (const [index, { account }] of owners.entries()) {
      const share = total > 0 ? (weights[index] ?? 0) / total : 1 / owners.length;
      account.settled += share * used;
      account.exact = 0;
      account.sampled = 0;
    }
    this.#settledAt = now;
    this.#settledCpu = cpu;
    this.#busy = 0;
    this.#sampled = 0;
    this.#exactTotal = 0;
  }
}

/** How much of passed time was work: whoever waits, or whose thread does not run, uses no processor. */
class Work {
  readonly #cpu: () => number;
  #cpuAt: number;
  /** Taken for work since the processor's clock was read last. */
  #assumed = 0;

  constructor(cpu: () => number) {
    this.#cpu = cpu;
    this.#cpuAt = cpu();
  }

  begin(): void {
    this.#cpuAt = this.#cpu();
    this.#assumed = 0;
  }

  of(millis: number): number {
    if (millis < coarse) {
      this.#assumed += millis;
      return millis;
    }
    const before = this.#cpuAt + this.#assumed;
    this.begin();
    return Math.min(millis, Math.max(0, this.#cpuAt - before));
  }
}
