import type { Logger } from '../../../interfaces/logger.js';
import type { ConditionResult, ConditionRound, ConditionRunner } from './condition.js';
import { type CurrentProcess, isFromOutside } from './current-process.js';
import { ProcessEnded } from './process-ended.js';
import type { Line } from './protocol.js';
import { quietMillis } from './quiet-time.js';
import { resultsOf, tooLong } from './results.js';
import { createRoundWork, type RoundWork } from './round-work.js';

/** The runtime's own watch ends most scripts; what it can't, a builtin at work, is killed so much later (ms). */
const graceMillis = 20;
/** Processes that one round may use up. */
const maxProcesses = 10;

/** Evaluates a round, with as many processes as its conditions bring down. */
export function createRoundEvaluation(deps: {
  readonly current: CurrentProcess;
  readonly limitMillis: number;
  readonly heapMB: number;
  readonly logger: Logger;
}): ConditionRunner['evaluate'] {
  const { current, limitMillis, heapMB, logger } = deps;

  async function evaluate(round: ConditionRound): Promise<readonly ConditionResult[]> {
    const work = createRoundWork(round);
    current.keepSpare();
    for (let used = 1; work.left > 0; used++) {
      if (used > maxProcesses) {
        work.skipRest();
        logger.warn(
          { event: 'alerts.script_processes_exhausted', processes: maxProcesses },
          'conditions ended one process after the other; the rest waits',
        );
        break;
      }
      const risk = await evaluateRest(work);
      // What is not announced was sound before. For the next process it is new, as all are.
      if (risk !== undefined) work.stopped(risk);
    }
    return work.results;
  }

  /** Resolves what became of the condition that ended the process, when that is known. */
  async function evaluateRest(work: RoundWork): Promise<string | undefined> {
    const one = await current.started();
    const { isBegun } = one;
    one.isBegun = false;
    let isRisky = false;
    // It goes on behind the condition that may bring the present process down.
    const atQuarter = () => {
      if (work.left > 1) current.prepareSuccessor(work.tellBehind());
    };
    try {
      if (!isBegun) work.tell(one);
      while (work.left > 0) {
        const line: Line = isRisky
          ? await one.process.next(limitMillis + graceMillis, { atQuarter })
          : await one.process.next(limitMillis + graceMillis + quietMillis);
        if (line.is !== 'progress') throw new ProcessEnded('other', `It said ${line.is}`);
        // It came through by itself.
        await current.endSuccessor();
        isRisky = line.isRisky;
        work.add(resultsOf(line, limitMillis));
      }
      return undefined;
    } catch (error) {
      return whyItEnded(work, await current.endedBy(error), isRisky);
    }
  }

  /** Resolves what its owner is told of the condition that was evaluated; `undefined` when it is tried again. */
  async function whyItEnded(
    work: RoundWork,
    error: ProcessEnded,
    isRisky: boolean,
  ): Promise<string | undefined> {
    if (isFromOutside(error)) {
      // The successor went on behind this condition, which is tried again.
      await current.endSuccessor();
      return work.endedFromOutside() && isRisky
        ? 'Twice the process that evaluated it was ended from outside'
        : undefined;
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
