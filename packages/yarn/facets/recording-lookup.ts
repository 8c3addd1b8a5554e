import { readRecording, undefinedIfDamaged } from '@headgate/history';
import { NotFound, type Recording } from 'headgate/driver-kit';
import { isOperatorId, isRecordingId, type RecordingFolders } from './recording-folders.js';
import type { RecordingOrders } from './recording-orders.js';
import { emptyRecording, type StartedRecordings } from './started-recordings.js';

/** Recordings as their files tell of them, and a running master of those that are being written. */
interface RecordingLookup {
  /** Of one operator, or of all; the oldest first. */
  list(operatorId: string | undefined, signal: AbortSignal | undefined): Promise<Recording[]>;
  /** Rejects with `NotFound`. */
  find(operatorId: string, id: string, signal: AbortSignal | undefined): Promise<Recording>;
}

export function recordingLookup(deps: {
  readonly applicationId: string;
  readonly folders: RecordingFolders;
  /** Absent, like `started`: the application has ended. */
  readonly orders: RecordingOrders | undefined;
  readonly started: StartedRecordings | undefined;
}): RecordingLookup {
  const { applicationId, folders, orders } = deps;

  async function detail(
    operatorId: string,
    id: string,
    active: readonly { readonly id: string }[],
    signal: AbortSignal | undefined,
  ): Promise<Recording | undefined> {
    const isActive = active.some((one) => one.id === id);
    const reader = await folders.readerOf(operatorId, id, signal);
    const found = await readRecording(reader, { id, operatorId, isActive }, signal).catch(
      (error: unknown) => {
        if (!isActive) throw error;
        // For a moment the engine's file is there, and nothing in it.
        undefinedIfDamaged(error);
        return emptyRecording(applicationId, operatorId, id);
      },
    );
    if (found || !isActive) return found;
    // Its container has not begun to write.
    return deps.started?.pending(applicationId, operatorId, id);
  }

  return {
    async list(operatorId, signal) {
      if (operatorId !== undefined && !isOperatorId(operatorId))
        throw new NotFound('physical operator', operatorId);
      const wanted = await folders.list(operatorId, signal);
      const active = (await orders?.shown(signal)) ?? [];
      if (operatorId !== undefined && wanted.length === 0) await orders?.requireOperator(operatorId, signal);
      const found: Recording[] = [];
      for (const one of wanted) {
        const recording = await detail(one.operatorId, one.id, active, signal).catch(undefinedIfDamaged);
        if (recording) found.push(recording);
      }
      return (await folders.placed(found, signal)).sort((one, other) => one.startTime - other.startTime);
    },

    async find(operatorId, id, signal) {
      const active = (await orders?.shown(signal)) ?? [];
      const found =
        isOperatorId(operatorId) && isRecordingId(id)
          ? await detail(operatorId, id, active, signal)
          : undefined;
      const [recording] = await folders.placed(found ? [found] : [], signal);
      if (!recording) throw new NotFound('recording', id);
      return recording;
    },
  };
}
