import { createPartReader, readMeta } from '@headgate/history';
import { recordingFormat } from '@headgate/history/formats';
import type { Container } from 'headgate/driver-kit';
import type { ApplicationFiles } from '../facets/application-files.js';
import { clusterPartFiles } from '../files/part-files.js';

/**
 * What does not change, or seldom, of a running application, and would cost a reading of its files each second: when its
 * recordings began, and which containers it had.
 */
export interface MasterDetails {
  /** Learns of recordings that were not asked for before; those that can't be read are tried again later. */
  learnStarts(
    files: ApplicationFiles,
    recordings: readonly { readonly operatorId: string; readonly id: string }[],
    signal?: AbortSignal,
  ): Promise<void>;
  /** Epoch milliseconds; -1: unknown. */
  startOf(operatorId: string, recordingId: string): number;
  history(files: ApplicationFiles, signal?: AbortSignal): Promise<readonly Container[]>;
}

/** Milliseconds: a master tells of containers that ended for longer than that. */
const historyGoodFor = 30_000;
const maxStarts = 1000;

export function createDetails(clock: { monotonic(): number }): MasterDetails {
  const starts = new Map<string, number>();
  let history: { readonly at: number; readonly containers: readonly Container[] } | undefined;
  const key = (operatorId: string, id: string) => `${operatorId}/${id}`;

  return {
    async learnStarts(application, recordings, signal) {
      const unknown = recordings.filter(({ operatorId, id }) => !starts.has(key(operatorId, id)));
      for (const { operatorId, id } of unknown.slice(0, maxStarts)) {
        const folder = `${application.folder}/recordings/${operatorId}/${id}`;
        const files = clusterPartFiles(application.files, folder, recordingFormat);
        const meta = await readMeta(
          createPartReader(files, recordingFormat),
          `The recording ${id}`,
          signal,
        ).catch(() => undefined);
        if (meta) starts.set(key(operatorId, id), meta.startTime);
      }
      for (const name of starts.keys()) {
        if (starts.size <= maxStarts) break;
        starts.delete(name);
      }
    },
    startOf: (operatorId, id) => starts.get(key(operatorId, id)) ?? -1,
    async history(files, signal) {
      const now = clock.monotonic();
      if (!history || now - history.at > historyGoodFor)
        history = { at: now, containers: await files.containers(signal) };
      return history.containers;
    },
  };
}
