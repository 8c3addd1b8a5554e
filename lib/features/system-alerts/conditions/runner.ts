import type { Logger } from '../../../interfaces/logger.js';
import { NotReady } from '../../../model/errors.js';
import { createMutex } from '../../../runtime/mutex.js';
import type { CheckedScript, ConditionResult, ConditionRound, ConditionRunner } from './condition.js';
import { type Line, quietMillis } from './protocol.js';
import { resultsOf, tooLong } from './results.js';
import { createRoundOrders, type RoundOrders } from './round-order.js';
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
/** Processes that are ended from outside, one after the other, before nobody tries any more. */
const maxTries = 3;
/** Without work for so long the processes are ended (ms). */
const lingerMillis = 60_000;

interface Running {
  readonly process: ScriptProcess;
  readonly orderOf: RoundOrders;
  isReady: boolean;
  /** It was told the round under way before it was needed. */
  isBegun: boolean;
}

/** A round under way. */
interface Work {
  readonly round: ConditionRound;
  /** Of each condition. */
  readonly owners: readonly (string | undefined)[];
  readonly results: ConditionResult[];
  /** Owners whose conditions took all their time, as far as only this process knows. */
  readonly usedUp: Set<string>;
  /** Conditions at which a process was ended from outside. */
  readonly endedAt: Set<number>;
}

export function createConditionRunner(
  { execPath = process.execPath, env = {}, limitMillis = 250, heapMB = 128 }: ConditionRunnerOptions,
  logger: Logger,
): ConditionRunner {
  const processes = createScriptProcesses({ execPath, env, heapMB });
  let running: Running | undefined;
  /** While a condition seems to bring the process down: another one, which goes on behind that condition. */
  let successor: Promise<Running | undefined> | undefined;
  const exclusive = createMutex();
  let lingering: NodeJS.Timeout | undefined;
  let isClosed = false;

  async function taken(): Promise<Running> {
    const process = await processes.take();
    return { process, orderOf: createRoundOrders(limitMillis), isReady: false, isBegun: false };
  }

  async function started(tries = 1): Promise<Running> {
    // While nobody needed it, it may have been ended by whoever may.
    if (running?.process.hasEnded) await end();
    const one = running ?? (await successor) ?? (await taken());
    requireOpen();
    running = one;
    successor = undefined;
    if (one.isReady) return one;
    try {
      await one.process.next(startMillis);
    } catch (err) {
      await end();
      requireOpen();
      if (isFromOutside(err)) {
        sayEndedFromOutside(err);
        if (tries < maxTries) return started(tries + 1);
      }
      logger.error(
        { event: 'alerts.script_process_start_failed', err },
        'the process that runs conditions of alerts can not be started',
      );
      throw new NotReady('Conditions can not be run now: their process does not start');
    }
    one.isReady = true;
    return one;
  }

  function tell(
    { process, orderOf }: Running,
    round: ConditionRound,
    from: number,
    usedUp: Iterable<string>,
  ) {
    const { order, texts } = orderOf(round, from, usedUp);
    process.send(order, texts);
  }

  /** Behind the condition that may bring the present process down. */
  async function begin(work: Work): Promise<Running | undefined> {
    const { length: at } = work.results;
    const usedUp = new Set([...work.usedUp, ...ownerAt(work)]);
    const one = await taken().catch(() => undefined);
    if (!one) return undefined;
    tell(one, work.round, at + 1, usedUp);
    one.isBegun = true;
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
    return exclusive(async () => {
      requireOpen();
      clearTimeout(lingering);
      try {
        return await work();
      } finally {
        lingering = setTimeout(() => void inTurn(endAll).catch(() => {}), lingerMillis).unref();
        if (isClosed) clearTimeout(lingering);
      }
    });
  }

  const sayEndedFromOutside = (err: unknown): void =>
    logger.warn(
      { event: 'alerts.script_process_killed', err },
      'the process that runs conditions of alerts was ended from outside',
    );

  const endAll = async (): Promise<void> => void (await Promise.all([end(), processes.endSpare()]));

  async function check(script: string, tries = 1): Promise<CheckedScript> {
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
      if (isFromOutside(error)) {
        sayEndedFromOutside(error);
        if (tries < maxTries) return check(script, tries + 1);
        throw new NotReady(
          'The condition can not be read now: something ends the process that reads it. Try again',
        );
      }
      return { is: 'faulty', message: 'Reading it took more time or memory than a condition may have' };
    }
  }

  async function evaluate(round: ConditionRound): Promise<readonly ConditionResult[]> {
    const owners = round.snapshots.flatMap(({ owner, conditions }) => conditions.map(() => owner));
    const { length: count } = owners;
    const work: Work = { round, owners, results: [], usedUp: new Set(), endedAt: new Set() };
    const { results } = work;
    // Who has run rounds before goes on to: the next one shall be ready should it have to be ended.
    if (running) processes.keepSpare();
    for (let used = 1; results.length < count; used++) {
      if (used > maxProcesses) {
        while (results.length < count) results.push({ is: 'skipped', because: 'others' });
        logger.warn(
          { event: 'alerts.script_processes_exhausted', processes: maxProcesses },
          'conditions ended one process after the other; the rest waits',
        );
        break;
      }
      const risk = await evaluateRest(work);
      // Who is not announced was sound before. For the next process he is new, as all are.
      if (!risk) continue;
      for (const owner of ownerAt(work)) work.usedUp.add(owner);
      results.push({ is: 'stopped', message: risk });
    }
    return results;
  }

  /** Resolves what became of the condition that ended the process, when that is known. */
  async function evaluateRest(work: Work): Promise<string | undefined> {
    const { results, owners, endedAt } = work;
    const { length: count } = owners;
    const one = await started();
    const { isBegun } = one;
    one.isBegun = false;
    let isRisky = false;
    const atQuarter = () => {
      if (results.length + 1 < count) successor ??= begin(work);
    };
    try {
      if (!isBegun) tell(one, work.round, results.length, work.usedUp);
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
      if (isFromOutside(error)) {
        sayEndedFromOutside(error);
        // It went on behind this condition, which is tried again.
        await endSuccessor();
        const isAgain = isRisky && endedAt.has(results.length);
        endedAt.add(results.length);
        return isAgain ? 'Twice the process that evaluated it was ended from outside' : undefined;
      }
      logger.warn(
        { event: 'alerts.script_process_ended', err: error },
        'a condition of an alert ended the process that runs them',
      );
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

/** By the system for want of memory, or by a person: no fault of what it was at. */
const isFromOutside = (error: unknown): boolean => error instanceof ProcessEnded && error.why === 'outside';

/** Of the condition that ended its process: it took all that its owner has. */
const ownerAt = ({ owners, results }: Work): string[] => {
  const owner = owners[results.length];
  return owner === undefined ? [] : [owner];
};
