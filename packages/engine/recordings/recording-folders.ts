import { readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  createPartReader,
  localPartFiles,
  type PartReader,
  readMeta,
  readRecording,
  readTuples,
  undefinedIfDamaged,
} from '@headgate/history';
import { recordingFormat } from '@headgate/history/formats';
import { BadRequest, isMissing, NotFound, type Recorder, type Recording } from 'headgate/driver-kit';
import { isRecordingId } from './recording-register.js';

interface RecordingFoldersDeps {
  /** One directory for each operator, in it one for each recording. */
  readonly directory: string;
  /** Whether the plan has this operator. */
  readonly knows: (operatorId: string) => boolean;
  readonly isActive: (recordingId: string) => boolean;
}

/** The recordings of one application that are on the disk, those that are still being written included. */
interface RecordingFolders extends Pick<Recorder, 'list' | 'read' | 'tuples'> {
  count(): Promise<number>;
  /** Rejects with `NotFound`. */
  find(operatorId: string, id: string): Promise<PartReader>;
  /** Whatever is there. */
  remove(operatorId: string, id: string): Promise<void>;
}

export function recordingFolders({ directory, knows, isActive }: RecordingFoldersDeps): RecordingFolders {
  /** An operator that a change of the plan took away keeps its recordings. */
  async function idsOf(operatorId: string): Promise<readonly string[]> {
    const ids = /^\d{1,15}$/.test(operatorId) ? await namesIn(join(directory, operatorId)) : undefined;
    if (!ids && !knows(operatorId)) throw new NotFound('physical operator', operatorId);
    return (ids ?? []).filter(isRecordingId).sort();
  }

  const readerOf = (operatorId: string, id: string): PartReader =>
    createPartReader(localPartFiles(join(directory, operatorId, id)), recordingFormat);

  const detail = (operatorId: string, id: string, signal?: AbortSignal): Promise<Recording | undefined> =>
    readRecording(readerOf(operatorId, id), { id, operatorId, isActive: isActive(id) }, signal);

  async function find(operatorId: string, id: string): Promise<PartReader> {
    if (!(await idsOf(operatorId)).includes(id)) throw new NotFound('recording', id);
    return readerOf(operatorId, id);
  }

  async function all(): Promise<readonly { readonly operatorId: string; readonly id: string }[]> {
    const operatorIds = (await namesIn(directory)) ?? [];
    const found = await Promise.all(
      operatorIds.map(async (operatorId) => (await idsOf(operatorId)).map((id) => ({ operatorId, id }))),
    );
    return found.flat();
  }

  return {
    count: async () => (await all()).length,

    find,

    async list(operatorId, { signal } = {}) {
      const wanted =
        operatorId === undefined ? await all() : (await idsOf(operatorId)).map((id) => ({ operatorId, id }));
      const found: Recording[] = [];
      for (const one of wanted) {
        const recording = await detail(one.operatorId, one.id, signal).catch(undefinedIfDamaged);
        if (recording) found.push(recording);
      }
      return found.sort((one, other) => one.startTime - other.startTime);
    },

    async read(operatorId, id, { signal } = {}) {
      await find(operatorId, id);
      const recording = await detail(operatorId, id, signal);
      if (!recording) throw new NotFound('recording', id);
      return recording;
    },

    async remove(operatorId, id) {
      // Out of the lists at once, however long deleting takes.
      const removed = join(directory, operatorId, `${id}.removed`);
      await rename(join(directory, operatorId, id), removed);
      await rm(removed, { recursive: true, force: true });
    },

    async tuples(operatorId, id, query, { signal } = {}) {
      const reader = await find(operatorId, id);
      const name = `The recording ${id}`;
      const meta = await readMeta(reader, name, signal);
      if (!meta) throw new NotFound('recording', id);
      const known = meta.ports.map((port) => port.id);
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

async function namesIn(directory: string): Promise<string[] | undefined> {
  try {
    return await readdir(directory);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}
