import type { PhysicalOperator } from '../plan/physical.js';
import type { Agent } from '../processes/agent.js';
import type { Restorable } from '../recovery/recovery.js';
import type { OperatorStatistics } from './statistics.js';

/** One physical operator while the application runs. */
export interface OperatorState extends Restorable {
  readonly operator: PhysicalOperator;
  readonly statistics: OperatorStatistics;
  /** The window after which it began, fresh or from the saved state of an ended application; -1: with the application. */
  readonly since: number;
  checkpoints: Map<number, string | undefined>;
  finalWindow: number | undefined;
  active: boolean;
  /** The newest window that the checkpoints of all operators contain. */
  recoveryWindow: number;
}

/** One place for operators that run together; it outlives the containers that fill it. */
export interface Slot {
  /** Never taken by another slot of the application. */
  readonly number: number;
  readonly memoryMB: number;
  readonly address: string;
  agent: Agent | undefined;
  ready: boolean;
  deployed: boolean;
  /** Why it was killed by us, until its exit is seen. */
  killReason: { readonly code: string; readonly message: string; readonly isFailure: boolean } | undefined;
  /** What it said before it ended. */
  exitReport:
    | {
        readonly message: string;
        readonly stack?: string | undefined;
        readonly operatorId?: string | undefined;
        readonly logFileOffset?: string | undefined;
      }
    | undefined;
  /** Monotonic milliseconds of its last sign of life. */
  heardAt: number;
}

/** One container of the application's history. */
export interface ContainerEntry {
  readonly id: string;
  readonly pid: number;
  readonly memoryMB: number;
  readonly slot: Slot;
  readonly agent: Agent;
  readonly startedTime: number;
  finishedTime: number;
  lastHeartbeat: number;
  active: boolean;
}
