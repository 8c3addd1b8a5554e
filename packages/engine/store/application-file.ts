import { join } from 'node:path';
import { readIfThere, writeWhole } from 'headgate/driver-kit';
import * as z from 'zod';
import { noteHostStop } from '../history/host-stop.js';
import { ApplicationRecord, hasEnded } from './record.js';
import { emptySnapshot, ended, Snapshot } from './snapshot.js';

const Kept = ApplicationRecord.extend({ snapshot: z.unknown().optional() });

export interface KeptApplication {
  record: ApplicationRecord;
  snapshot: Snapshot;
}

const fileIn = (folder: string): string => join(folder, 'application.json');

/** In one file: a disk that takes one of two would leave an application whose record and looks contradict each other. */
export const writeApplication = (folder: string, { record, snapshot }: KeptApplication): Promise<void> =>
  writeWhole(fileIn(folder), JSON.stringify({ ...record, snapshot }));

/** One that has not run yet. */
export const writeFirstRecord = (folder: string, record: ApplicationRecord): Promise<void> =>
  writeWhole(fileIn(folder), JSON.stringify(record));

/**
 * `undefined` when its launch was cut short. One that was running is kept as ended by the stop of the host. One whose
 * looks can't be read is there without them: what it is, and its saved state, are worth more.
 */
export async function readApplication(
  folder: string,
  now: number,
  onDamagedSnapshot: (error: unknown) => void,
): Promise<KeptApplication | undefined> {
  const text = await readIfThere(fileIn(folder));
  // Nobody was told the id.
  if (text === undefined) return undefined;
  const { snapshot: looks, ...record } = Kept.parse(JSON.parse(text));
  const snapshot = await readSnapshot(folder, looks).catch((error: unknown) => {
    onDamagedSnapshot(error);
    return emptySnapshot;
  });
  if (hasEnded(record)) return { record, snapshot };
  const stopped = { record: stoppedWithHost(record, now), snapshot: ended(snapshot, now) };
  // A disk that takes nothing is no reason not to list it: the next start tells the same.
  await writeApplication(folder, stopped).catch(() => {});
  // The record tells it already: the events are not worth an application that can't be listed.
  await noteHostStop(folder, snapshot.containers, now).catch(() => {});
  return stopped;
}

/** Older ones have it in a file of its own; one that never ran has none. */
async function readSnapshot(folder: string, looks: unknown): Promise<Snapshot> {
  if (looks !== undefined) return Snapshot.parse(looks);
  const text = await readIfThere(join(folder, 'snapshot.json'));
  return text === undefined ? emptySnapshot : Snapshot.parse(JSON.parse(text));
}

const stoppedWithHost = (record: ApplicationRecord, at: number): ApplicationRecord => ({
  ...record,
  state: 'FAILED',
  finalStatus: 'FAILED',
  finishedTime: at,
  diagnostics:
    'The host process stopped while the application was running; restart it to go on from its saved state',
  failure: {
    code: 'HOST_STOPPED',
    message: 'The host process stopped while the application was running',
    at,
  },
});
