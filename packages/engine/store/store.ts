import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { syncFolder } from 'headgate/driver-kit';
import {
  type KeptApplication,
  readApplication,
  writeApplication,
  writeFirstRecord,
} from './application-file.js';
import { noteStart } from './engine-start.js';
import { newestWrites } from './newest-writes.js';
import { ownFolder } from './own-folder.js';
import type { ApplicationRecord, SavedState } from './record.js';
import { copySavedState, makeCheckpointFolder, pruneCheckpoints } from './saved-state.js';
import type { Snapshot } from './snapshot.js';

/** The engine's directory: `engine.json`, and `apps/{id}` with record and snapshot, events, checkpoints and logs. */
export interface ApplicationStore {
  directoryOf(appId: string): string;
  /**
   * Epoch milliseconds of this start of the engine: larger than those of all earlier ones. Sockets that an earlier
   * one left behind, because its host was killed, are removed.
   */
  begin(now: number, sockets: string): Promise<number>;
  create(record: ApplicationRecord): Promise<void>;
  /** Writes of one application go in order; of those that wait only the newest is written. */
  keep(record: ApplicationRecord, snapshot: Snapshot): Promise<void>;
  /** All that were kept. Those that were running are reported as ended by the stop of the host. */
  load(now: number, onDamaged: OnDamaged): Promise<KeptApplication[]>;
  /**
   * Copies the saved state of one application to another; resolves it under the names that it has there. They are none that
   * the other gives its own checkpoints: what it removes when it needs the copy no more must not be one of those.
   */
  copyState(from: string, to: string, saved: SavedState): Promise<SavedState>;
  /** Removes checkpoint files that the record does not name. */
  prune(record: ApplicationRecord): Promise<void>;
  remove(appId: string): Promise<void>;
}

/** Of an application whose record can't be read, which is left out, or whose last looks can't, which is there without them. */
type OnDamaged = (appId: string, part: 'record' | 'snapshot', error: unknown) => void;

export function createStore(directory: string): ApplicationStore {
  const apps = join(directory, 'apps');
  const of = (appId: string) => join(apps, appId);
  const keepNewest = newestWrites((application: KeptApplication) =>
    writeApplication(of(application.record.id), application),
  );

  return {
    directoryOf: of,
    async begin(now, sockets) {
      await ownFolder(apps);
      return noteStart(directory, now, sockets);
    },
    async create(record) {
      await ownFolder(of(record.id));
      await makeCheckpointFolder(of(record.id));
      await writeFirstRecord(of(record.id), record);
      // The name of its folder, too.
      await syncFolder(apps);
    },
    keep: (record, snapshot) => keepNewest(record.id, { record, snapshot }),
    async load(now, onDamaged) {
      const found: KeptApplication[] = [];
      for (const appId of (await readdir(apps)).sort()) {
        try {
          const kept = await readApplication(of(appId), now, (error) => onDamaged(appId, 'snapshot', error));
          if (kept) found.push(kept);
        } catch (error) {
          onDamaged(appId, 'record', error);
        }
      }
      return found;
    },
    copyState: (from, to, saved) => copySavedState(of(from), of(to), saved),
    prune: (record) => pruneCheckpoints(of(record.id), record.saved),
    remove: (appId) => rm(of(appId), { recursive: true, force: true }),
  };
}
