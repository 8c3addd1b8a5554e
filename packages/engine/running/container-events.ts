import type { Slot } from '../layout/physical-state.js';
import type { PhysicalOperator } from '../plan/physical.js';
import type { Exit } from '../processes/agent.js';
import type { Checkpointed, FromContainer, Heartbeat } from '../protocol/protocol.js';
import type { CheckpointStore } from '../recovery/checkpoint-store.js';
import { replayLostEvent } from '../recovery/failure-reports.js';
import type { Outcomes } from './application-state.js';
import { type ContainerEndDeps, containerEndHandler } from './container-end.js';

interface ContainerEventHandlersDeps extends ContainerEndDeps {
  readonly outcomes: Pick<Outcomes, 'running' | 'finished'>;
  readonly checkpoints: CheckpointStore;
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
  const { state: application, outcomes, rollout, checkpoints, lives, changer, latch } = deps;

  function hear(slot: Slot, message: FromContainer): void {
    // The last metrics come while the container stops.
    if (message.type === 'heartbeat') metrics(slot, message);
    if (application.isOver) return;
    switch (message.type) {
      case 'ready':
        rollout.ready(slot);
        latch.notify();
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
        deps.recordings.ended(message.id, slot.agent?.containerId);
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
    latch.notify();
  }

  function checkpointed(message: Checkpointed): void {
    const state = application.layout.operator(message.operatorId);
    const slot = state && application.layout.slot(state.operator.slot);
    if (!state || !slot || !rollout.isValid(slot, message.epoch)) return;
    checkpoints.add(state, message);
    finishIfAllHave();
    latch.notify();
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

  return { hear, metrics, started, finishIfAllHave, containerEnded: containerEndHandler(deps) };
}
