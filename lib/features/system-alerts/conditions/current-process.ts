import type { Logger } from '../../../interfaces/logger.js';
import { NotReady } from '../../../model/errors.js';
import { ProcessEnded } from './process-ended.js';
import { createSuccessor, type RoundProcess, roundProcess } from './round-process.js';
import type { ScriptProcesses } from './script-processes.js';

const startMillis = 10_000;
/** Processes that are ended from outside, one after the other, before nobody tries any more. */
export const maxTries = 3;

/** The process that runs conditions now, and while one of them seems to bring it down, the one that goes on behind that. */
export interface CurrentProcess {
  /** Resolves when it is ready, started if need be. Rejects with `NotReady` when it can't be. */
  started(): Promise<RoundProcess>;
  /** Who has run rounds before goes on to: the next process shall be ready should this one have to be ended. */
  keepSpare(): void;
  /** Once, while the present process is at risk: another one is told what `tell` says, and takes its place when it ends. */
  prepareSuccessor(tell: (successor: RoundProcess) => void): void;
  /** The present process came through, or nothing is left to do behind it. */
  endSuccessor(): Promise<void>;
  end(): Promise<void>;
  /** Ends what `error` came from. Resolves why it ended, which is said when it was from outside; rejects with other errors. */
  endedBy(error: unknown): Promise<ProcessEnded>;
}

export function createCurrentProcess(deps: {
  readonly processes: ScriptProcesses;
  readonly limitMillis: number;
  /** Throws `NotReady` when the runner is closed. */
  readonly requireOpen: () => void;
  readonly logger: Logger;
}): CurrentProcess {
  const { processes, limitMillis, requireOpen, logger } = deps;
  let running: RoundProcess | undefined;
  const fresh = async (): Promise<RoundProcess> => roundProcess(await processes.take(), limitMillis);
  const successor = createSuccessor(fresh);

  async function started(tries = 1): Promise<RoundProcess> {
    // While nobody needed it, it may have been ended by whoever may.
    if (running?.process.hasEnded) await end();
    const one = running ?? (await successor.take()) ?? (await fresh());
    requireOpen();
    running = one;
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

  async function end(): Promise<void> {
    const { process } = running ?? {};
    running = undefined;
    await process?.kill();
  }

  const sayEndedFromOutside = (err: unknown): void =>
    logger.warn(
      { event: 'alerts.script_process_killed', err },
      'the process that runs conditions of alerts was ended from outside',
    );

  return {
    started: () => started(),
    keepSpare() {
      if (running) processes.keepSpare();
    },
    prepareSuccessor: successor.prepare,
    endSuccessor: successor.end,
    end,
    async endedBy(error) {
      await end();
      if (!(error instanceof ProcessEnded)) throw error;
      requireOpen();
      if (isFromOutside(error)) sayEndedFromOutside(error);
      return error;
    },
  };
}

/** By the system for want of memory, or by a person: no fault of what it was at. */
export const isFromOutside = (error: unknown): boolean =>
  error instanceof ProcessEnded && error.why === 'outside';
