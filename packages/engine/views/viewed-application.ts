import type { Layout } from '../layout/layout.js';
import type { ContainerEntry, OperatorState, Slot } from '../layout/physical-state.js';
import type { WindowClock } from '../model/windows.js';
import type { Plan } from '../plan/logical.js';
import type { PhysicalPlan } from '../plan/physical.js';
import type { ApplicationRecord } from '../store/record.js';

/** What is read of the state of a running application, to be shown. */
export interface ViewedState {
  readonly record: ApplicationRecord;
  readonly layout: Layout;
  readonly plan: Plan;
  readonly physical: PhysicalPlan;
  readonly operators: readonly OperatorState[];
  readonly slots: readonly Slot[];
  readonly clock: WindowClock;
  /** Epoch milliseconds when it was asked to stop. */
  readonly stoppingSince: number | undefined;
  readonly isOver: boolean;
}

/** What is read of a running application and its parts, to be shown. */
export interface ViewedApplication {
  readonly state: ViewedState;
  readonly containers: readonly ContainerEntry[];
  readonly failedContainers: number;
  readonly recordings: {
    /** The active recording of an operator, or of one of its ports. */
    of(
      operatorId: string,
      portName?: string,
    ): { readonly id: string; readonly startTime: number } | undefined;
  };
}
