import type { Logger } from '../../interfaces/logger.js';
import { GatewayError, NotReady } from '../../model/errors.js';
import { pauseAfter } from '../../runtime/back-off.js';
import { createMutex } from '../../runtime/mutex.js';
import { createEffects, type EffectDeps, type Effects, noLife, orderOf } from './effects.js';
import type { Life } from './kind.js';
import type { ServiceLimits } from './options.js';
import { type Effect, resumed, type Trigger, transition } from './state.js';
import { StoredService } from './stored.js';

/** Keeps one service in the state that was asked for. Its work goes on in the background, one piece at a time. */
export interface Supervisor {
  readonly name: string;
  /** What is kept of it, and what is known of its life. */
  readonly stored: StoredService;
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
  /** What was seen of it by a look that began when `stamp` was what it is now. `unknown`: nobody could be asked. */
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

interface SupervisorDeps extends EffectDeps {
  readonly save: (stored: StoredService) => Promise<void>;
  readonly forget: () => Promise<void>;
  readonly limits: ServiceLimits;
  readonly logger: Logger;
}

export function createSupervisor(name: string, before: StoredService, deps: SupervisorDeps): Supervisor {
  const { kind, limits, clock, logger } = deps;
  const exclusive = createMutex();
  const waiting = new Set<() => void>();
  let stored = before;
  /** Whether the storage may hold something else than `stored`: a write that failed may have been made. */
  let isUnsure = false;
  let life: Life | undefined;
  let progress: string | undefined;
  let lastSeen = clock.now();
  let isUnseen = false;
  let isGone = false;
  let isClosed = false;
  let failures = 0;
  let stamp = 0;
  let work: { readonly abort: AbortController; readonly done: Promise<void> } | undefined;
  let retry: NodeJS.Timeout | undefined;

  /** Whoever waits looks again. */
  function tell() {
    for (const look of [...waiting]) look();
  }

  function changed() {
    stamp++;
    tell();
  }

  async function keep(next: StoredService) {
    const [text, present] = [JSON.stringify(next), JSON.stringify(stored)];
    if (text === present && !isUnsure) return;
    const plain = StoredService.parse(JSON.parse(text));
    await written(() => deps.save(plain));
    stored = plain;
  }

  async function written(write: () => Promise<void>) {
    isUnsure = true;
    await write();
    isUnsure = false;
  }

  /** What work found out besides; not when it was given up meanwhile. */
  const note = (facts: Partial<StoredService>, of: AbortSignal) =>
    exclusive(async () => {
      of.throwIfAborted();
      await keep({ ...stored, ...facts });
    });

  /** `of`: the work that tells it; what was given up tells nothing any more. */
  const send = (trigger: Trigger, more: Partial<StoredService> = {}, of?: AbortSignal) =>
    exclusive(async () => {
      if (isGone || isClosed || of?.aborted) return;
      const { next, effect } = transition(stored, trigger);
      if (!next) {
        await written(deps.forget);
        isGone = true;
        life = undefined;
      } else if (
        isUnsure ||
        effect !== undefined ||
        next.state !== stored.state ||
        next.enabled !== stored.enabled
      ) {
        await keep({ ...stored, ...more, ...next });
      }
      if (trigger === 'start' || trigger === 'stop') failures = 0;
      if (effect !== undefined) begin(effect);
      else if (!work) progress = undefined;
      changed();
    });

  /** After one more failure; it is told. */
  function nextPause(): number {
    clearTimeout(retry);
    failures++;
    const pause = pauseAfter(failures, { first: limits.retryFirstMillis, most: limits.retryMostMillis }, 0);
    progress = `tried again ${failures === 1 ? '' : `after ${failures} failures `}in ${Math.ceil(pause / 1000)} s`;
    return pause;
  }

  function begin(effect: Effect) {
    clearTimeout(retry);
    // The next gateway goes on with what is kept.
    if (isClosed) return;
    if (effect === 'retryLater') {
      retry = setTimeout(() => send('retry').catch(unkept), nextPause());
      return;
    }
    progress = undefined;
    const last = work;
    last?.abort.abort();
    const abort = new AbortController();
    const done = (async () => {
      await last?.done;
      if (!abort.signal.aborted) await perform(effect, abort.signal);
    })();
    const mine = { abort, done: done.catch(unkept) };
    work = mine;
    mine.done.then(() => {
      if (work === mine) work = undefined;
      changed();
    });
  }

  const effects = createEffects(
    name,
    {
      get stored() {
        return stored;
      },
      get life() {
        return life;
      },
      set life(next) {
        life = next;
      },
      get progress() {
        return progress;
      },
      set progress(sentence) {
        progress = sentence;
        tell();
      },
      note,
      send,
    },
    deps,
  );

  /**
   * What its work came to could not be kept, so nothing else would ever come of it: while the storage takes nothing, it
   * is done again and again, as after a start of the gateway.
   */
  function unkept(err: unknown) {
    logger.error(
      { event: 'service.state_not_saved', service: name, err },
      'the state of a service can not be kept',
    );
    if (isGone || isClosed) return;
    const pause = nextPause();
    progress = `its state could not be kept; ${progress}`;
    retry = setTimeout(() => {
      if (!work && !isGone && !isClosed) supervisor.resume();
    }, pause);
    tell();
  }

  async function perform(effect: keyof Effects, signal: AbortSignal) {
    try {
      await effects[effect](signal);
    } catch (error) {
      if (signal.aborted) return;
      const failure = sentenceOf(error);
      const level = error instanceof GatewayError ? 'warn' : 'error';
      logger[level]({ event: 'service.failed', service: name, effect, err: error }, 'a service failed');
      await send('failed', { failure }, signal);
    }
  }

  /** It ran, or was about to, and does no more. */
  function ended(reason: string) {
    if (life && clock.now() - life.startedTime >= limits.retryMostMillis) failures = 0;
    logger.warn({ event: 'service.ended', service: name, reason }, 'a service ended by itself');
    life = undefined;
    send('ended', { ...noLife, failure: reason }).catch(unkept);
  }

  const supervisor: Supervisor = {
    name,
    get stored() {
      return stored;
    },
    get life() {
      return stored.state === 'RUNNING' || stored.state === 'STARTING' || stored.state === 'STOPPING'
        ? life
        : undefined;
    },
    get detail() {
      const failure = stored.state === 'FAILED' || stored.state === 'STOPPING' ? stored.failure : undefined;
      return [failure, progress].filter((part) => part !== undefined).join('; ') || undefined;
    },
    get isGone() {
      return isGone;
    },
    get unseenSince() {
      return isUnseen ? lastSeen : undefined;
    },
    get stamp() {
      return stamp;
    },
    get isAtRest() {
      return (
        isGone ||
        (!work && (stored.state === 'RUNNING' || stored.state === 'STOPPED' || stored.state === 'FAILED'))
      );
    },
    wouldBegin: (trigger) => transition(stored, trigger).effect,
    send: (trigger) => send(trigger),
    redefine: (change) =>
      exclusive(async () => {
        await keep(change(stored));
        changed();
      }),
    kept: () => exclusive(async () => {}),
    resume() {
      const effect = resumed(stored);
      if (effect === 'retryLater') send('retry').catch(unkept);
      else if (effect !== undefined) begin(effect);
    },

    observe(seen, since) {
      if (isGone || isClosed) return;
      isUnseen = seen === 'unknown';
      if (seen === 'unknown') return;
      lastSeen = clock.now();
      if (since !== stamp || work || (stored.state !== 'RUNNING' && stored.state !== 'STARTING')) return;
      if (!seen || seen.id !== stored.lifeId) return ended('It was ended by somebody else');
      if (seen.state === 'ended') return ended(seen.reason ?? 'It ended');
      life = seen;
      if (stored.state === 'RUNNING') return;
      if (seen.state === 'running') send('healthy').catch(unkept);
      else if (clock.now() - seen.startedTime > limits.readyMillis)
        ended(`It did not get ready within ${Math.round(limits.readyMillis / 1000)} s`);
    },

    async until(fits, signal) {
      while (!isGone && !fits(supervisor)) {
        if (isClosed) throw new NotReady('The gateway is closing');
        signal.throwIfAborted();
        await new Promise<void>((resolve) => {
          const done = () => {
            waiting.delete(done);
            signal.removeEventListener('abort', done);
            resolve();
          };
          waiting.add(done);
          signal.addEventListener('abort', done, { once: true });
        });
      }
    },

    async close({ stop: shouldStop }) {
      isClosed = true;
      tell();
      clearTimeout(retry);
      work?.abort.abort();
      await work?.done;
      await exclusive(async () => {
        if (!shouldStop || !life) return;
        const limit = AbortSignal.timeout(limits.stopGraceMillis + limits.askMillis);
        await kind.stop(orderOf(name, stored, deps.resolve), life, limit);
        const next = stored.enabled ? 'STARTING' : 'STOPPED';
        await keep({ ...stored, ...noLife, state: stored.state === 'REMOVING' ? stored.state : next });
        life = undefined;
      });
    },
  };
  return supervisor;
}

const sentenceOf = (error: unknown): string => {
  if (error instanceof GatewayError) return error.message;
  return 'Something went wrong; the log has the details';
};
