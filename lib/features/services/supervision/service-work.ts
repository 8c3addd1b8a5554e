import type { Logger } from '../../../interfaces/logger.js';
import { GatewayError } from '../../../model/errors.js';
import type { Life } from '../kinds/kind.js';
import type { ServiceLimits } from '../options.js';
import { createBackgroundWork } from './background-work.js';
import { createEffects, type EffectDeps, type Effects, type Outcomes } from './effects.js';
import { createRetryTimer } from './retry-timer.js';
import { createServiceRunner, type RunnerDeps } from './service-runner.js';
import type { ServiceStatus } from './service-status.js';
import { type Effect, resumed } from './state-machine.js';

/** The work that a service's changes of state begin, and new tries of what failed. */
interface ServiceWork {
  readonly isUnderWay: boolean;
  begin(effect: Effect): void;
  /** Goes on with what the present state stands for. */
  resume(): void;
  /** The next failure counts as the first one. */
  forgetFailures(): void;
  /** What its work came to could not be kept. */
  unkept(err: unknown): void;
  /** Gives up what is under way, and new tries. Resolves when it has ended. */
  giveUp(): Promise<void>;
  /** Stops this life of it, whatever its state. */
  stop(life: Life): Promise<void>;
}

export interface WorkDeps extends EffectDeps, RunnerDeps {
  readonly limits: ServiceLimits;
  readonly logger: Logger;
}

export function createServiceWork(
  name: string,
  status: ServiceStatus,
  outcomes: Outcomes,
  deps: WorkDeps,
): ServiceWork {
  const { limits, logger } = deps;
  const runner = createServiceRunner(name, status, deps);
  const effects = createEffects(name, status, runner, outcomes, deps);
  const work = createBackgroundWork({ failed: unkept, ended: status.changed });
  const retry = createRetryTimer({ first: limits.retryFirstMillis, most: limits.retryMostMillis });
  const tryAgain = () => void outcomes.send('retry').catch(unkept);

  function begin(effect: Effect) {
    retry.cancel();
    // The next gateway goes on with what is kept.
    if (status.isOver) return;
    status.progress = effect === 'retryLater' ? retry.schedule(tryAgain) : undefined;
    if (effect !== 'retryLater') work.begin((signal) => perform(effect, signal));
  }

  async function perform(effect: keyof Effects, signal: AbortSignal) {
    try {
      await effects[effect](signal);
    } catch (error) {
      if (signal.aborted) return;
      const level = error instanceof GatewayError ? 'warn' : 'error';
      logger[level]({ event: 'service.failed', service: name, effect, err: error }, 'a service failed');
      await outcomes.send('failed', { failure: sentenceOf(error) }, signal);
    }
  }

  function resume() {
    const effect = resumed(status.stored);
    if (effect === 'retryLater') tryAgain();
    else if (effect !== undefined) begin(effect);
  }

  /** While the storage takes nothing, nothing else would ever come of it: it is done again and again, as after a start. */
  function unkept(err: unknown) {
    const fields = { event: 'service.state_not_saved', service: name, err };
    logger.error(fields, 'the state of a service can not be kept');
    if (status.isOver) return;
    const sentence = retry.schedule(() => {
      if (!work.isUnderWay && !status.isOver) resume();
    });
    status.progress = `its state could not be kept; ${sentence}`;
  }

  return {
    get isUnderWay() {
      return work.isUnderWay;
    },
    begin,
    resume,
    forgetFailures: retry.reset,
    unkept,
    giveUp() {
      retry.cancel();
      return work.giveUp();
    },
    stop: (life) => runner.stop(AbortSignal.timeout(limits.stopGraceMillis + limits.askMillis), life),
  };
}

const sentenceOf = (error: unknown): string => {
  if (error instanceof GatewayError) return error.message;
  return 'Something went wrong; the log has the details';
};
