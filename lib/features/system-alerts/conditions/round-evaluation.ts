import type { Logger } from '../../../interfaces/logger.js';
import type { ConditionResult, ConditionRound, ConditionRunner } from './condition.js';
import { type CurrentProcess, isFromOutside } from './current-process.js';
import { type Line, quietMillis } from './protocol.js';
import { resultsOf, tooLong } from './results.js';
import { ProcessEnded } from './script-process.js';

/** The runtime's own watch ends most scripts; what it can't, a builtin at work, is killed so much later (ms). */
const graceMillis = 20;
/** Processes that one round may use up. */
const maxProcesses = 10;

/** A round under way. */
interface Work {
  readonly round: ConditionRound;
  /** The owner of each condition. */
  readonly owners: readonly (string | undefined)[];
  readonly results: ConditionResult[];
  /** Owners whose conditions took all their time, as far as only this process knows. */
  readonly usedUp: Set<string>;
  /** Conditions at which a process was ended from outside. */
  readonly endedAt: Set<number>;
}

/** Evaluates a round, with as many processes as its conditions bring down. */
export function createRoundEvaluation(deps: {
  readonly current: CurrentProcess;
  readonly limitMillis: number;
  readonly heapMB: number;
  readonly logger: Logger;
}): ConditionRunner['evaluate'] {
  const { current, limitMillis, heapMB, logger } = deps;

  async function evaluate(round: ConditionRound): Promise<readonly ConditionResult[]> {
    const owners = round.snapshots.flatMap(({ owner, conditions }) => conditions.map(() => owner));
    const { length: count } = owners;
    const work: Work = { round, owners, results: [], usedUp: new Set(), endedAt: new Set() };
    const { results } = work;
    current.keepSpare();
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
      // What is not announced was sound before. For the next process it is new, as all are.
      if (!risk) continue;
      for (const owner of ownerAt(work)) work.usedUp.add(owner);
      results.push({ is: 'stopped', message: risk });
    }
    return results;
  }

  /** Resolves what became of the condition that ended the process, when that is known. */
  async function evaluateRest(work: Work): Promise<string | undefined> {
    const { results, owners } = work;
    const { length: count } = owners;
    const one = await current.started();
    const { isBegun } = one;
    one.isBegun = false;
    let isRisky = false;
    const atQuarter = () => {
      if (results.length + 1 < count) prepareSuccessor(work);
    };
    try {
      if (!isBegun) one.tell(work.round, results.length, work.usedUp);
      while (results.length < count) {
        const line: Line = isRisky
          ? await one.process.next(limitMillis + graceMillis, { atQuarter })
          : await one.process.next(limitMillis + graceMillis + quietMillis);
        if (line.is !== 'progress') throw new ProcessEnded('other', `It said ${line.is}`);
        // It came through by itself.
        await current.endSuccessor();
        isRisky = line.isRisky;
        results.push(...resultsOf(line, limitMillis).slice(0, count - results.length));
      }
      return undefined;
    } catch (error) {
      return whyItEnded(work, await current.endedBy(error), isRisky);
    }
  }

  /** It goes on behind the condition that may bring the present process down. */
  function prepareSuccessor(work: Work): void {
    const { length: at } = work.results;
    const usedUp = new Set([...work.usedUp, ...ownerAt(work)]);
    current.prepareSuccessor((successor) => successor.tell(work.round, at + 1, usedUp));
  }

  /** Resolves what its owner is told of the condition that was evaluated; `undefined` when it is tried again. */
  async function whyItEnded(
    { results, endedAt }: Work,
    error: ProcessEnded,
    isRisky: boolean,
  ): Promise<string | undefined> {
    if (isFromOutside(error)) {
      // The successor went on behind this condition, which is tried again.
      await current.endSuccessor();
      const isAgain = isRisky && endedAt.has(results.length);
      endedAt.add(results.length);
      return isAgain ? 'Twice the process that evaluated it was ended from outside' : undefined;
    }
    logger.warn(
      { event: 'alerts.script_process_ended', err: error },
      'a condition of an alert ended the process that runs them',
    );
    if (!isRisky) return undefined;
    return error.why === 'out of memory' ? `It took more than ${heapMB} MB of memory` : tooLong(limitMillis);
  }

  // A successor knows its round alone: to the next one it would tell what came of this one.
  return (round) => evaluate(round).finally(current.endSuccessor);
}

/** The owner of the condition that ended its process: it took all that this owner has. */
const ownerAt = ({ owners, results }: Work): string[] => {
  const owner = owners[results.length];
  return owner === undefined ? [] : [owner];
};
