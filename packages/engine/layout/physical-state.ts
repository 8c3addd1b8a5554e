import type { ThreadDump } from 'headgate/driver-kit';
import type { PhysicalOperator } from '../plan/physical.js';
import type { Heartbeat, Question, ToContainer } from '../protocol/protocol.js';
import type { OperatorStatistics } from './statistics.js';

/** One physical operator while the application runs. */
export interface OperatorState {
  readonly operator: PhysicalOperator;
  readonly statistics: OperatorStatistics;
  /** The window after which it began, fresh or from the saved state of an ended application; -1: with the application. */
  readonly since: number;
  /** Window to file of the state; `undefined` for an operator without state. The one that it began after is there from the start. */
  checkpoints: Map<number, string | undefined>;
  /** It ended for good in this window. */
  finalWindow: number | undefined;
  active: boolean;
  /** The newest window that the checkpoints of all operators contain. */
  recoveryWindow: number;
}

/** One container process, seen from the host. */
export interface Agent {
  readonly containerId: string;
  readonly pid: number;
  readonly exited: Promise<void>;
  heartbeat: Heartbeat | undefined;
  send(order: ToContainer): void;
  /**
   * Resolves what the container answers, to be checked by the caller. Rejects with what it refused, with `Unreachable`
   * when it ends, and with the signal's reason when that aborts first; a later answer is ignored.
   */
  ask(question: Question, signal?: AbortSignal): Promise<unknown>;
  /** Rejects with `TimedOut`, and with `Unreachable` when the container ends. */
  stackTrace(): Promise<ThreadDump>;
  kill(): void;
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
