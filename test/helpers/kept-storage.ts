import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { BlobStore } from '../../lib/interfaces/storage.js';
import { bytesOf, collected } from '../../packages/contracts/storage-samples.js';
import { filesystemStorage } from '../../packages/level/index.js';

export type KeeperOrder =
  | { readonly op: 'write'; readonly writes: readonly (readonly [key: string, value: string | null])[] }
  | { readonly op: 'writeBlob'; readonly key: string; readonly size: number; readonly fill: string }
  | { readonly op: 'deleteBlob' | 'read' | 'readBlob'; readonly key: string }
  | { readonly op: 'problems' | 'close' };

export interface KeeperAnswer {
  readonly n: number;
  readonly value?: unknown;
  readonly error?: { readonly name: string; readonly message: string };
}

export interface Keeper {
  readonly pid: number;
  /** Resolves what came of it; rejects when the process ended before it answered. */
  do(order: KeeperOrder): Promise<Omit<KeeperAnswer, 'n'>>;
  kill(): Promise<void>;
  /** Closes the storage and ends the process. */
  close(): Promise<void>;
}

const script = fileURLToPath(new URL('./kept-storage/keeper.js', import.meta.url));

/** A storage in a process of its own, that can be killed. `env` goes to it, and nothing else. */
export async function startKeeper(
  directory: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Keeper> {
  const child = spawn(process.execPath, [script, directory], { env, stdio: ['pipe', 'pipe', 'inherit'] });
  const exited = once(child, 'close');
  const waiting = new Map<number, (answer: KeeperAnswer) => void>();
  let orders = 0;
  const answered = (n: number) =>
    Promise.race([
      new Promise<KeeperAnswer>((resolve) => waiting.set(n, resolve)),
      exited.then(([code, signal]): never => {
        throw new Error(`The process of the storage ended with ${code ?? signal}`);
      }),
    ]);
  createInterface(child.stdout).on('line', (line) => {
    const answer: KeeperAnswer = JSON.parse(line);
    waiting.get(answer.n)?.(answer);
    waiting.delete(answer.n);
  });
  const { error } = await answered(-1);
  if (error) throw new Error(error.message);

  const keeper: Keeper = {
    pid: child.pid ?? 0,
    do(order) {
      const answer = answered(orders);
      child.stdin.write(`${JSON.stringify({ n: orders++, order })}\n`);
      return answer;
    },
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
    async close() {
      const { error } = await keeper.do({ op: 'close' });
      child.stdin.end();
      await exited;
      if (error) throw new Error(error.message);
    },
  };
  return keeper;
}

/** What a key may hold: what was acknowledged last, or what failed since then without a word whether it was made. */
interface Known {
  certain: string | null;
  possible: (string | null)[];
}

export interface Ledger {
  /** Writes, and notes what came of it. Resolves the name of the error, `undefined` when it was acknowledged. */
  write(
    keeper: Keeper,
    writes: readonly (readonly [key: string, value: string | null])[],
  ): Promise<string | undefined>;
  writeBlob(keeper: Keeper, key: string, size: number | null): Promise<string | undefined>;
  readonly acknowledged: number;
  /** Opens the directory and names everything that is not as it was acknowledged. */
  judge(directory: string): Promise<string[]>;
}

export function createLedger(): Ledger {
  const documents = new Map<string, Known>();
  const blobs = new Map<string, Known>();
  let acknowledged = 0;
  let fills = 0;

  function note(
    kind: Map<string, Known>,
    key: string,
    value: string | null,
    error: string | undefined,
  ): void {
    const known = kind.get(key) ?? { certain: null, possible: [] };
    if (error === undefined) kind.set(key, { certain: value, possible: [] });
    else if (error === 'StorageFailed') kind.set(key, { ...known, possible: [...known.possible, value] });
    else kind.set(key, known);
  }

  return {
    get acknowledged() {
      return acknowledged;
    },

    async write(keeper, writes) {
      const error = (await keeper.do({ op: 'write', writes })).error?.name;
      for (const [key, value] of writes) note(documents, key, value, error);
      if (error === undefined) acknowledged++;
      return error;
    },

    async writeBlob(keeper, key, size) {
      const fill = String.fromCharCode(97 + (fills++ % 26));
      const order =
        size === null
          ? ({ op: 'deleteBlob', key } as const)
          : ({ op: 'writeBlob', key, size, fill } as const);
      const error = (await keeper.do(order)).error?.name;
      note(blobs, key, size === null ? null : `${size} ${fill}`, error);
      if (error === undefined) acknowledged++;
      return error;
    },

    async judge(directory) {
      const storage = await filesystemStorage({ directory });
      const wrong: string[] = storage.problems().map(({ message }) => message);
      for (const [key, { certain, possible }] of documents) {
        const found = (await storage.documents.get('c', key))?.value ?? null;
        if (![certain, ...possible].some((value) => value === found))
          wrong.push(`${key} holds ${brief(found)}, acknowledged was ${brief(certain)}`);
      }
      const keys = await collected(storage.blobs.list());
      for (const [key, { certain, possible }] of blobs) {
        const found = keys.includes(key) ? await contentOf(storage.blobs, key) : null;
        if (![certain, ...possible].includes(found))
          wrong.push(`the blob ${key} holds ${found}, acknowledged was ${certain}`);
      }
      await storage.close();
      const files = (await readdir(join(directory, 'blobs'))).length;
      if (files !== keys.length) wrong.push(`${files} files for ${keys.length} blobs`);
      return wrong;
    },
  };
}

/** Writes until it is acknowledged; resolves after how many attempts. */
export async function insist(write: () => Promise<string | undefined>): Promise<number> {
  for (let attempt = 1; ; attempt++) {
    const error = await write();
    if (error === undefined) return attempt;
    if (attempt === 100) throw new Error(`It is refused again and again: ${error}`);
    await wait(20);
  }
}

const brief = (value: unknown) => String(value).slice(0, 20);

async function contentOf(blobs: BlobStore, key: string): Promise<string> {
  const blob = await blobs.open(key);
  try {
    const text = (await bytesOf(blob.stream())).toString('latin1');
    return `${text.length} ${/^(.)\1*$/.exec(text)?.[1] ?? ''}`;
  } finally {
    await blob.close();
  }
}
