import { NotReady } from '../../../model/errors.js';
import type { Life } from '../kinds/kind.js';
import type { ServiceState } from '../schema.js';
import type { StoredService } from '../stored.js';
import { createServiceHealth } from './service-health.js';
import { createServiceLifecycle } from './service-lifecycle.js';
import { createServiceRecord, type RecordDeps } from './service-record.js';
import { createServiceStatus } from './service-status.js';
import type { WorkDeps } from './service-work.js';
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

interface SupervisorDeps extends WorkDeps, RecordDeps {}

export function createSupervisor(name: string, before: StoredService, deps: SupervisorDeps): Supervisor {
  const record = createServiceRecord(before, deps);
  const status = createServiceStatus(record);
  const lifecycle = createServiceLifecycle(name, record, status, deps);
  const health = createServiceHealth(name, status, lifecycle, deps);

  const supervisor: Supervisor = {
    name,
    get stored() {
      return status.stored;
    },
    get life() {
      return statesWithLife.has(status.stored.state) ? status.life : undefined;
    },
    get detail() {
      const { stored, progress } = status;
      const failure = stored.state === 'FAILED' || stored.state === 'STOPPING' ? stored.failure : undefined;
      return [failure, progress].filter((part) => part !== undefined).join('; ') || undefined;
    },
    get isGone() {
      return status.isGone;
    },
    get unseenSince() {
      return health.unseenSince;
    },
    get stamp() {
      return status.stamp;
    },
    get isAtRest() {
      return status.isGone || (!lifecycle.isUnderWay && statesAtRest.has(status.stored.state));
    },
    wouldBegin: (trigger) => transition(status.stored, trigger).effect,
    send: lifecycle.send,
    redefine: lifecycle.redefine,
    kept: lifecycle.kept,
    resume: lifecycle.resume,
    close: lifecycle.close,
    observe: health.observe,

    async until(fits, signal) {
      while (!status.isGone && !fits(supervisor)) {
        if (status.isClosed) throw new NotReady('The gateway is closing');
        signal.throwIfAborted();
        await status.next(signal);
      }
    },
  };
  return supervisor;
}

const statesWithLife: ReadonlySet<ServiceState> = new Set(['STARTING', 'RUNNING', 'STOPPING']);
const statesAtRest: ReadonlySet<ServiceState> = new Set(['RUNNING', 'STOPPED', 'FAILED']);
