import { readMeta, readRecording, readTuples, undefinedIfDamaged } from '@headgate/history';
import { BadRequest, Conflict, NotFound, type Recorder, type Recording } from 'headgate/driver-kit';
import type { MasterClient } from '../masters/client.js';
import type { FilesOf } from './history.js';
import { isOperatorId, isRecordingId, recordingFolders } from './recording-folders.js';
import { type RecordingOrders, recordingOrders } from './recording-orders.js';
import { emptyRecording, type StartedRecordings } from './started-recordings.js';

interface RecorderDeps {
  readonly applicationId: string;
  readonly filesOf: FilesOf;
  /** Absent: the application has ended. */
  readonly running?: { readonly master: MasterClient; readonly started: StartedRecordings };
}

/** Started and stopped by the master, read from the files. */
export function recorderFacet({ applicationId, filesOf, running }: RecorderDeps): Recorder {
  const folders = recordingFolders(filesOf);
  const orders = running && recordingOrders(running.master, running.started, folders);

  function living(): RecordingOrders {
    if (orders) return orders;
    throw new Conflict(
      'APPLICATION_ENDED',
      `The application ${applicationId} has ended: nothing can be recorded`,
    );
  }

  async function detail(
    operatorId: string,
    id: string,
    active: readonly { readonly id: string }[],
    signal?: AbortSignal,
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
    return running?.started.pending(applicationId, operatorId, id);
  }

  async function find(operatorId: string, id: string, signal?: AbortSignal): Promise<Recording> {
    const active = (await orders?.shown(signal)) ?? [];
    const found =
      isOperatorId(operatorId) && isRecordingId(id)
        ? await detail(operatorId, id, active, signal)
        : undefined;
    const [recording] = await folders.placed(found ? [found] : [], signal);
    if (!recording) throw new NotFound('recording', id);
    return recording;
  }

  return {
    start: async (operatorId, options, call) => living().start(operatorId, options, call),
    stop: async (operatorId, options, call) => living().stop(operatorId, options, call),

    async list(operatorId, { signal } = {}) {
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

    read: (operatorId, id, { signal } = {}) => find(operatorId, id, signal),

    async remove(operatorId, id, { signal } = {}) {
      await find(operatorId, id, signal).catch(undefinedIfDamaged);
      if ((await orders?.active(operatorId, signal))?.some((one) => one.id === id))
        throw new Conflict('RECORDING_ACTIVE', `The recording ${id} is being written; stop it first`, { id });
      await folders.remove(operatorId, id, signal);
    },

    async tuples(operatorId, id, query, { signal } = {}) {
      await find(operatorId, id, signal);
      const reader = await folders.readerOf(operatorId, id, signal);
      const name = `The recording ${id}`;
      const meta = await readMeta(reader, name, signal);
      const known = meta?.ports.map((port) => port.id) ?? [];
      const unknown = query.ports?.find((port) => !known.includes(port));
      if (unknown !== undefined)
        throw new BadRequest(
          'UNKNOWN_VALUE',
          `The recording has no port ${unknown}; its ports are ${known.join(', ')}`,
        );
      return readTuples(reader, query, { name, signal });
    },
  };
}
