import type { Logger } from '../../../interfaces/logger.js';
import { NotReady } from '../../../model/errors.js';
import { createMutex } from '../../../runtime/mutex.js';
import type { CheckedScript, ConditionRunner } from './condition.js';
import { createCurrentProcess, isFromOutside, maxTries } from './current-process.js';
import { ProcessEnded } from './process-ended.js';
import { createRoundEvaluation } from './round-evaluation.js';
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

const checkMillis = 2000;
/** Without work for so long the processes are ended (ms). */
const lingerMillis = 60_000;

export function createConditionRunner(
  { execPath = process.execPath, env = {}, limitMillis = 250, heapMB = 128 }: ConditionRunnerOptions,
  logger: Logger,
): ConditionRunner {
  const processes = createScriptProcesses({ execPath, env, heapMB });
  const current = createCurrentProcess({ processes, limitMillis, requireOpen, logger });
  const evaluate = createRoundEvaluation({ current, limitMillis, heapMB, logger });
  const exclusive = createMutex();
  let lingering: NodeJS.Timeout | undefined;
  let isClosed = false;

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

  const endAll = async (): Promise<void> => void (await Promise.all([current.end(), processes.endSpare()]));

  async function check(script: string, tries = 1): Promise<CheckedScript> {
    const { process } = await current.started();
    try {
      process.send({ is: 'check', script });
      const line = await process.next(checkMillis);
      if (line.is === 'sound' || line.is === 'faulty') return line;
      throw new ProcessEnded('other', `It said ${line.is}`);
    } catch (error) {
      if (isFromOutside(await current.endedBy(error))) {
        if (tries < maxTries) return check(script, tries + 1);
        throw new NotReady(
          'The condition can not be read now: something ends the process that reads it. Try again',
        );
      }
      return { is: 'faulty', message: 'Reading it took more time or memory than a condition may have' };
    }
  }

  return {
    check: (script) => inTurn(() => check(script)),
    evaluate: (round) => inTurn(() => evaluate(round)),
    processCount: () => processes.count,
    async close() {
      isClosed = true;
      clearTimeout(lingering);
      await processes.close();
    },
  };
}
