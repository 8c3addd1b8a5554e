import { NotReady } from '../../../core/errors.js';
import type {
  CheckedScript,
  ConditionResult,
  ConditionRound,
  ConditionRunner,
} from '../../../interfaces/conditions.js';
import type { Logger } from '../../../interfaces/logger.js';
import { type Line, quietMillis } from './protocol.js';
import { resultsOf, tooLong } from './results.js';
import { createRoundOrders } from './round-order.js';
import { ProcessEnded, type ScriptProcess } from './script-process.js';
import { createScriptProcesses } from './script-processes.js';

export interface ConditionRunnerOptions {
  /** Node to run scripts with. Default: the host's own. */
  readonly execPath?: string;
  /** Environment of that process (`ELECTRON_RUN_AS_NODE`). Default: empty. */
  readonly env?: Readonly<Record<string, string>>;
  /** What one condition may take. Default: 250 ms. */
  readonly limitMillis?: number;
  /** Heap of the process. Default: 128. */
  readonly heapMB?: number;
}

/** The runtime's own watch ends most scripts; what it can't, a builtin at work, is killed so much later (ms). */
const graceMillis = 20;
const startMillis = 10_000;
const checkMillis = 2000;
/** Processes that one round may use up. */
const maxProcesses = 10;
/** Without work for so long the processes are ended (ms). */
const lingerMillis = 60_000;

interface Running {
  readonly process: ScriptProcess;
  readonly orderOf: ReturnType<typeof createRoundOrders>;
  isReady: boolean;
}

export function createConditionRunner(
  { execPath = process.execPath, env = {}, limitMillis = 250, heapMB = 128 }: ConditionRunnerOptions,
  logger: Logger,
): ConditionRunner {
  const processes = createScriptProcesses({ execPath, env, heapMB });
  let running: Running | undefined;
  /** While a condition seems to bring the process down: another one, which goes on behind that condition. */
  let successor: Promise<Running | undefined> | undefined;
  let last: Promise<unknown> = Promise.resolve();
  let lingering: NodeJS.Timeout | undefined;
  let isClosed = false;

  async function taken(): Promise<Running> {
    return { process: await processes.take(), orderOf: createRoundOrders(limitMillis), isReady: false };
  }

  async function started(): Promise<Running> {
    const one = running ?? (await successor) ?? (await taken());
    requireOpen();
    running = one;
    successor = undefined;
    if (one.isReady) return one;
    try {
      await one.process.next(startMillis);
    } catch (err) {
      await end();
      if (!isClosed) logger.error({ err }, 'the process that runs conditions of alerts can not be started');
      throw new NotReady('Conditions can not be run now: their process does not start');
    }
    one.isReady = true;
    return one;
  }

  function tell({ process, orderOf }: Running, round: ConditionRound, from: number): void {
    const { order, texts } = orderOf(round, from);
    process.send(order, texts);
  }

  async function begin(round: ConditionRound, from: number): Promise<Running | undefined> {
    const one = await taken().catch(() => undefined);
    if (one) tell(one, round, from);
    return one;
  }

  async function end(): Promise<void> {
    const { process } = running ?? {};
    running = undefined;
    await process?.kill();
  }

  async function endSuccessor(): Promise<void> {
    const ending = successor;
    successor = undefined;
    await (await ending)?.process.kill();
  }

  function requireOpen(): void {
    if (isClosed) throw new NotReady('The gateway is closed');
  }

  /** One piece of work after the other. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = last.then(async () => {
      requireOpen();
      clearTimeout(lingering);
      try {
        return await work();
      } finally {
        lingering = setTimeout(() => void inTurn(endAll).catch(() => {}), lingerMillis).unref();
        if (isClosed) clearTimeout(lingering);
      }
    });
    last = done.catch(() => {});
    return done;
  }

  const endAll = async (): Promise<void> => void (await Promise.all([end(), processes.endSpare()]));

  async function check(script: string): Promise<CheckedScript> {
    const { process } = await started();
    try {
      process.send({ is: 'check', script });
      const line = await process.next(checkMillis);
      if (line.is === 'sound' || line.is === 'faulty') return line;
      throw new ProcessEnded('other', `It said ${line.is}`);
    } catch (error) {
      await end();
      if (!(error instanceof ProcessEnded)) throw error;
      requireOpen();
      return { is: 'faulty', message: 'Reading it took more time or memory than a condition may have' };
    }
  }

  async function evaluate(round: ConditionRound): Promise<readonly ConditionResult[]> {
    const count = round.snapshots.reduce((sum, { conditions }) => sum + conditions.length, 0);
    const results: ConditionResult[] = [];
    // Who has run rounds before goes on to: the next one shall be ready should it have to be ended.
    if (running) processes.keepSpare();
    for (let used = 1; results.length < count; used++) {
      if (used > maxProcesses) {
        while (results.length < count) results.push({ is: 'skipped' });
        logger.warn(
          { processes: maxProcesses },
          'conditions ended one process after the other; the rest waits',
        );
        break;
      }
      const risk = await evaluateRest(round, count, results);
      // Who is not announced was sound before. For the next process he is new, as all are.
      if (risk) results.push({ is: 'stopped', message: risk });
    }
    return results;
  }

  /** Resolves what became of the condition that ended the process, when that is known. */
  async function evaluateRest(
    round: ConditionRound,
    count: number,
    results: ConditionResult[],
  ): Promise<string | undefined> {
    const isBegun = running === undefined && (await successor) !== undefined;
    const one = await started();
    let isRisky = false;
    const atQuarter = () => {
      const next = results.length + 1;
      if (next < count) successor ??= begin(round, next);
    };
    try {
      if (!isBegun) tell(one, round, results.length);
      while (results.length < count) {
        const line: Line = isRisky
          ? await one.process.next(limitMillis + graceMillis, { atQuarter })
          : await one.process.next(limitMillis + graceMillis + quietMillis);
        if (line.is !== 'progress') throw new ProcessEnded('other', `It said ${line.is}`);
        // It came through by itself.
        if (successor) await endSuccessor();
        isRisky = line.isRisky;
        results.push(...resultsOf(line, limitMillis).slice(0, count - results.length));
      }
      return undefined;
    } catch (error) {
      await end();
      if (!(error instanceof ProcessEnded)) throw error;
      requireOpen();
      logger.warn({ err: error }, 'a condition of an alert ended the process that runs them');
      if (!isRisky) return undefined;
      return error.why === 'out of memory'
        ? `It took more than ${heapMB} MB of memory`
        : tooLong(limitMillis);
    }
  }

  return {
    check: (script) => inTurn(() => check(script)),
    // A successor knows its round alone: to the next one it would tell what came of this one.
    evaluate: (round) => inTurn(() => evaluate(round).finally(endSuccessor)),
    processCount: () => processes.count,
    async close() {
      isClosed = true;
      clearTimeout(lingering);
      await processes.close();
    },
  };
}
