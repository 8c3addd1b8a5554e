import { performance } from 'node:perf_hooks';
import type { InputOperator } from '@headgate/operators';
import { monotonicMillis, type WindowClock } from '../model/windows.js';
import type { OperatorNode } from './node.js';
import type { Root } from './scheduler.js';

/** Tuples asked for at once. */
const quantum = 1024;

/**
 * Drives an input operator through its windows by the application's clock. When the readers ask to wait, the open
 * window still ends in time, so that nobody else waits for its end, and the next begins only when there is room: the
 * operator then lags, and catches up in short windows.
 */
export class InputRoot implements Root {
  draining = false;
  /** No window after this one begins. */
  holdAfter = Infinity;
  readonly #node: OperatorNode;
  readonly #operator: InputOperator;
  readonly #clock: WindowClock;
  readonly #spinMillis: number;
  readonly #gatesOpen: () => boolean;
  #next: number;
  #idleUntil = 0;

  constructor(deps: {
    node: OperatorNode;
    operator: InputOperator;
    clock: WindowClock;
    spinMillis: number;
    gatesOpen: () => boolean;
  }) {
    this.#node = deps.node;
    this.#operator = deps.operator;
    this.#clock = deps.clock;
    this.#spinMillis = deps.spinMillis;
    this.#gatesOpen = deps.gatesOpen;
    this.#next = deps.node.window + 1;
  }

  /** The newest window that it has begun. */
  get newest(): number {
    return this.#next - 1;
  }

  due(): number {
    if (this.#node.finished) return Infinity;
    return performance.now() + this.#spinMillis;
  }

  step(): boolean {
    const node = this.#node;
    if (node.finished) return false;
    const now = monotonicMillis();
    if (!node.open) return this.#beginNext(now);
    if (this.draining || now >= this.#startOf(node.window + 1)) {
      node.end();
      return true;
    }
    if (now < this.#idleUntil || !this.#gatesOpen()) return false;
    return this.#ask(now);
  }

  #beginNext(now: number): boolean {
    if (this.draining) {
      this.#node.finish();
      return true;
    }
    if (this.#next > this.holdAfter || now < this.#startOf(this.#next) || !this.#gatesOpen()) return false;
    this.#node.begin(this.#next++);
    return true;
  }

  #ask(now: number): boolean {
    const node = this.#node;
    const meter = node.meter;
    if (meter.timed) meter.switchTo(node);
    else meter.current = node;
    const emitted = this.#operator.emitTuples(quantum);
    if (meter.timed) meter.switchTo(undefined);
    else meter.current = undefined;
    if (emitted === undefined) {
      node.end();
      node.finish();
      return true;
    }
    if (emitted > 0) return true;
    this.#idleUntil = now + this.#spinMillis;
    return false;
  }

  #startOf(window: number): number {
    return this.#clock.monotonicMillis + window * this.#clock.widthMillis;
  }
}
