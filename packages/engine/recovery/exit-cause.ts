import type { Failure } from 'headgate/driver-kit';
import type { OperatorState, Slot } from '../layout/physical-state.js';
import type { Exit } from '../processes/agent.js';

export interface ExitCause {
  readonly failure: Failure;
  /** False when somebody wanted it. */
  readonly isFailure: boolean;
  readonly logFileOffset: string | undefined;
}

/** Why a container ended: by our own order, by what it said before, or by what its exit tells. */
export function causeOf(ending: {
  readonly slot: Pick<Slot, 'killReason' | 'exitReport'>;
  /** Those that ran there. */
  readonly operators: readonly OperatorState[];
  readonly exit: Exit;
  readonly at: number;
  readonly containerId: string;
}): ExitCause {
  const { slot, operators, exit, at, containerId } = ending;
  const only = operators.length === 1 ? operators[0]?.operator : undefined;
  const blamed = operators.find(({ operator }) => operator.id === slot.exitReport?.operatorId)?.operator;
  const named = (operator: { id: string; name: string } | undefined) =>
    operator ? { operatorId: operator.id, operatorName: operator.name } : {};
  if (slot.killReason)
    return {
      isFailure: slot.killReason.isFailure,
      logFileOffset: undefined,
      failure: {
        code: slot.killReason.code,
        message: slot.killReason.message,
        at,
        containerId,
        ...named(only),
      },
    };
  if (slot.exitReport)
    return {
      isFailure: true,
      logFileOffset: slot.exitReport.logFileOffset,
      failure: {
        code: blamed ? 'OPERATOR_ERROR' : 'CONTAINER_ERROR',
        message: slot.exitReport.message,
        at,
        containerId,
        ...named(blamed),
        ...(slot.exitReport.stack === undefined ? {} : { stackTrace: slot.exitReport.stack }),
      },
    };
  return {
    isFailure: true,
    logFileOffset: undefined,
    failure: { ...fromExit(exit), at, containerId, ...named(only) },
  };
}

function fromExit({ code, signal }: Exit): { code: string; message: string } {
  // The runtime aborts when the heap limit is reached.
  if (signal === 'SIGABRT' || signal === 'SIGTRAP' || code === 134)
    return {
      code: 'OUT_OF_MEMORY',
      message:
        'The runtime aborted, most likely because the heap limit was reached; see stderr of the container',
    };
  if (signal) return { code: 'CONTAINER_KILLED', message: `The container was ended by ${signal}` };
  return { code: 'CONTAINER_EXIT', message: `The container exited with status ${code}` };
}
