import type { Latch } from '../changes/latch.js';
import type { PlanChanger } from '../changes/plan-changer.js';
import type { OperatorLives } from '../history/operator-lives.js';
import type { Slot } from '../layout/physical-state.js';
import type { Exit } from '../processes/agent.js';
import type { ActiveRecordings } from '../recordings/active-recordings.js';
import { causeOf } from '../recovery/exit-cause.js';
import type { FailureHandler } from '../recovery/failure-handling.js';
import type { Rollout } from '../rollout/rollout.js';
import type { ApplicationState } from './application-state.js';

export interface ContainerEndDeps {
  readonly state: Pick<ApplicationState, 'layout' | 'isOver' | 'endReason' | 'event'>;
  readonly rollout: Rollout;
  readonly failures: FailureHandler;
  readonly lives: OperatorLives;
  readonly changer: PlanChanger;
  readonly recordings: ActiveRecordings;
  readonly latch: Latch;
  readonly now: () => number;
}

/** What follows from the end of a container: it is told, and its operators go on elsewhere unless they are not needed. */
export function containerEndHandler(
  deps: ContainerEndDeps,
): (slot: Slot, containerId: string, exit: Exit) => void {
  const { state, rollout, lives } = deps;
  return (slot, containerId, exit) => {
    deps.recordings.containerEnded(containerId);
    const operators = state.layout.operatorsOn(slot);
    const cause = causeOf({ slot, operators, exit, at: deps.now(), containerId });
    const reason = state.isOver ? state.endReason : cause.failure.message;
    state.event('StopContainer', { containerId, exitStatus: exit.signal ?? String(exit.code), reason });
    lives.stopped(containerId, reason);
    if (state.isOver) return;
    for (const { statistics } of operators) statistics.failureCount++;
    deps.changer.failed(slot, cause);
    // One that came or left with a change of the plan holds nothing that has to go on.
    if (state.layout.slot(slot.number) === slot)
      if (cause.isFailure) deps.failures.failed(slot, cause);
      else rollout.redeploy([slot.number], 0);
    deps.latch.notify();
  };
}
