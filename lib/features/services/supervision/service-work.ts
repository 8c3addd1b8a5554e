import type { Logger } from '../../../interfaces/logger.js';
import { GatewayError } from '../../../model/errors.js';
import type { ServiceLimits } from '../options.js';
import { createBackgroundWork } from './background-work.js';
import { createEffects, type EffectDeps, type Effects, type Subject } from './effects.js';
import { createRetryTimer } from './retry-timer.js';
import { type Effect, resumed } from './state-machine.js';

/** The work that a service's changes of state begin, and new tries of what failed. */
interface ServiceWork {
  /** One sentence: how far it is, or when it is tried again. */
  readonly progress: string | undefined;
  readonly isUnderWay: boolean;
  begin(effect: Effect): void;
  /** Goes on with what the present state stands for. */
  resume(): void;
  /** Nothing new has begun: what was told of earlier work is over with it. */
  clearProgress(): void;
  /** The next failure counts as the first one. */
  forgetFailures(): void;
  /** What its work came to could not be kept. */
  unkept(err: unknown): void;
  /** Gives up what is under way, and new tries. Resolves when it has ended. */
  giveUp(): Promise<void>;
}

export interface WorkDeps extends EffectDeps {
  readonly limits: ServiceLimits;
  readonly logger: Logger;
}

export interface WorkSubject extends Subject {
  /** Nothing is begun for it any more. */
  readonly isOver: boolean;
}

interface WorkHooks {
  /** How far the work is has changed. */
  readonly progressed: () => void;
  /** A piece of work is over. */
  readonly ended: () => void;
}

export function createServiceWork(
  name: string,
  subject: WorkSubject,
  hooks: WorkHooks,
  deps: WorkDeps,
): ServiceWork {
  const { limits, logger } = deps;
  const work = createBackgroundWork({ failed: unkept, ended: hooks.ended });
  const retry = createRetryTimer({ first: limits.retryFirstMillis, most: limits.retryMostMillis });
  let progress: string | undefined;
  const effects = createEffects(
    name,
    subject,
    (sentence) => {
      progress = sentence;
      hooks.progressed();
    },
    deps,
  );

  const tryAgain = () => void subject.send('retry', {}).catch(unkept);

  function begin(effect: Effect) {
    retry.cancel();
    // The next gateway goes on with what is kept.
    if (subject.isOver) return;
    if (effect === 'retryLater') {
      progress = retry.schedule(tryAgain);
      return;
    }
    progress = undefined;
    work.begin((signal) => perform(effect, signal));
  }

  async function perform(effect: keyof Effects, signal: AbortSignal) {
    try {
      await effects[effect](signal);
    } catch (error) {
      if (signal.aborted) return;
      const failure = sentenceOf(error);
      const level = error instanceof GatewayError ? 'warn' : 'error';
      logger[level]({ event: 'service.failed', service: name, effect, err: error }, 'a service failed');
      await subject.send('failed', { failure }, signal);
    }
  }

  function resume() {
    const effect = resumed(subject.stored);
    if (effect === 'retryLater') tryAgain();
    else if (effect !== undefined) begin(effect);
  }

  /** While the storage takes nothing, nothing else would ever come of it: it is done again and again, as after a start. */
  function unkept(err: unknown) {
    logger.error(
      { event: 'service.state_not_saved', service: name, err },
      'the state of a service can not be kept',
    );
    if (subject.isOver) return;
    const sentence = retry.schedule(() => {
      if (!work.isUnderWay && !subject.isOver) resume();
    });
    progress = `its state could not be kept; ${sentence}`;
    hooks.progressed();
  }

  return {
    get progress() {
      return progress;
    },
    get isUnderWay() {
      return work.isUnderWay;
    },
    begin,
    resume,
    clearProgress() {
      progress = undefined;
    },
    forgetFailures: retry.reset,
    unkept,
    giveUp() {
      retry.cancel();
      return work.giveUp();
    },
  };
}

const sentenceOf = (error: unknown): string => {
  if (error instanceof GatewayError) return error.message;
  return 'Something went wrong; the log has the details';
};
