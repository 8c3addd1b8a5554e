import { NotReady, StorageFailed } from 'headgate/driver-kit';
import { requireDiskSpace } from './disk-space.js';
import { type Level, type LevelOptions, openLevel } from './level.js';
import { createMending } from './mending.js';
import type { Range } from './records.js';

/** What is read from LevelDB at a time: few trips to its threads, and no long stop of the event loop. */
const page = { records: 256, bytes: 256 * 1024 };

export type Operation =
  | { readonly type: 'put'; readonly key: string; readonly value: string }
  | { readonly type: 'del'; readonly key: string };

/**
 * LevelDB, and what it lacks: after a write that the disk refused, its journal may end in half a record, and whatever
 * it writes behind that is lost when it is opened the next time. So a database that failed once writes no more: it is
 * closed and opened anew, as soon as the disk takes writes again. Until then the old one is read.
 */
export interface Database {
  get(record: string): Promise<string | undefined>;
  getMany(records: readonly string[]): Promise<(string | undefined)[]>;
  /** As they were at one moment after the call. */
  pages(range: Range): AsyncIterable<readonly (readonly [record: string, value: string])[]>;
  /** Resolves when a write may be tried. Rejects with `NotReady` while the disk refuses, after having tried it anew. */
  writable(): Promise<void>;
  /** All or none, on the disk. After `StorageFailed` nobody knows, until `mended`. One at a time, each after `writable`. */
  write(operations: readonly Operation[]): Promise<void>;
  /** Resolves when what is read is on the disk, whatever failed before. Never when it is closed before. */
  mended(): Promise<void>;
  close(): Promise<void>;
}

export async function openDatabase(
  options: LevelOptions,
): Promise<{ database: Database; incomplete: boolean }> {
  const { documents } = options.directories;
  const opened = await openLevel(options);
  let db = opened.db;
  let isOpen = true;
  const mending = createMending(mend);
  const problem = { kind: 'store', key: documents } as const;
  const advice = 'free space on it or mend it, writes are taken again by themselves';

  async function mend(): Promise<void> {
    try {
      if (isOpen) {
        await requireDiskSpace(documents);
        // What is asked from now on waits for the new one; what was asked before is answered first.
        isOpen = false;
        await db.close();
      }
      db = (await openLevel({ ...options, repair: false })).db;
      isOpen = true;
      options.problems.remove(problem);
    } catch (cause) {
      note(cause);
      throw cause;
    }
  }

  function note(cause: unknown): void {
    const state = isOpen ? 'No change is taken' : 'Documents can be neither read nor changed';
    const message = `The disk refuses writes in ${documents}. ${state}: ${advice}. (${reasonOf(cause)})`;
    options.problems.add({ ...problem, message });
  }

  async function readable(): Promise<Level> {
    if (!isOpen)
      await mending.attempt().catch(() => {
        throw new NotReady(
          `The documents in ${documents} can't be opened anew after the disk refused a write: ${advice}`,
        );
      });
    return db;
  }

  const database: Database = {
    get: (record) => (isOpen ? db.get(record) : readable().then((open) => open.get(record))),
    getMany: async (records) => (await readable()).getMany([...records]),
    pages: (range) => pagesOf(readable, range, documents),

    async writable() {
      if (!mending.isNeeded) return;
      await mending.attempt().catch(() => {
        throw new NotReady(`The disk refuses writes in ${documents}; nothing was changed: ${advice}`);
      });
    },

    async write(operations) {
      try {
        await write(db, operations);
      } catch (cause) {
        note(cause);
        mending.begin();
        const message = `The disk refused a write in ${documents}; whether it was made shows when the disk is well: ${advice}`;
        throw new StorageFailed(message, cause);
      }
    },

    mended: mending.done,

    async close() {
      await mending.stop();
      await db.close();
    },
  };
  return { database, incomplete: opened.incomplete };
}

/** Ends with `NotReady` when the database is closed meanwhile: the iterator is of that one only. */
async function* pagesOf(readable: () => Promise<Level>, range: Range, documents: string) {
  const iterator = (await readable()).iterator({ ...range, highWaterMarkBytes: page.bytes });
  const next = () =>
    iterator.nextv(page.records).catch((error: unknown) => {
      if (codeOf(error) !== 'LEVEL_ITERATOR_NOT_OPEN') throw error;
      throw new NotReady(`The documents in ${documents} were opened anew while they were listed; ask again`);
    });
  try {
    for (let found = await next(); found.length > 0; found = await next()) yield found;
  } finally {
    await iterator.close();
  }
}

/** One `put` and a chained batch cost LevelDB's binding half of what an array of operations does. */
async function write(db: Level, operations: readonly Operation[]): Promise<void> {
  const [first] = operations;
  if (first === undefined) return;
  if (operations.length === 1) {
    if (first.type === 'put') return db.put(first.key, first.value, { sync: true });
    return db.del(first.key, { sync: true });
  }
  const batch = db.batch();
  for (const operation of operations) {
    if (operation.type === 'put') batch.put(operation.key, operation.value);
    else batch.del(operation.key);
  }
  await batch.write({ sync: true });
}

const codeOf = (error: unknown): unknown =>
  error instanceof Error && 'code' in error ? error.code : undefined;

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
