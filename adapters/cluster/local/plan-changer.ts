import { type ChangeRequest, Conflict, TimedOut, TooManyRequests, Unreachable } from '../../../lib/index.js';
import { reachBarrier } from './barrier.js';
import type { Bell } from './bell.js';
import type { CheckpointKeeper } from './checkpoint-keeper.js';
import type { Containers } from './containers.js';
import { changedLayout, type Layout, touchedBy } from './layout.js';
import type { LoggerTarget } from './log-levels.js';
import type { OperatorLives } from './operator-lives.js';
import type { OperatorState, Slot } from './physical-state.js';
import type { PhysicalOperator, PhysicalPlan } from './plan/physical.js';
import type { Planned, Planner } from './planner.js';
import { type PropertyWriter, shown } from './property-writer.js';
import type { Heartbeat } from './protocol.js';
import { Refused } from './questions.js';
import type { ApplicationRecord } from './record.js';
import type { Rollout } from './rollout.js';
import type { Turns } from './turns.js';

/** What is changed: one running application. */
interface Target {
  readonly layout: Layout;
  readonly record: Pick<ApplicationRecord, 'application' | 'partitionProperties'>;
  readonly loggers: readonly LoggerTarget[];
  readonly properties: Pick<PropertyWriter, 'holdsFrom'>;
  /** Throws `Conflict`. */
  refuseWhenOver(): void;
  event(type: string, data: Readonly<Record<string, string>>): void;
}

export interface PlanChangerDeps {
  readonly target: Target;
  readonly planner: Planner;
  readonly rollout: Rollout;
  readonly containers: Containers;
  readonly checkpoints: CheckpointKeeper;
  readonly inTurn: Turns;
  /** Rings with whatever brings a change on its way, or stops it. */
  readonly bell: Bell;
  /** How long a change may wait for containers and operators, milliseconds. */
  readonly limitMillis: number;
  readonly makeSlot: (number: number, physical: PhysicalPlan) => Slot;
  readonly makeState: (operator: PhysicalOperator, since: number) => OperatorState;
  /** Throws `Conflict` when there is no room for these besides all that runs. */
  readonly checkRoom: (slots: readonly Slot[]) => void;
  readonly apply: (slot: Slot, figures: Heartbeat) => void;
  /** From here on this is what runs. */
  readonly adopt: (layout: Layout, planned: Planned) => void;
  readonly lives: OperatorLives;
}

/**
 * Changes the plan of a running application: everything is checked on copies first; containers that will be needed are
 * started; then all operators are brought to the end of one window, where the old plan is replaced by the new one in
 * one piece, and those that the change touches go on from there. Until that moment a failure leaves the old plan as it
 * was, and what fails after it is recovered in the new one.
 */
export interface PlanChanger {
  change(requests: readonly ChangeRequest[], signal: AbortSignal | undefined): Promise<void>;
  /** A rollout is done. */
  started(): void;
}

/** Changes that may wait for their turn. */
const maxWaiting = 16;

export function createPlanChanger(deps: PlanChangerDeps): PlanChanger {
  const { target, planner, rollout, containers, bell } = deps;
  let waiting = 0;
  /** Their containers end as soon as nobody reads from them any more. */
  let leaving: Slot[] = [];

  function check(): void {
    target.refuseWhenOver();
    if (rollout.isDraining) throw new Conflict('The application is being shut down; its plan can not change');
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
    const arriving = planned.physical.slots
      .filter((number) => !target.layout.slot(number))
      .map((number) => deps.makeSlot(number, planned.physical));
    deps.checkRoom(arriving);
    await bell.until(() => {
      check();
      return rollout.isDone;
    }, signal);
    try {
      await start(arriving, signal);
      const { layout } = target;
      // Properties that some containers take over later than others must hold in all of them.
      const notBefore = target.properties.holdsFrom - 1;
      const barrier = { layout, bell, check: checkCalm, notBefore, apply: deps.apply };
      const window = await reachBarrier(barrier, signal);
      checkCalm();
      signal.throwIfAborted();
      await replace(planned, arriving, window, requests);
    } catch (error) {
      goOn();
      await Promise.all(arriving.map((slot) => containers.discard(slot)));
      throw error instanceof Unreachable || error instanceof Refused ? interrupted() : error;
    }
  }

  async function start(arriving: readonly Slot[], signal: AbortSignal): Promise<void> {
    for (const slot of arriving) containers.start(slot, target.loggers);
    await bell.until(() => {
      checkCalm();
      if (arriving.some(({ agent }) => !agent))
        throw new Conflict('A new container ended while it was starting');
      return arriving.every(({ ready }) => ready);
    }, signal);
  }

  /** Keeps it, too: resolves when that was tried. What is in memory is in force at once. */
  async function replace(
    planned: Planned,
    arriving: readonly Slot[],
    window: number,
    requests: readonly ChangeRequest[],
  ): Promise<void> {
    const before = target.layout;
    const next = changedLayout(before, planned, arriving, (operator) => deps.makeState(operator, window));
    const touched = touchedBy(before, next);
    const gone = before.operators.filter(({ operator }) => !next.operator(operator.id));
    leaving.push(...before.slots.filter(({ number }) => !next.slot(number)));
    deps.adopt(next, planned);
    for (const { operator, statistics } of next.operators)
      statistics.connected(inputsOf(operator.id, planned.physical));
    const kept = deps.checkpoints.changed(gone);
    if (touched.length > 0) rollout.redeploy(touched, 0);
    tell(before, next, requests);
    if (rollout.isDone) started();
    await kept;
  }

  function tell(before: Layout, next: Layout, requests: readonly ChangeRequest[]): void {
    for (const request of requests)
      target.event('ChangeLogicalPlan', { request: JSON.stringify(forEvents(request)) });
    for (const { operator } of before.operators) {
      const stays = next.operator(operator.id);
      const place = next.slot(stays?.operator.slot ?? -1);
      if (place && rollout.isWaitingFor(place)) deps.lives.ended(operator.id, 'The plan changed');
      if (stays) continue;
      deps.lives.ended(operator.id, 'It left the plan');
      target.event('RemoveOperator', { operatorName: operator.name, operatorId: operator.id });
    }
    for (const { operator } of next.operators)
      if (!before.operator(operator.id))
        target.event('CreateOperator', { operatorName: operator.name, operatorId: operator.id });
  }

  const goOn = () => containers.tell({ type: 'holdAfter', window: null });

  function started(): void {
    goOn();
    for (const slot of leaving) containers.release(slot);
    leaving = [];
  }

  return {
    async change(requests, signal) {
      if (waiting >= maxWaiting)
        throw new TooManyRequests(`${maxWaiting} changes of this plan are waiting for their turn`, 1);
      waiting++;
      try {
        await deps.inTurn(() => limited(deps.limitMillis, signal, (both) => carryOut(requests, both)));
      } finally {
        waiting--;
      }
    },
    started,
  };
}

const forEvents = (request: ChangeRequest): ChangeRequest =>
  request.requestType === 'SetOperatorPropertyRequest'
    ? { ...request, propertyValue: shown(request.propertyName, request.propertyValue) }
    : request;

const inputsOf = (id: string, { connections }: PhysicalPlan): ReadonlySet<string> =>
  new Set(connections.flatMap(({ sink }) => (sink.operator.id === id ? [sink.label] : [])));

const interrupted = () =>
  new Conflict('A container ended while the plan was about to change; nothing was changed, try again');

/** Also aborts when the time is over. */
async function limited(
  millis: number,
  signal: AbortSignal | undefined,
  run: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const limit = new AbortController();
  const abort = () => limit.abort(signal?.reason);
  if (signal?.aborted) abort();
  signal?.addEventListener('abort', abort, { once: true });
  const timer = setTimeout(() => limit.abort(new TimedOut('The change of the plan')), millis);
  try {
    await run(limit.signal);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
}
