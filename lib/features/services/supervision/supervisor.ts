import { NotReady } from '../../../model/errors.js';
import type { Life } from '../kinds/kind.js';
import type { StoredService } from '../stored.js';
import { createChangeSignal } from './change-signal.js';
import { noLife } from './effects.js';
import { createServiceLifecycle, type LifecycleDeps } from './service-lifecycle.js';
import { type Effect, type Trigger, transition } from './state-machine.js';

/** Keeps one service in the state that was asked for. Its work goes on in the background, one piece at a time. */
export interface Supervisor {
  readonly name: string;
  readonly stored: StoredService;
  /** What is known of its life, while it has one. */
  readonly life: Life | undefined;
  /** One sentence: how far it is, or why it failed. */
  readonly detail: string | undefined;
  readonly isGone: boolean;
  /** Epoch milliseconds of the last look that succeeded; `undefined` while looks succeed. */
  readonly unseenSince: number | undefined;
  /** What `trigger` would begin now. Throws `Conflict` when it can't be asked. */
  wouldBegin(trigger: Trigger): Effect | undefined;
  /** Resolves when the new state is kept; what it begins goes on. Rejects with `Conflict`. */
  send(trigger: Trigger): Promise<void>;
  /** Puts another definition in the place of the one that is kept, if `change` lets it. */
  redefine(change: (stored: StoredService) => StoredService): Promise<void>;
  /** Resolves when the changes that are being kept are kept. */
  kept(): Promise<void>;
  /** Goes on with what was under way when the gateway ended. */
  resume(): void;
  /** Takes what was seen of it by a look that began when `stamp` was this. `unknown`: nobody could be asked. */
  observe(seen: Life | undefined | 'unknown', stamp: number): void;
  /** Changes with each change of state, and with each piece of work. */
  readonly stamp: number;
  /** Resolves when the service is as `fits` says, or gone; rejects with the signal's reason, or when the gateway closes. */
  until(fits: (supervisor: Supervisor) => boolean, signal: AbortSignal): Promise<void>;
  /** Nothing is under way and nothing comes by itself but the end of what runs, or a new try. */
  readonly isAtRest: boolean;
  /** Idempotent. Work is given up; what runs goes on, unless `stop` is asked for: then it is started again by the next gateway. */
  close(options: { readonly stop: boolean }): Promise<void>;
}

export function createSupervisor(name: string, before: StoredService, deps: LifecycleDeps): Supervisor {
  const { limits, clock, logger } = deps;
  const changes = createChangeSignal();
  const lifecycle = createServiceLifecycle(name, before, changes.tell, deps);
  let lastSeen = clock.now();
  let isUnseen = false;

  /** It ran, or was about to, and does no more. */
  function ended(reason: string) {
    const { life } = lifecycle;
    if (life && clock.now() - life.startedTime >= limits.retryMostMillis) lifecycle.forgetFailures();
    logger.warn({ event: 'service.ended', service: name, reason }, 'a service ended by itself');
    lifecycle.life = undefined;
    lifecycle.report('ended', { ...noLife, failure: reason });
  }

  const supervisor: Supervisor = {
    name,
    get stored() {
      return lifecycle.stored;
    },
    get life() {
      const { state } = lifecycle.stored;
      return state === 'RUNNING' || state === 'STARTING' || state === 'STOPPING' ? lifecycle.life : undefined;
    },
    get detail() {
      const { stored, progress } = lifecycle;
      const failure = stored.state === 'FAILED' || stored.state === 'STOPPING' ? stored.failure : undefined;
      return [failure, progress].filter((part) => part !== undefined).join('; ') || undefined;
    },
    get isGone() {
      return lifecycle.isGone;
    },
    get unseenSince() {
      return isUnseen ? lastSeen : undefined;
    },
    get stamp() {
      return lifecycle.stamp;
    },
    get isAtRest() {
      const { state } = lifecycle.stored;
      return (
        lifecycle.isGone ||
        (!lifecycle.isUnderWay && (state === 'RUNNING' || state === 'STOPPED' || state === 'FAILED'))
      );
    },
    wouldBegin: (trigger) => transition(lifecycle.stored, trigger).effect,
    send: (trigger) => lifecycle.send(trigger),
    redefine: lifecycle.redefine,
    kept: lifecycle.kept,
    resume: lifecycle.resume,
    close: lifecycle.close,

    observe(seen, since) {
      if (lifecycle.isGone || lifecycle.isClosed) return;
      isUnseen = seen === 'unknown';
      if (seen === 'unknown') return;
      lastSeen = clock.now();
      const { stored, stamp, isUnderWay } = lifecycle;
      if (since !== stamp || isUnderWay || (stored.state !== 'RUNNING' && stored.state !== 'STARTING'))
        return;
      if (!seen || seen.id !== stored.lifeId) return ended('It was ended by somebody else');
      if (seen.state === 'ended') return ended(seen.reason ?? 'It ended');
      lifecycle.life = seen;
      if (stored.state === 'RUNNING') return;
      if (seen.state === 'running') lifecycle.report('healthy');
      else if (clock.now() - seen.startedTime > limits.readyMillis)
        ended(`It did not get ready within ${Math.round(limits.readyMillis / 1000)} s`);
    },

    async until(fits, signal) {
      while (!lifecycle.isGone && !fits(supervisor)) {
        if (lifecycle.isClosed) throw new NotReady('The gateway is closing');
        signal.throwIfAborted();
        await changes.next(signal);
      }
    },
  };
  return supervisor;
}
