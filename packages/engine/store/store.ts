import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { readIfThere, syncFolder, writeWhole } from 'headgate/driver-kit';
import { z } from 'zod';
import { noteHostStop } from '../history/host-stop.js';
import { isSocketDirectory } from '../rollout/slots.js';
import { newestWrites } from './newest-writes.js';
import { ownFolder } from './own-folder.js';
import { ApplicationRecord, hasEnded, type SavedState } from './record.js';
import { ended, Snapshot } from './snapshot.js';

const Start = z.object({ startedAt: z.number(), sockets: z.string().exactOptional() });

const Kept = ApplicationRecord.extend({ snapshot: Snapshot.exactOptional() });

export interface KeptApplication {
  record: ApplicationRecord;
  snapshot: Snapshot;
}

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
  /** All that were kept. Those that were running are reported as ended by the stop of the host. Damaged ones go to `onDamaged`. */
  load(now: number, onDamaged: (appId: string, error: unknown) => void): Promise<KeptApplication[]>;
  /**
   * Copies the saved state of one application to another; resolves it under the names that it has there. They are none that
   * the other gives its own checkpoints: what it removes when it needs the copy no more must not be one of those.
   */
  copyState(from: string, to: string, saved: SavedState): Promise<SavedState>;
  /** Removes checkpoint files that the record does not name. */
  prune(record: ApplicationRecord): Promise<void>;
  remove(appId: string): Promise<void>;
}

function startOf(text: string, path: string): z.infer<typeof Start> {
  try {
    return Start.parse(JSON.parse(text));
  } catch (cause) {
    throw new Error(`The file ${path} is damaged; delete it to start the engine, no application is lost`, {
      cause,
    });
  }
}

export const emptySnapshot: Snapshot = {
  containers: [],
  physicalPlan: { operators: [], streams: [] },
  logicalPlan: { operators: [], streams: [] },
  properties: {},
  logicalOperators: [],
  attributes: {},
  metrics: {},
};

/** Also of one that was copied already. */
const copied = (file: string): string => `copy-${file.replace(/^copy-/, '')}`;

export function createStore(directory: string): ApplicationStore {
  const apps = join(directory, 'apps');
  const of = (appId: string) => join(apps, appId);

  /** In one file: a disk that takes one of two would leave an application whose record and looks contradict each other. */
  const write = ({ record, snapshot }: KeptApplication): Promise<void> =>
    writeWhole(join(of(record.id), 'application.json'), JSON.stringify({ ...record, snapshot }));

  const keepNewest = newestWrites(write);

  /** Older ones have it in a file of its own; one that never ran has none. */
  async function separateSnapshot(appId: string): Promise<Snapshot> {
    const text = await readIfThere(join(of(appId), 'snapshot.json'));
    return text === undefined ? emptySnapshot : Snapshot.parse(JSON.parse(text));
  }

  async function read(appId: string, now: number): Promise<KeptApplication | undefined> {
    const text = await readIfThere(join(of(appId), 'application.json'));
    // Launching was cut short: nobody was told the id.
    if (text === undefined) return undefined;
    const { snapshot = await separateSnapshot(appId), ...record } = Kept.parse(JSON.parse(text));
    if (hasEnded(record)) return { record, snapshot };
    const stopped: KeptApplication = {
      record: {
        ...record,
        state: 'FAILED',
        finalStatus: 'FAILED',
        finishedTime: now,
        diagnostics:
          'The host process stopped while the application was running; restart it to go on from its saved state',
        failure: {
          code: 'HOST_STOPPED',
          message: 'The host process stopped while the application was running',
          at: now,
        },
      },
      snapshot: ended(snapshot, now),
    };
    // A disk that takes nothing is no reason not to list it: the next start tells the same.
    await write(stopped).catch(() => {});
    // The record tells it already: the events are not worth an application that can't be listed.
    await noteHostStop(of(appId), snapshot, now).catch(() => {});
    return stopped;
  }

  return {
    directoryOf: of,
    async begin(now, sockets) {
      await ownFolder(apps);
      const path = join(directory, 'engine.json');
      const text = await readIfThere(path);
      const before = text === undefined ? { startedAt: 0 } : startOf(text, path);
      if (before.sockets !== undefined && isSocketDirectory(before.sockets))
        await rm(before.sockets, { recursive: true, force: true });
      const startedAt = Math.max(now, before.startedAt + 1);
      await writeWhole(path, JSON.stringify({ startedAt, sockets }));
      return startedAt;
    },
    async create(record) {
      await ownFolder(of(record.id));
      await ownFolder(join(of(record.id), 'checkpoints'));
      await writeWhole(join(of(record.id), 'application.json'), JSON.stringify(record));
      // The name of its folder, too.
      await syncFolder(apps);
    },
    keep: (record, snapshot) => keepNewest(record.id, { record, snapshot }),
    async load(now, onDamaged) {
      const found: KeptApplication[] = [];
      for (const appId of (await readdir(apps)).sort()) {
        try {
          const kept = await read(appId, now);
          if (kept) found.push(kept);
        } catch (error) {
          onDamaged(appId, error);
        }
      }
      return found;
    },
    async copyState(from, to, saved) {
      await ownFolder(join(of(to), 'checkpoints'));
      const states: Record<string, string | null> = {};
      for (const [key, file] of Object.entries(saved.states)) {
        states[key] = file && copied(file);
        if (file === null) continue;
        const bytes = await readFile(join(of(from), 'checkpoints', file));
        // As durable as those that a container writes: the record will name them.
        await writeWhole(join(of(to), 'checkpoints', copied(file)), bytes);
      }
      return { ...saved, states };
    },
    async prune(record) {
      const named = new Set(Object.values(record.saved?.states ?? {}));
      const checkpoints = join(of(record.id), 'checkpoints');
      for (const file of await readdir(checkpoints))
        if (!named.has(file)) await rm(join(checkpoints, file), { force: true });
    },
    remove: (appId) => rm(of(appId), { recursive: true, force: true }),
  };
}
