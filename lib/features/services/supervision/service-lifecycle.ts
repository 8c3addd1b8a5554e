import { createMutex } from '../../../runtime/mutex.js';
import type { StoredService } from '../stored.js';
import { noLife, type Outcomes } from './effects.js';
import type { ServiceRecord } from './service-record.js';
import type { ServiceStatus } from './service-status.js';
import { createServiceWork, type WorkDeps } from './service-work.js';
import { type Trigger, transition } from './state-machine.js';

/** Changes of one service's state: they are kept one after the other, and begin its work. */
export interface ServiceLifecycle {
  readonly isUnderWay: boolean;
  /** Resolves when the new state is kept; what it begins goes on. Rejects with `Conflict`. */
  send(trigger: Trigger): Promise<void>;
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

export function createServiceLifecycle(
  name: string,
  record: ServiceRecord,
  status: ServiceStatus,
  deps: WorkDeps,
): ServiceLifecycle {
  const exclusive = createMutex();
  const outcomes: Outcomes = {
    note: (facts, of) =>
      exclusive(async () => {
        of.throwIfAborted();
        await record.keep({ ...record.value, ...facts });
      }),
    send: (trigger, facts = {}, of) =>
      exclusive(async () => {
        if (!status.isOver && !of?.aborted) await take(trigger, facts);
      }),
  };
  const work = createServiceWork(name, status, outcomes, deps);

  async function take(trigger: Trigger, facts: Partial<StoredService>): Promise<void> {
    const { value: stored } = record;
    const { next, effect } = transition(stored, trigger);
    if (!next) {
      await record.remove();
      status.setGone();
      status.life = undefined;
    } else {
      const isNew = next.state !== stored.state || next.enabled !== stored.enabled;
      if (record.isUnsure || effect !== undefined || isNew)
        await record.keep({ ...stored, ...facts, ...next });
    }
    if (trigger === 'start' || trigger === 'stop') work.forgetFailures();
    if (effect !== undefined) work.begin(effect);
    else if (!work.isUnderWay) status.progress = undefined;
    status.changed();
  }

  /** The next gateway starts it again, if it is to be kept running. */
  async function stopNow(): Promise<void> {
    if (!status.life) return;
    await work.stop(status.life);
    const { value: stored } = record;
    const next = stored.enabled ? 'STARTING' : 'STOPPED';
    await record.keep({ ...stored, ...noLife, state: stored.state === 'REMOVING' ? stored.state : next });
    status.life = undefined;
  }

  return {
    get isUnderWay() {
      return work.isUnderWay;
    },
    send: (trigger) => outcomes.send(trigger),
    report(trigger, facts) {
      outcomes.send(trigger, facts).catch(work.unkept);
    },
    redefine: (change) =>
      exclusive(async () => {
        await record.keep(change(record.value));
        status.changed();
      }),
    kept: () => exclusive(async () => {}),
    resume: work.resume,
    forgetFailures: work.forgetFailures,
    async close({ stop }) {
      status.setClosed();
      await work.giveUp();
      await exclusive(async () => {
        if (stop) await stopNow();
      });
    },
  };
}
