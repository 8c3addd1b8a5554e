import { mkdirSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { createMutex, writeWhole } from 'headgate/runtime';

export interface CheckpointFiles {
  /** Takes the state as it is now; resolves the file when it is durable, `undefined` for no state. Writes go in order. */
  save(name: string, state: unknown): Promise<string | undefined>;
  load(file: string): Promise<unknown>;
  remove(files: readonly string[]): void;
  /** Resolves when everything saved so far is durable. */
  settled(): Promise<void>;
}

export function createCheckpointFiles(directory: string): CheckpointFiles {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const inOrder = createMutex();

  async function write(name: string, bytes: Buffer): Promise<string> {
    await writeWhole(join(directory, name), bytes);
    return name;
  }

  return {
    save(name, state) {
      if (state === undefined) return Promise.resolve(undefined);
      const bytes = serialize(state);
      return inOrder(() => write(name, bytes));
    },
    load: async (file) => deserialize(await readFile(join(directory, file))),
    remove(files) {
      for (const file of files) rm(join(directory, file), { force: true }).catch(() => {});
    },
    settled: () => inOrder(async () => {}),
  };
}
