import { createPartReader, type PartReader } from '@headgate/history';
import { recordingFormat } from '@headgate/history/formats';
import { Forbidden, type Recording } from 'headgate/driver-kit';
import { clusterPartFiles } from '../files/part-files.js';
import type { FilesOf } from './history.js';

/** What the files of an application hold of recordings: a folder for each, below one for each operator. */
export interface RecordingFolders {
  readerOf(operatorId: string, id: string, signal: AbortSignal | undefined): Promise<PartReader>;
  /** Of one operator, or of all that were ever recorded. */
  list(
    operatorId: string | undefined,
    signal: AbortSignal | undefined,
  ): Promise<readonly { readonly operatorId: string; readonly id: string }[]>;
  /** Where the operator ran when the recording began: its files do not tell. */
  placed(recordings: readonly Recording[], signal: AbortSignal | undefined): Promise<Recording[]>;
  /**
   * The engine answers with an id whether anything can be written or not. Where nothing may be changed, what is not there
   * can't be removed either.
   */
  requireWritable(signal: AbortSignal | undefined): Promise<void>;
  remove(operatorId: string, id: string, signal: AbortSignal | undefined): Promise<void>;
}

/** `null`: where the engine puts recordings that the attribute `AUTO_RECORD` began. */
export const isRecordingId = (id: string): boolean => /^[\w-]{1,64}$/.test(id);
export const isOperatorId = (id: string): boolean => /^\d{1,15}$/.test(id);

export function recordingFolders(filesOf: FilesOf): RecordingFolders {
  return {
    async readerOf(operatorId, id, signal) {
      const { files, folder } = await filesOf(signal);
      const place = `${folder}/recordings/${operatorId}/${id}`;
      return createPartReader(clusterPartFiles(files, place, recordingFormat), recordingFormat);
    },

    async list(operatorId, signal) {
      const { files, folder } = await filesOf(signal);
      const list = async (path: string) =>
        (await files.list(path, signal))?.flatMap((entry) => (entry.isFolder ? [entry.name] : []));
      const operatorIds =
        operatorId === undefined
          ? ((await list(`${folder}/recordings`)) ?? []).filter(isOperatorId)
          : [operatorId];
      const found: { operatorId: string; id: string }[] = [];
      for (const one of operatorIds) {
        const ids = (await list(`${folder}/recordings/${one}`)) ?? [];
        found.push(...ids.filter(isRecordingId).map((id) => ({ operatorId: one, id })));
      }
      return found;
    },

    async placed(recordings, signal) {
      if (recordings.length === 0) return [];
      const all = await (await filesOf(signal)).deployments(signal).catch(() => []);
      return recordings.map((recording) => {
        const since = all.filter(
          ({ id, startTime }) =>
            id === recording.operatorId && (recording.startTime === 0 || startTime <= recording.startTime),
        );
        return { ...recording, containerId: recording.containerId || (since.at(-1)?.container ?? '') };
      });
    },

    async requireWritable(signal) {
      const { files, folder } = await filesOf(signal);
      await files.remove(`${folder}/recordings/none`, signal).catch((error: unknown) => {
        // Of the gateway; the application writes as somebody else.
        if (!(error instanceof Forbidden)) throw error;
      });
    },

    async remove(operatorId, id, signal) {
      const { files, folder } = await filesOf(signal);
      await files.remove(`${folder}/recordings/${operatorId}/${id}`, signal);
    },
  };
}
