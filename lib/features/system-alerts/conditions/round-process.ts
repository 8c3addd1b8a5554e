import type { ConditionRound } from './condition.js';
import { createRoundOrders } from './round-order.js';
import type { ScriptProcess } from './script-process.js';

/** A process, and what it was told of rounds. */
export interface RoundProcess {
  readonly process: ScriptProcess;
  /** Tells it a round, from the condition of this number on. `usedUp`: owners who may take nothing more in it. */
  tell(round: ConditionRound, from: number, usedUp: Iterable<string>): void;
  isReady: boolean;
  /** It was told the round under way before it was needed. */
  isBegun: boolean;
}

export function roundProcess(process: ScriptProcess, limitMillis: number): RoundProcess {
  const orderOf = createRoundOrders(limitMillis);
  return {
    process,
    tell(round, from, usedUp) {
      const { order, texts } = orderOf(round, from, usedUp);
      process.send(order, texts);
    },
    isReady: false,
    isBegun: false,
  };
}

/** The process that goes on behind a condition that seems to bring the present one down. */
interface Successor {
  /** Once, until it is taken or ended: it is told what `tell` says. */
  prepare(tell: (successor: RoundProcess) => void): void;
  /** Resolves `undefined` when there is none. */
  take(): Promise<RoundProcess | undefined>;
  end(): Promise<void>;
}

export function createSuccessor(fresh: () => Promise<RoundProcess>): Successor {
  let successor: Promise<RoundProcess | undefined> | undefined;

  async function begun(tell: (successor: RoundProcess) => void): Promise<RoundProcess | undefined> {
    const one = await fresh().catch(() => undefined);
    if (!one) return undefined;
    tell(one);
    one.isBegun = true;
    return one;
  }

  async function take(): Promise<RoundProcess | undefined> {
    const taken = successor;
    successor = undefined;
    return taken;
  }

  return {
    prepare(tell) {
      successor ??= begun(tell);
    },
    take,
    async end() {
      await (await take())?.process.kill();
    },
  };
}
