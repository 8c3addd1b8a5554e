import { NotReady } from '../../../core/errors.js';
import type {
  CheckedScript,
  ConditionResult,
  ConditionRound,
  ConditionRunner,
} from '../../../interfaces/conditions.js';
import type { Logger } from '../../../interfaces/logger.js';
import { permissionFlags } from './permission-flags.js';
import { type Line, quietMillis } from './protocol.js';
import { createRoundOrders } from './round-order.js';
import { ProcessEnded, type ScriptProcess, startScriptProcess } from './script-process.js';

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
const graceMillis = 40;
const startMillis = 10_000;
const checkMillis = 2000;
/** Processes that one round may use up. */
const maxProcesses = 10;
/** Without work for so long the process is ended (ms). */
const lingerMillis = 60_000;

interface Running {
  readonly process: ScriptProcess;
  readonly orderOf: ReturnType<typeof createRoundOrders>;
}

export function createConditionRunner(
  { execPath = process.execPath, env = {}, limitMillis = 250, heapMB = 128 }: ConditionRunnerOptions,
  logger: Logger,
): ConditionRunner {
  let running: Running | undefined;
  /** While a condition seems to bring the process down: another one that makes itself ready for the others. */
  let successor: Promise<Running | undefined> | undefined;
  let last: Promise<unknown> = Promise.resolve();
  let lingering: NodeJS.Timeout | undefined;
  let isClosed = false;

  async function launched(): Promise<Running> {
    const flags = await permissionFlags(execPath, env);
    requireOpen();
    const process = startScriptProcess({ execPath, env, permissionFlags: flags, heapMB });
    return { process, orderOf: createRoundOrders(limitMillis) };
  }

  async function started(): Promise<Running> {
    if (running) return running;
    const prepared = await successor;
    successor = undefined;
    requireOpen();
    running = prepared ?? (await launched());
    try {
      await running.process.next(startMillis);
    } catch (err) {
      running = undefined;
      if (!isClosed) logger.error({ err }, 'the process that runs conditions of alerts can not be started');
      throw new NotReady('Conditions can not be run now: their process does not start');
    }
    return running ?? started();
  }

  /** A process that is told all of a round, and not to evaluate anything of it. */
  async function preparedFor(round: ConditionRound, count: number): Promise<Running | undefined> {
    const prepared = await launched().catch(() => undefined);
    if (!prepared) return undefined;
    const { order, texts } = prepared.orderOf(round, count);
    prepared.process.send(order, texts);
    return prepared;
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
        lingering = setTimeout(() => void inTurn(end).catch(() => {}), lingerMillis).unref();
        if (isClosed) clearTimeout(lingering);
      }
    });
    last = done.catch(() => {});
    return done;
  }

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

  async function evaluate(round: ConditionRound): Promise<ReadonlyMap<string, ConditionResult>> {
    const conditions = round.snapshots.flatMap((snapshot) => snapshot.conditions);
    const results = new Map<string, ConditionResult>();
    const done = (result: ConditionResult) => {
      const condition = conditions[results.size];
      if (condition) results.set(condition.id, result);
    };
    try {
      for (let processes = 1; results.size < conditions.length; processes++) {
        if (processes > maxProcesses) {
          while (results.size < conditions.length) done({ is: 'skipped' });
          logger.warn(
            { processes: maxProcesses },
            'conditions ended one process after the other; the rest waits',
          );
          break;
        }
        const risk = await evaluateRest(round, conditions.length, results.size, done);
        // Who is not announced was sound before. For the next process he is new, as all are.
        if (risk) done({ is: 'stopped', message: risk });
      }
    } finally {
      await endSuccessor();
    }
    return results;
  }

  /** Resolves what became of the condition that ended the process, when that is known. */
  async function evaluateRest(
    round: ConditionRound,
    count: number,
    from: number,
    done: (result: ConditionResult) => void,
  ): Promise<string | undefined> {
    const { process, orderOf } = await started();
    let isRisky = false;
    const atQuarter = () => {
      successor ??= preparedFor(round, count);
    };
    try {
      const { order, texts } = orderOf(round, from);
      process.send(order, texts);
      for (let left = count - from; left > 0; ) {
        const line: Line = isRisky
          ? await process.next(limitMillis + graceMillis, { atQuarter })
          : await process.next(limitMillis + graceMillis + quietMillis);
        if (line.is !== 'progress') throw new ProcessEnded('other', `It said ${line.is}`);
        isRisky = line.isRisky;
        left -= line.done.length;
        for (const result of resultsOf(line, limitMillis)) done(result);
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
    evaluate: (round) => inTurn(() => evaluate(round)),
    async close() {
      isClosed = true;
      clearTimeout(lingering);
      await Promise.all([end(), endSuccessor()]);
    },
  };
}

const tooLong = (limitMillis: number): string => `It took longer than ${limitMillis} ms and was stopped`;

const holding: Readonly<Record<string, ConditionResult>> = {
  0: { is: 'evaluated', holds: false, millis: 0 },
  1: { is: 'evaluated', holds: true, millis: 0 },
};

function resultsOf({ done, told }: Line & { is: 'progress' }, limitMillis: number): ConditionResult[] {
  const more = told.map((outcome): ConditionResult => {
    if ('stopped' in outcome) return { is: 'stopped', message: tooLong(limitMillis) };
    if ('error' in outcome) return { is: 'failed', message: outcome.error };
    return { is: 'evaluated', ...outcome };
  });
  let next = 0;
  return Array.from(done, (character) => holding[character] ?? more[next++] ?? { is: 'skipped' });
}
