import { BadRequest, type ChangeRequest, Conflict } from 'headgate/driver-kit';
import type { OperatorLives } from '../history/operator-lives.js';
import { changedLayout, type Layout, touchedBy } from '../layout/layout.js';
import type { OperatorState, Slot } from '../layout/physical-state.js';
import type { PhysicalOperator, PhysicalPlan } from '../plan/physical.js';
import type { Planned } from '../plan/planner.js';
import type { Containers } from '../processes/containers.js';
import type { CheckpointStore } from '../recovery/checkpoint-store.js';
import type { ExitCause } from '../recovery/exit-cause.js';
import type { Rollout } from '../rollout/rollout.js';
import type { ApplicationRecord } from '../store/record.js';
import { tellOfChange } from './plan-change-events.js';

export interface PlanTransactionDeps {
  readonly target: {
    readonly layout: Layout;
    readonly record: Pick<ApplicationRecord, 'application' | 'partitionProperties'>;
    event(type: string, data: Readonly<Record<string, string>>): void;
  };
  readonly rollout: Rollout;
  readonly containers: Containers;
  readonly checkpoints: CheckpointStore;
  readonly lives: OperatorLives;
  readonly makeState: (operator: PhysicalOperator, since: number) => OperatorState;
  /** From here on this is what runs. */
  readonly adopt: (layout: Layout, planned: Pick<Planned, 'application' | 'own'>) => void;
}

/** A plan that is to take the place of the one in force. */
interface NextPlan {
  readonly requests: readonly ChangeRequest[];
  readonly planned: Planned;
  /** Places with containers that are ready. */
  readonly arriving: readonly Slot[];
  /** The window that all operators have ended, and nobody has gone beyond. */
  readonly window: number;
}

/**
 * Replaces the plan. Until the operators of the new one are set up nothing passes a port, so whatever fails by then, or
 * takes too long, leads back to the old plan without a trace; what fails later is recovered in the new one.
 */
export interface PlanTransaction {
  /** Resolves when the new plan runs and that is kept. Rejects when the old one is back, also with the signal's reason. */
  run(next: NextPlan, signal: AbortSignal): Promise<void>;
  /** A rollout is done. */
  started(slots: readonly Slot[]): void;
  /** A container ended. */
  failed(slot: Slot, cause: ExitCause): void;
  /** The application ends. */
  close(): void;
}

interface Current extends NextPlan {
  readonly before: Layout;
  readonly next: Layout;
  readonly back: (goesOn: boolean) => void;
  readonly settle: (outcome: Promise<void>) => void;
}

export const interrupted = (): Conflict =>
  new Conflict(
    'PLAN_CHANGE_INTERRUPTED',
    'A container ended while the plan was about to change; the plan is as it was, try again',
  );

export function createPlanTransaction(deps: PlanTransactionDeps): PlanTransaction {
  const { target, rollout, containers, checkpoints } = deps;
  let current: Current | undefined;
  /** Their containers end as soon as nobody reads from them any more. */
  let leaving: Slot[] = [];

  function run(plan: NextPlan, signal: AbortSignal): Promise<void> {
    const before = target.layout;
    const { application, partitionProperties: own = {} } = target.record;
    const next = changedLayout(before, plan.planned, plan.arriving, (operator) =>
      deps.makeState(operator, plan.window),
    );
    const touched = touchedBy(before, next);
    return new Promise((resolve) => {
      const abort = () => undo(signal.reason);
      signal.addEventListener('abort', abort);
      current = {
        ...plan,
        before,
        next,
        back(goesOn) {
          deps.adopt(before, { application, own });
          if (!goesOn) return;
          const known = touched.filter((number) => before.slot(number));
          rollout.redeploy(known, 0);
          checkpoints.keepNow([]);
        },
        settle(outcome) {
          signal.removeEventListener('abort', abort);
          resolve(outcome);
        },
      };
      deps.adopt(next, plan.planned);
      checkpoints.changed();
      if (touched.length > 0) rollout.redeploy(touched, 0);
      else started([]);
    });
  }

  function undo(reason: unknown, goesOn = true): void {
    if (!current) return;
    const { back, settle } = current;
    current = undefined;
    back(goesOn);
    settle(Promise.reject(reason));
  }

  function confirm({ before, next, requests, settle }: Current, slots: readonly Slot[]): void {
    current = undefined;
    for (const { operator, statistics } of next.operators)
      statistics.connected(inputsOf(operator.id, next.physical));
    tellOfChange({ before, next, requests, restarted: slots }, deps);
    leaving.push(...before.slots.filter(({ number }) => !next.slot(number)));
    const gone = before.operators.filter(({ operator }) => !next.operator(operator.id));
    settle(checkpoints.keepNow(gone).then(() => {}));
  }

  function started(slots: readonly Slot[]): void {
    if (current) confirm(current, slots);
    containers.tell({ type: 'holdAfter', window: null });
    for (const slot of leaving) containers.release(slot);
    leaving = [];
  }

  return {
    run,
    started,
    failed(slot, { failure }) {
      if (!current || ![current.before, current.next].some((layout) => layout.slot(slot.number) === slot))
        return;
      undo(refusalFor(failure));
    },
    close: () =>
      undo(
        new Conflict('APPLICATION_ENDED', 'The application ended while its plan was about to change'),
        false,
      ),
  };
}

const refusalFor = ({ code, operatorName, message }: ExitCause['failure']): Error =>
  code === 'OPERATOR_ERROR'
    ? new BadRequest(
        'OPERATOR_NOT_STARTED',
        `The operator ${operatorName} could not be started in the new plan: ${message}; the plan is as it was`,
      )
    : interrupted();

const inputsOf = (id: string, { connections }: PhysicalPlan): ReadonlySet<string> =>
  new Set(connections.flatMap(({ sink }) => (sink.operator.id === id ? [sink.label] : [])));
