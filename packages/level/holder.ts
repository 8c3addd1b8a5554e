import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { isProcessAlive, StorageInUse } from 'headgate/driver-kit';

// LevelDB's lock keeps others out, but does not tell whose it is. So its holder leaves a note beside it. The note of
// a killed process stays behind; it is only ever read to explain a lock that is really held.

interface Holder {
  readonly pid: number;
  readonly host: string;
  /** Epoch milliseconds at which the process began: pids come again, above all in containers. */
  readonly since: number;
}

const attempts = 20;
const pauseMs = 50;

interface HolderNote {
  /** Throws `StorageInUse` when a gateway of this process holds the directory, even by another copy of LevelDB. */
  requireNotOurs(): Promise<void>;
  /** Once the lock is ours. */
  write(): Promise<void>;
  /** Before the lock is given back. */
  remove(): Promise<void>;
  /** The error for a lock that somebody else holds. */
  inUse(): Promise<StorageInUse>;
}

export function holderNote(directory: string): HolderNote {
  const path = join(directory, 'holder.json');
  const self: Holder = { pid: process.pid, host: hostname(), since: performance.timeOrigin };

  async function read(): Promise<Holder | undefined> {
    try {
      const note: unknown = JSON.parse(await readFile(path, 'utf8'));
      return isHolder(note) ? note : undefined;
    } catch {
      return undefined;
    }
  }

  return {
    async requireNotOurs() {
      const holder = await read();
      if (holder && holder.pid === self.pid && holder.since === self.since && holder.host === self.host) {
        throw new StorageInUse(directory, 'another gateway in this process', self.pid);
      }
    },

    async write() {
      const fresh = `${path}.new`;
      await writeFile(fresh, JSON.stringify(self), { mode: 0o600 });
      await rename(fresh, path);
    },

    remove: () => rm(path, { force: true }),

    async inUse() {
      // The new holder may have taken the lock and not written its note yet, or the lock's last holder just died.
      for (let attempt = 0; attempt < attempts; attempt++) {
        const holder = await read();
        if (holder && holder.host !== self.host) {
          return new StorageInUse(directory, `process ${holder.pid} on ${holder.host}`, holder.pid);
        }
        if (holder?.pid === self.pid) {
          return new StorageInUse(directory, 'another gateway in this process', self.pid);
        }
        if (holder && isProcessAlive(holder.pid)) {
          return new StorageInUse(directory, `process ${holder.pid}`, holder.pid);
        }
        await wait(pauseMs);
      }
      return new StorageInUse(directory, 'another process that left no note of its pid');
    },
  };
}

const isHolder = (note: unknown): note is Holder =>
  typeof note === 'object' &&
  note !== null &&
  'pid' in note &&
  Number.isSafeInteger(note.pid) &&
  'host' in note &&
  typeof note.host === 'string' &&
  'since' in note &&
  typeof note.since === 'number';
