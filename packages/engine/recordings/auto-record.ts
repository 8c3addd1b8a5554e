import type { Recorder } from 'headgate/driver-kit';
import type { PhysicalOperator } from '../plan/physical.js';

/**
 * Records the ports whose attribute `AUTO_RECORD` is true, of operators that were just deployed: a recording ends with its
 * deployment, so each deployment begins one. What can't be recorded (no room for another recording, a port without a
 * stream) is told and holds nothing up.
 */
export async function recordAutomatically(
  operators: readonly PhysicalOperator[],
  recorder: Pick<Recorder, 'start'>,
  onProblem: (error: unknown, place: { readonly operatorId: string; readonly portName: string }) => void,
): Promise<void> {
  for (const { id: operatorId, isUnifier, logical } of operators) {
    // A unifier has the attributes of the operator whose output it joins.
    if (isUnifier) continue;
    for (const [portName, attributes] of logical.ports) {
      if (attributes['AUTO_RECORD'] !== true) continue;
      await recorder
        .start(operatorId, { portName })
        .catch((error: unknown) => onProblem(error, { operatorId, portName }));
    }
  }
}
