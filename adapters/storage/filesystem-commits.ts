import type { ClassicLevel } from 'classic-level';
import { NotReady } from '../../lib/storage.js';

export type Level = ClassicLevel<string, string>;

export type Operation =
  | { readonly type: 'put'; readonly key: string; readonly value: string }
  | { readonly type: 'del'; readonly key: string };

/** A change whose fate is decided when its turn comes, so that nothing can come between the look and the write. */
export interface Change<R> {
  /** Records that `decide` wants to see. */
  readonly reads: readonly string[];
  /** Of what is to be written, for the limit. */
  readonly bytes: number;
  /** Gets the values of `reads`, `undefined` for absent ones. What it throws rejects this change only. */
  decide(values: readonly (string | undefined)[]): { operations: readonly Operation[]; result: R };
}

export interface Commits {
  /** Resolves the result when the operations are on the disk. Changes take effect in the order of the calls. */
  commit<R>(change: Change<R>): Promise<R>;
  /** Resolves when nothing waits. */
  settled(): Promise<void>;
}

/** What goes into one synced write: more would hold up the event loop while the batch is put together. */
const maxRound = { changes: 1000, bytes: 1024 * 1024 };

interface Waiting {
  readonly change: Pick<Change<unknown>, 'reads' | 'bytes'>;
  /** Throws what `decide` throws; the returned function tells the caller. */
  decide(values: readonly (string | undefined)[]): { operations: readonly Operation[]; done: () => void };
  reject(reason: unknown): void;
}

/**
 * Group commit: one synced write is under way at a time, and everything that arrives meanwhile goes into the next,
 * so the disk's time for one sync is shared by all who wait.
 */
export function createCommits(
  db: Level,
  maxPendingBytes: number,
  failed: (cause: unknown) => Error,
): Commits {
  const waiting: Waiting[] = [];
  let pendingBytes = 0;
  let running: Promise<void> | undefined;

  async function run(): Promise<void> {
    // Not at once: others of the same turn may come along.
    await undefined;
    while (waiting.length > 0) {
      const round = waiting.splice(0, sizeOfRound(waiting));
      await commitRound(round);
      for (const { change } of round) pendingBytes -= change.bytes;
    }
    running = undefined;
  }

  async function commitRound(round: readonly Waiting[]): Promise<void> {
    let decided: ReturnType<typeof decideRound>;
    try {
      decided = decideRound(round, await readAll(db, round));
    } catch (error) {
      // A record that can't be read spoils the reading of all: find the change it belongs to.
      if (round.length === 1) round[0]?.reject(error);
      else for (const one of round) await commitRound([one]);
      return;
    }
    try {
      await write(db, decided.operations);
      for (const { done } of decided.accepted) done();
    } catch (cause) {
      const error = failed(cause);
      for (const { reject } of decided.accepted) reject(error);
    }
  }

  return {
    commit: (change) =>
      new Promise((resolve, reject) => {
        if (pendingBytes > 0 && pendingBytes + change.bytes > maxPendingBytes) {
          throw new NotReady(`More than ${maxPendingBytes} bytes wait to be written; try again soon`);
        }
        pendingBytes += change.bytes;
        waiting.push({
          change,
          decide(values) {
            const { operations, result } = change.decide(values);
            return { operations, done: () => resolve(result) };
          },
          reject,
        });
        running ??= run();
      }),
    async settled() {
      while (running) await running;
    },
  };
}

/** All or none, on the disk. One `put` and a chained batch cost LevelDB's binding half of what an array of operations does. */
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

/** How many of those who wait go next: at least one, however large it is. */
function sizeOfRound(waiting: readonly Waiting[]): number {
  let bytes = 0;
  const end = waiting.findIndex(({ change }, i) => {
    bytes += change.bytes;
    return i > 0 && (i === maxRound.changes || bytes > maxRound.bytes);
  });
  return end === -1 ? waiting.length : end;
}

async function readAll(db: Level, round: readonly Waiting[]): Promise<Map<string, string | undefined>> {
  const keys = round.flatMap(({ change }) => change.reads);
  const values = keys.length > 0 ? await db.getMany([...keys]) : [];
  return new Map(keys.map((key, i) => [key, values[i]]));
}

/** Decides one after the other, each seeing what those before it are going to write. */
function decideRound(round: readonly Waiting[], present: Map<string, string | undefined>) {
  const operations: Operation[] = [];
  const accepted: { done: () => void; reject: (reason: unknown) => void }[] = [];
  for (const { change, decide, reject } of round) {
    try {
      const decided = decide(change.reads.map((key) => present.get(key)));
      for (const operation of decided.operations) {
        operations.push(operation);
        present.set(operation.key, operation.type === 'put' ? operation.value : undefined);
      }
      accepted.push({ done: decided.done, reject });
    } catch (error) {
      reject(error);
    }
  }
  return { operations, accepted };
}
