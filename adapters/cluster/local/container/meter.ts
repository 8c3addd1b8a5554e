import { performance } from 'node:perf_hooks';

/** What an operator's calls took. */
export interface Account {
  /** Milliseconds of calls that are always timed: window ends and checkpoints. */
  exact: number;
  /** Milliseconds in the turns that were sampled. */
  sampled: number;
}

/**
 * Who uses the thread. Timing each tuple would cost more than most operators do, so calls of `process` and `emitTuples`
 * are timed in sampled turns only, and their shares are applied to the time of all turns. `current` is always kept, so
 * that a throw can be blamed on the operator that threw.
 */
export class Meter<Owner extends { readonly account: Account }> {
  current: Owner | undefined;
  timed = false;
  #exact = false;
  #last = 0;
  #turnStarted = 0;
  #sampleDue = 0;
  #busy = 0;
  #sampled = 0;
  #exactTotal = 0;

  /** Milliseconds between two sampled turns. */
  static readonly sampleEvery = 100;

  startTurn(): void {
    const now = performance.now();
    this.#turnStarted = now;
    this.#last = now;
    this.timed = now >= this.#sampleDue;
    if (this.timed) this.#sampleDue = now + Meter.sampleEvery;
  }

  endTurn(): void {
    const now = performance.now();
    if (this.timed) this.#sampled += now - this.#turnStarted;
    this.#busy += now - this.#turnStarted;
    this.current = undefined;
    this.timed = false;
  }

  /** Ends the share of the current owner and begins the next one's. */
  switchTo(owner: Owner | undefined): void {
    const now = performance.now();
    if (this.current) {
      if (this.#exact) this.current.account.exact += now - this.#last;
      else this.current.account.sampled += now - this.#last;
    }
    if (this.#exact) this.#exactTotal += now - this.#last;
    this.#last = now;
    this.current = owner;
  }

  /** Times this call and all it leads to, sampled turn or not. */
  exactly(owner: Owner, call: () => void): void {
    const before = { owner: this.current, timed: this.timed, exact: this.#exact };
    if (before.timed) this.switchTo(undefined);
    this.timed = true;
    this.#exact = true;
    this.#last = performance.now();
    this.current = owner;
    call();
    this.switchTo(before.owner);
    this.timed = before.timed;
    this.#exact = before.exact;
  }

  /** CPU milliseconds of an owner since the start. */
  millisOf(owner: Owner): number {
    const rest = Math.max(0, this.#busy - this.#exactTotal);
    const scale = this.#sampled > 0 ? Math.max(1, rest / this.#sampled) : 1;
    return owner.account.exact + owner.account.sampled * scale;
  }
}
