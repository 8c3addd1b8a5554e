import { NotReady } from 'headgate/driver-kit';
import type { Database, Operation } from './database.js';

/** A change whose fate is decided when its turn comes, so that nothing can come between the look and the write. */
interface Change<R> {
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
export function createCommits(database: Database, maxPendingBytes: number): Commits {
  const waiting: Waiting[] = [];
  let pendingBytes = 0;
  let running: Promise<void> | undefined;

  async function run(): Promise<void> {
    // Not at once: others of the same turn may come along.
    await undefined;
    while (waiting.length > 0) {
      const round = waiting.splice(0, sizeOfRound(waiting));
      try {
        // Before anything is read for them: what failed may be there after all.
        await database.writable();
        await commitRound(round);
      } catch (error) {
        for (const { reject } of round) reject(error);
      }
      for (const { change } of round) pendingBytes -= change.bytes;
    }
    running = undefined;
  }

  async function commitRound(round: readonly Waiting[]): Promise<void> {
    let decided: ReturnType<typeof decideRound>;
    try {
      decided = decideRound(round, await readAll(database, round));
    } catch (error) {
      // A record that can't be read spoils the reading of all: find the change it belongs to.
      if (round.length === 1) round[0]?.reject(error);
      else for (const one of round) await commitRound([one]);
      return;
    }
    try {
      await database.write(decided.operations);
      for (const { done } of decided.accepted) done();
    } catch (error) {
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

/** How many of those who wait go next: at least one, however large it is. */
function sizeOfRound(waiting: readonly Waiting[]): number {
  let bytes = 0;
  const end = waiting.findIndex(({ change }, i) => {
    bytes += change.bytes;
    return i > 0 && (i === maxRound.changes || bytes > maxRound.bytes);
  });
  return end === -1 ? waiting.length : end;
}

async function readAll(
  database: Database,
  round: readonly Waiting[],
): Promise<Map<string, string | undefined>> {
  const keys = round.flatMap(({ change }) => change.reads);
  const values = keys.length > 0 ? await database.getMany(keys) : [];
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
