import { Conflict, NotFound } from 'headgate/driver-kit';
import type { LayoutHolder } from '../layout/layout.js';
import type { PhysicalOperator } from '../plan/physical.js';
import { Refused } from '../processes/questions.js';
import type { Question } from '../protocol/protocol.js';
import { portsOf, portsToRecord, type RecordedApplication, recordingOrder } from './recording-order.js';
import { type ActiveRecording, createRecordingRegister } from './recording-register.js';

/** What is being recorded of a running application, by its containers. */
export interface ActiveRecordings {
  isActive(recordingId: string): boolean;
  /** The recording of an operator, or of one of its ports. */
  of(operatorId: string, portName?: string): ActiveRecording | undefined;
  /** See `Recorder.start`. */
  start(
    operatorId: string,
    what: { readonly portName?: string; readonly numWindows?: number },
    signal?: AbortSignal,
  ): Promise<string>;
  /** Resolves when they are written; see `Recorder.stop`. */
  stop(operatorId: string, what: { readonly portName?: string }, signal?: AbortSignal): Promise<void>;
  /** Its container says so. */
  ended(recordingId: string, containerId: string | undefined): void;
  containerEnded(containerId: string): void;
}

interface ActiveRecordingsDeps extends RecordedApplication {
  readonly now: () => number;
  readonly holder: LayoutHolder;
  readonly ask: (operatorId: string, question: Question, signal?: AbortSignal) => Promise<unknown>;
}

export function createActiveRecordings(deps: ActiveRecordingsDeps): ActiveRecordings {
  const register = createRecordingRegister(deps.now);

  function operatorOf(operatorId: string): PhysicalOperator {
    const found = deps.holder.layout.operator(operatorId);
    if (!found) throw new NotFound('physical operator', operatorId);
    return found.operator;
  }

  return {
    isActive: register.has,
    of: (operatorId, portName) =>
      register.allOf(operatorId).find((recording) => recording.portName === portName),

    async start(operatorId, { portName, numWindows }, signal) {
      const operator = operatorOf(operatorId);
      const { layout } = deps.holder;
      const ports = portsToRecord(portsOf(operator, layout.physical), portName);
      register.checkIsFree(operatorId, portName);
      const containerId = layout.slot(operator.slot)?.agent?.containerId;
      if (containerId === undefined)
        throw new Conflict(
          'OPERATOR_NOT_DEPLOYED',
          `The operator ${operatorId} is not deployed now; try again when it runs`,
        );
      const entry = register.enter({
        operatorId,
        containerId,
        ...(portName === undefined ? {} : { portName }),
      });
      const recording = recordingOrder(entry, { ports, windows: numWindows }, deps);
      try {
        await deps.ask(operatorId, { what: 'startRecording', operatorId, recording }, signal);
      } catch (error) {
        // It may begin all the same, and whoever gave up was not told its id.
        if (signal?.aborted) deps.ask(operatorId, stopQuestion(entry)).catch(() => register.leave(entry));
        else register.leave(entry);
        throw error instanceof Refused ? new Conflict('RECORDING_NOT_STARTED', error.message) : error;
      }
      return entry.id;
    },

    async stop(operatorId, { portName }, signal) {
      const operator = operatorOf(operatorId);
      if (
        portName !== undefined &&
        !portsOf(operator, deps.holder.layout.physical).some(({ name }) => name === portName)
      )
        throw new NotFound('port', portName);
      const found = register
        .allOf(operatorId)
        .filter((recording) => portName === undefined || recording.portName === portName);
      if (found.length === 0) throw new NotFound('active recording of', portName ?? operatorId);
      await Promise.all(
        found.map(async (entry) => {
          await deps.ask(operatorId, stopQuestion(entry), signal).catch((error: unknown) => {
            if (register.has(entry.id)) throw error;
          });
          await entry.over;
        }),
      );
    },

    ended(id, containerId) {
      const entry = register.get(id);
      // Operators share the process: they can't end what another container records.
      if (entry && entry.containerId === containerId) register.leave(entry);
    },
    containerEnded(containerId) {
      for (const entry of register.inContainer(containerId)) register.leave(entry);
    },
  };
}

const stopQuestion = ({ operatorId, id }: ActiveRecording): Question => ({
  what: 'stopRecording',
  operatorId,
  recordingId: id,
});
