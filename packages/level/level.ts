import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ClassicLevel } from 'classic-level';
import { StorageFailed, type StorageInUse } from 'headgate/driver-kit';
import type { Directories } from './directories.js';
import { requireDiskSpace } from './disk-space.js';
import type { Problems } from './problems.js';
import { formatRecord } from './records.js';

/** Raised when older versions could not read what is kept. */
const format = '1';

export type Level = ClassicLevel<string, string>;

interface OpenedLevel {
  readonly db: Level;
  /** Some records are lost, so what is left says nothing about what there was. */
  readonly incomplete: boolean;
}

export interface LevelOptions {
  readonly directories: Directories;
  readonly problems: Problems;
  readonly cacheBytes: number;
  readonly repair: boolean;
  /** Explains a lock that somebody else holds. */
  readonly inUse: () => Promise<StorageInUse>;
}

export async function openLevel(options: LevelOptions): Promise<OpenedLevel> {
  const { directories, problems } = options;
  const repaired = await openOrRepair(options);
  const { db } = repaired;
  try {
    const lost = await lostWrites(directories.documents);
    for (const message of [...repaired.messages, ...lost]) {
      problems.add({ kind: 'store', key: `documents: ${message}`, message });
    }
    await checkFormat(db, directories);
    return { db, incomplete: repaired.messages.length + lost.length > 0 };
  } catch (error) {
    await db.close();
    throw error;
  }
}

async function openOrRepair(options: LevelOptions): Promise<{ db: Level; messages: readonly string[] }> {
  const path = options.directories.documents;
  try {
    return { db: await open(path, options), messages: [] };
  } catch (error) {
    if (!(error instanceof StorageFailed) || !options.repair) throw error;
    await requireWrites(path);
    await ClassicLevel.repair(path);
    const message = `The documents in ${path} were repaired; writes may be lost, and deleted documents may be back`;
    return { db: await open(path, options), messages: [message] };
  }
}

async function open(path: string, { cacheBytes, inUse }: LevelOptions): Promise<Level> {
  const names = await readdir(path);
  // LevelDB would take this for a new database and delete the old tables.
  if (names.some((name) => /\.(ldb|sst|log)$/.test(name)) && !names.includes('CURRENT')) {
    throw unreadable(path, new Error('the file CURRENT is missing'));
  }
  await requireJournals(path, names);
  const db = new ClassicLevel(path, {
    cacheSize: cacheBytes,
    // Uncompressed, a flipped bit hurts one document; compressed, a block with all documents in it.
    compression: false,
  });
  try {
    await db.open();
    return db;
  } catch (error) {
    const cause = error instanceof Error ? error.cause : undefined;
    const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
    if (code === 'LEVEL_LOCKED') throw await inUse();
    await requireWrites(path);
    throw unreadable(path, cause ?? error);
  }
}

const unreadable = (path: string, cause: unknown) =>
  new StorageFailed(
    `The documents in ${path} can't be opened: ${cause instanceof Error ? cause.message : cause}. Restore the ` +
      'directory from a backup; or copy it and open it with the option repair, which keeps what can be read',
    cause,
  );

/** LevelDB passes over a journal that it can't open or read, and then deletes it. */
async function requireJournals(path: string, names: readonly string[]): Promise<void> {
  for (const name of names.filter((name) => name.endsWith('.log'))) {
    await readFile(join(path, name)).catch((cause: unknown) => {
      throw unreadable(path, cause);
    });
  }
}

/** To open is to write. A disk that takes nothing is no damage, and a repair on it would be one. */
async function requireWrites(path: string): Promise<void> {
  await requireDiskSpace(path).catch((cause: unknown) => {
    const reason = cause instanceof Error ? cause.message : cause;
    throw new StorageFailed(
      `The documents in ${path} can't be opened, for the disk refuses writes: ${reason}. Free space on it or mend it, and try again`,
      cause,
    );
  });
}

/** LevelDB drops damaged parts of its journal and goes on; it tells only its own log file. */
async function lostWrites(path: string): Promise<readonly string[]> {
  const log = await readFile(join(path, 'LOG'), 'utf8').catch(() => '');
  return log
    .split('\n')
    .filter((line) => /: dropping \d+ bytes/.test(line))
    .map(
      (line) =>
        `Writes were lost, because the journal of the documents is damaged: ${line.replace(/^\S+ \S+ /, '')}`,
    );
}

async function checkFormat(db: Level, { root, blobs }: Directories): Promise<void> {
  const found = await db.get(formatRecord);
  if (found === format) return;
  if (found !== undefined) {
    throw new StorageFailed(
      `The directory ${root} has the format ${found}; this version of Headgate knows ${format}`,
    );
  }
  if ((await readdir(blobs)).length > 0) {
    throw new StorageFailed(
      `The directory ${root} has blobs but no documents: restore ${root} from a backup, or delete ${blobs} to begin anew`,
    );
  }
  await db.put(formatRecord, format, { sync: true });
}
