import { performance } from 'node:perf_hooks';
import type { Meter } from './meter.js';
import type { OperatorNode } from './node.js';

/** Where work comes from: an input operator, or a stream from another container. */
export interface Root {
  /** Does a bounded piece of work; tells whether there was any. */
  step(): boolean;
  /** Monotonic milliseconds (`performance.now`) when it has work without being woken; `Infinity`: never. */
  due(): number;
}

/** One turn of the thread, before sockets, timers and messages get theirs. */
const turnMillis = 8;

export interface Scheduler {
  /** Something may have work now. */
  wake(): void;
  stop(): void;
}

/** Runs the roots in turn as long as any of them has work; `flush` is called after each turn and tells whether it made room. */
export function createScheduler(options: {
  readonly roots: readonly Root[];
  readonly meter: Meter<OperatorNode>;
  readonly flush: () => boolean;
  readonly fail: (error: unknown) => void;
}): Scheduler {
  const { roots, meter } = options;
  let stopped = false;
  let scheduled = false;
  let running = false;
  let timer: NodeJS.Timeout | undefined;

  function turn(): void {
    scheduled = false;
    if (stopped) return;
    clearTimeout(timer);
    running = true;
    meter.startTurn();
    const until = performance.now() + turnMillis;
    let progressed = false;
    try {
      do {
        progressed = false;
        for (const root of roots) if (root.step()) progressed = true;
      } while (progressed && !stopped && performance.now() < until);
      if (options.flush()) progressed = true;
      meter.endTurn();
    } catch (error) {
      stopped = true;
      options.fail(error);
      return;
    } finally {
      running = false;
    }
    if (progressed) wake();
    else rest();
  }

  function rest(): void {
    if (stopped || scheduled) return;
    let due = Infinity;
    for (const root of roots) due = Math.min(due, root.due());
    if (due !== Infinity) timer = setTimeout(turn, Math.max(1, Math.ceil(due - performance.now())));
  }

  function wake(): void {
    if (scheduled || stopped || running) return;
    scheduled = true;
    setImmediate(turn);
  }

  return {
    wake,
    stop: () => {
      stopped = true;
      clearTimeout(timer);
    },
  };
}
