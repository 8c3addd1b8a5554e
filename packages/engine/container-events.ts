import type { ActiveRecordings } from './active-recordings.js';
import type { ApplicationState, Outcomes } from './application-state.js';
import type { Condition } from './changes/condition.js';
import type { PlanChanger } from './changes/plan-changer.js';
import type { OperatorLives } from './history/operator-lives.js';
import type { PhysicalOperator } from './plan/physical.js';
import type { Exit } from './processes/agent.js';
import type { Checkpointed, FromContainer, Heartbeat } from './processes/protocol.js';
import type { CheckpointStore } from './recovery/checkpoint-store.js';
import { causeOf } from './recovery/exit-cause.js';
import type { FailureHandler } from './recovery/failure-handling.js';
import { replayLostEvent } from './recovery/failure-reports.js';
import type { Slot } from './rollout/physical-state.js';
import type { Rollout } from './rollout/rollout.js';

interface ContainerEventHandlersDeps {
  readonly state: Pick<ApplicationState, 'layout' | 'isOver' | 'endReason' | 'event'>;
  readonly outcomes: Pick<Outcomes, 'running' | 'finished'>;
  readonly rollout: Rollout;
  readonly checkpoints: CheckpointStore;
  readonly failures: FailureHandler;
  readonly lives: OperatorLives;
  readonly changer: PlanChanger;
  readonly recordings: ActiveRecordings;
  readonly condition: Condition;
  readonly now: () => number;
}

/** What follows from what the containers of an application say, and from how they end. */
export interface ContainerEventHandlers {
  hear(slot: Slot, message: FromContainer): void;
  metrics(slot: Slot, heartbeat: Heartbeat): void;
  /** A rollout is done: the operators of these run. */
  started(slots: readonly Slot[]): void;
  containerEnded(slot: Slot, containerId: string, exit: Exit): void;
  /** After anything that may have been the last that was waited for. */
  finishIfAllHave(): void;
}

export function createContainerEventHandlers(deps: ContainerEventHandlersDeps): ContainerEventHandlers {
  const {
    state: application,
    outcomes,
    rollout,
    checkpoints,
    failures,
    lives,
    changer,
    recordings,
    condition,
  } = deps;

  function hear(slot: Slot, message: FromContainer): void {
    // The last metrics come while the container stops.
    if (message.type === 'heartbeat') metrics(slot, message);
    if (application.isOver) return;
    switch (message.type) {
      case 'ready':
        rollout.ready(slot);
        condition.ring();
        break;
      case 'deployed':
        rollout.deployed(slot, message.epoch);
        break;
      case 'checkpointed':
        checkpointed(message);
        break;
      case 'pressure':
        checkpoints.requestCheckpoint();
        break;
      case 'replayLost':
        replayLost(message);
        break;
      case 'recordingEnded':
        recordings.ended(message.id, slot.agent?.containerId);
    }
  }

  function metrics(slot: Slot, message: Heartbeat): void {
    if (message.epoch < 0 || rollout.isWaitingFor(slot)) return;
    const operators = application.layout.operatorsOn(slot);
    for (const report of message.operators) {
      const state = operators.find(({ operator }) => operator.id === report.id);
      state?.statistics.apply(report, message.at, deps.now());
    }
  }

  function started(slots: readonly Slot[]): void {
    changer.started(slots);
    const deployed: PhysicalOperator[] = [];
    for (const slot of slots)
      for (const { operator } of application.layout.operatorsOn(slot)) {
        lives.started(operator, slot.agent?.containerId ?? '');
        deployed.push(operator);
      }
    outcomes.running(deployed);
    finishIfAllHave();
    condition.ring();
  }

  function checkpointed(message: Checkpointed): void {
    const state = application.layout.operator(message.operatorId);
    const slot = state && application.layout.slot(state.operator.slot);
    if (!state || !slot || !rollout.isValid(slot, message.epoch)) return;
    checkpoints.add(state, message);
    finishIfAllHave();
    condition.ring();
  }

  function finishIfAllHave(): void {
    const { operators } = application.layout;
    if (operators.every(({ finalWindow }) => finalWindow !== undefined) && rollout.isDone)
      outcomes.finished();
  }

  function replayLost(message: Extract<FromContainer, { type: 'replayLost' }>): void {
    const operator = application.layout.operator(message.operatorId)?.operator;
    const container = application.layout.slot(operator?.slot ?? -1)?.agent?.containerId ?? '';
    const { type, data } = replayLostEvent(message, operator?.name ?? '', container);
    application.event(type, data);
  }

  function containerEnded(slot: Slot, containerId: string, exit: Exit): void {
    recordings.containerEnded(containerId);
    const operators = application.layout.operatorsOn(slot);
    const cause = causeOf({ slot, operators, exit, at: deps.now(), containerId });
    const reason = application.isOver ? application.endReason : cause.failure.message;
    application.event('StopContainer', { containerId, exitStatus: exit.signal ?? String(exit.code), reason });
    lives.stopped(containerId, reason);
    if (application.isOver) return;
    for (const { statistics } of operators) statistics.failureCount++;
    changer.failed(slot, cause);
    // One that came or left with a change of the plan holds nothing that has to go on.
    if (application.layout.slot(slot.number) === slot)
      if (cause.isFailure) failures.failed(slot, cause);
      else rollout.redeploy([slot.number], 0);
    condition.ring();
  }

  return { hear, metrics, started, containerEnded, finishIfAllHave };
}
