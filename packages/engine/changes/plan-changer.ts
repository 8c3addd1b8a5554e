import {
  type ChangeRequest,
  Conflict,
  type Mutex,
  queueingSemaphore,
  TimedOut,
  TooManyRequests,
  Unreachable,
} from 'headgate/driver-kit';
import type { Layout } from '../layout/layout.js';
import type { Slot } from '../layout/physical-state.js';
import type { PhysicalPlan } from '../plan/physical.js';
import type { Planner } from '../plan/planner.js';
import { Refused } from '../processes/questions.js';
import type { StartQueue } from '../processes/start-queue.js';
import type { Heartbeat } from '../protocol/protocol.js';
import { createArrivals } from './arrivals.js';
import { reachBarrier } from './barrier.js';
import type { Latch } from './latch.js';
import {
  createPlanTransaction,
  interrupted,
  type PlanTransaction,
  type PlanTransactionDeps,
} from './plan-transaction.js';

interface PlanChangerDeps extends PlanTransactionDeps {
  readonly target: PlanTransactionDeps['target'] & {
    readonly layout: Layout;
    /** Throws `Conflict`. */
    refuseWhenOver(): void;
  };
  /** The window from which on all changed properties hold everywhere. */
  readonly propertiesHoldFrom: () => number;
  readonly planner: Planner;
  readonly starts: StartQueue;
  readonly inOrder: Mutex;
  /** Notified of whatever brings a change on its way, or stops it. */
  readonly latch: Latch;
  /** How long a change may wait for containers and operators, milliseconds. */
  readonly limitMillis: number;
  readonly makeSlot: (number: number, physical: PhysicalPlan) => Slot;
  /** Throws `Conflict` when there is no room for these besides all that runs. */
  readonly checkRoom: (slots: readonly Slot[]) => void;
  readonly apply: (slot: Slot, metrics: Heartbeat) => void;
}

/**
 * Changes the plan of a running application: everything is checked on copies first; containers that will be needed are
 * started; then all operators are brought to the end of one window, where the new plan takes the place of the old one
 * in one piece, and those that the change touches go on from there.
 */
export interface PlanChanger extends Pick<PlanTransaction, 'started' | 'failed' | 'close'> {
  /** Empty places that have their room already: their containers are started one by one. */
  readonly arriving: readonly Slot[];
  /** Rejects when the plan is as it was. */
  change(requests: readonly ChangeRequest[], signal: AbortSignal | undefined): Promise<void>;
}

/** Changes that may be under way, all but one of them waiting for their turn. */
const maxWaiting = 16;

export function createPlanChanger(deps: PlanChangerDeps): PlanChanger {
  const { target, planner, rollout, containers, latch } = deps;
  const transaction = createPlanTransaction(deps);
  const pending = queueingSemaphore(
    { permits: maxWaiting, queue: 0 },
    () => new TooManyRequests(`${maxWaiting} changes of this plan are waiting for their turn`, 1),
  );
  const arrivals = createArrivals(deps, { check, checkCalm });

  function check(): void {
    target.refuseWhenOver();
    if (rollout.isDraining)
      throw new Conflict('APPLICATION_ENDED', 'The application is being shut down; its plan can not change');
  }

  function checkCalm(): void {
    check();
    if (!rollout.isDone) throw interrupted();
  }

  async function carryOut(requests: readonly ChangeRequest[], signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    check();
    const { application, partitionProperties: own = {} } = target.record;
    const current = { application, physical: target.layout.physical, own };
    const planned = planner.change(current, requests);
    await planned.verify();
    signal.throwIfAborted();
    const needed = planned.physical.slots
      .filter((number) => !target.layout.slot(number))
      .map((number) => deps.makeSlot(number, planned.physical));
    await latch.until(() => {
      check();
      return rollout.isDone;
    }, signal);
    deps.checkRoom(needed);
    try {
      const arriving = await arrivals.start(needed, signal);
      const window = await reachBarrier(
        {
          layout: target.layout,
          latch,
          check: checkCalm,
          // Properties that some containers take over later than others must hold in all of them.
          notBefore: deps.propertiesHoldFrom() - 1,
          apply: deps.apply,
        },
        signal,
      );
      checkCalm();
      signal.throwIfAborted();
      await transaction.run({ requests, planned, arriving, window }, signal);
    } catch (error) {
      // While anything is being deployed, what still runs there must not get more: it goes on with the others.
      if (rollout.isDone) containers.tell({ type: 'holdAfter', window: null });
      await arrivals.discard();
      throw error instanceof Unreachable || error instanceof Refused ? interrupted() : error;
    } finally {
      arrivals.over();
    }
  }

  return {
    ...transaction,
    get arriving() {
      return arrivals.slots;
    },
    change: (requests, signal) =>
      pending(() =>
        deps.inOrder(() => limited(deps.limitMillis, signal, (both) => carryOut(requests, both))),
      ),
  };
}

/**
 * Also aborts when the time is over. Unlike `withTimeout` it does not leave `run` alone then: only its outcome tells
 * whether the plan was changed and what was late, and the next change has to wait for it.
 */
async function limited(
  millis: number,
  signal: AbortSignal | undefined,
  run: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const limit = new AbortController();
  const abort = () => limit.abort(signal?.reason);
  if (signal?.aborted) abort();
  signal?.addEventListener('abort', abort, { once: true });
  const timer = setTimeout(() => limit.abort(new TimedOut('The containers of the new plan')), millis);
  try {
    await run(limit.signal);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
}
