import { createMutex } from '../../../runtime/mutex.js';
import type { Life } from '../kinds/kind.js';
import type { StoredService } from '../stored.js';
import { noLife, orderOf } from './effects.js';
import { createServiceRecord } from './service-record.js';
import { createServiceWork, type WorkDeps, type WorkSubject } from './service-work.js';
import { type Trigger, transition } from './state-machine.js';

/** The state of one service: its changes are kept one after the other, and begin its work. */
interface ServiceLifecycle extends WorkSubject {
  /** One sentence: how far its work is, or when it is tried again. */
  readonly progress: string | undefined;
  readonly isUnderWay: boolean;
  readonly isGone: boolean;
  readonly isClosed: boolean;
  /** Changes with each change of state, and with each piece of work. */
  readonly stamp: number;
  /** Resolves when the new state is kept; what it begins goes on. Rejects with `Conflict`. `work`: what tells it. */
  send(trigger: Trigger, facts?: Partial<StoredService>, work?: AbortSignal): Promise<void>;
  /** Tells what was seen of it. A state that can't be kept is tried again. */
  report(trigger: Trigger, facts?: Partial<StoredService>): void;
  redefine(change: (stored: StoredService) => StoredService): Promise<void>;
  /** Resolves when the changes that are being kept are kept. */
  kept(): Promise<void>;
  /** Goes on with what was under way when the gateway ended. */
  resume(): void;
  /** The next failure counts as the first one. */
  forgetFailures(): void;
  /** Idempotent. Work is given up; what runs goes on, unless `stop` is asked for. */
  close(options: { readonly stop: boolean }): Promise<void>;
}

export interface LifecycleDeps extends WorkDeps {
  readonly save: (stored: StoredService) => Promise<void>;
  readonly forget: () => Promise<void>;
}

/** `tell`: something of it has changed. */
export function createServiceLifecycle(
  name: string,
  before: StoredService,
  tell: () => void,
  deps: LifecycleDeps,
): ServiceLifecycle {
  const { kind, limits } = deps;
  const exclusive = createMutex();
  const record = createServiceRecord(before, deps);
  let life: Life | undefined;
  let isGone = false;
  let isClosed = false;
  let stamp = 0;

  function changed() {
    stamp++;
    tell();
  }

  /** `of`: the work that tells it; what was given up tells nothing any more. */
  function send(trigger: Trigger, more: Partial<StoredService> = {}, of?: AbortSignal): Promise<void> {
    return exclusive(async () => {
      if (isGone || isClosed || of?.aborted) return;
      const { value: stored } = record;
      const { next, effect } = transition(stored, trigger);
      if (!next) {
        await record.remove();
        isGone = true;
        life = undefined;
      } else if (
        record.isUnsure ||
        effect !== undefined ||
        next.state !== stored.state ||
        next.enabled !== stored.enabled
      ) {
        await record.keep({ ...stored, ...more, ...next });
      }
      if (trigger === 'start' || trigger === 'stop') work.forgetFailures();
      if (effect !== undefined) work.begin(effect);
      else if (!work.isUnderWay) work.clearProgress();
      changed();
    });
  }

  const lifecycle: ServiceLifecycle = {
    get stored() {
      return record.value;
    },
    get life() {
      return life;
    },
    set life(next) {
      life = next;
    },
    get progress() {
      return work.progress;
    },
    get isUnderWay() {
      return work.isUnderWay;
    },
    get isOver() {
      return isGone || isClosed;
    },
    get isGone() {
      return isGone;
    },
    get isClosed() {
      return isClosed;
    },
    get stamp() {
      return stamp;
    },
    note: (facts, of) =>
      exclusive(async () => {
        of.throwIfAborted();
        await record.keep({ ...record.value, ...facts });
      }),
    send,
    report(trigger, facts) {
      send(trigger, facts).catch(work.unkept);
    },
    redefine: (change) =>
      exclusive(async () => {
        await record.keep(change(record.value));
        changed();
      }),
    kept: () => exclusive(async () => {}),
    resume: () => work.resume(),
    forgetFailures: () => work.forgetFailures(),

    async close({ stop: shouldStop }) {
      isClosed = true;
      tell();
      await work.giveUp();
      await exclusive(async () => {
        if (!shouldStop || !life) return;
        const { value: stored } = record;
        const limit = AbortSignal.timeout(limits.stopGraceMillis + limits.askMillis);
        await kind.stop(orderOf(name, stored, deps.resolve), life, limit);
        const next = stored.enabled ? 'STARTING' : 'STOPPED';
        await record.keep({ ...stored, ...noLife, state: stored.state === 'REMOVING' ? stored.state : next });
        life = undefined;
      });
    },
  };
  const work = createServiceWork(name, lifecycle, { progressed: tell, ended: changed }, deps);
  return lifecycle;
}
