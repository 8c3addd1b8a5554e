import { monotonicMillis } from '../model/windows.js';
import type { PhysicalOperator, PhysicalPlan } from '../plan/physical.js';
import { socketPath } from '../store/sockets.js';
import type { OperatorState, Slot } from './physical-state.js';
import { OperatorStatistics } from './statistics.js';

export const createOperatorState = (
  operator: PhysicalOperator,
  begin: {
    /** The window after which it does. */
    readonly since: number;
    /** File of the state to begin with. */
    readonly file: string | undefined;
    readonly rateMillis: number;
  },
): OperatorState => ({
  operator,
  statistics: new OperatorStatistics(begin.rateMillis),
  since: begin.since,
  checkpoints: new Map([[begin.since, begin.file]]),
  finalWindow: undefined,
  active: false,
  recoveryWindow: begin.since,
});

/** Of the container for the operators that the plan gives this number: its limit, and what it counts for. */
export const memoryOf = (number: number, { operators }: PhysicalPlan, containerMemoryMB: number): number =>
  Math.max(
    containerMemoryMB,
    operators
      .filter(({ slot }) => slot === number)
      .reduce((sum, { logical }) => sum + Number(logical.attributes['MEMORY_MB'] ?? 0), 0),
  );

/** An empty place for the operators that the plan gives this number. */
export function createSlot(
  number: number,
  physical: PhysicalPlan,
  options: { readonly containerMemoryMB: number; readonly socketDirectory: string; readonly appId: string },
): Slot {
  return {
    number,
    memoryMB: memoryOf(number, physical, options.containerMemoryMB),
    address: socketPath(options.socketDirectory, `${options.appId.slice(-4)}-${number}`),
    agent: undefined,
    ready: false,
    deployed: false,
    killReason: undefined,
    exitReport: undefined,
    heardAt: monotonicMillis(),
  };
}
