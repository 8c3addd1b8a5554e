import { mkdirSync } from 'node:fs';
import { open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { deserialize, serialize } from 'node:v8';

export interface CheckpointFiles {
  /** Takes the state as it is now; resolves the file when it is durable, `undefined` for no state. Writes go in order. */
  save(name: string, state: unknown): Promise<string | undefined>;
  load(file: string): Promise<unknown>;
  remove(files: readonly string[]): void;
  /** Resolves when everything saved so far is durable. */
  settled(): Promise<unknown>;
}

export function createCheckpointFiles(directory: string): CheckpointFiles {
  mkdirSync(directory, { recursive: true });
  let last: Promise<unknown> = Promise.resolve();

  async function write(name: string, bytes: Buffer): Promise<string> {
    const path = join(directory, name);
    await writeFile(`${path}.part`, bytes, { flush: true });
    await rename(`${path}.part`, path);
    const folder = await open(directory, 'r');
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
    return name;
  }

  return {
    save(name, state) {
      if (state === undefined) return Promise.resolve(undefined);
      const bytes = serialize(state);
      const saved = last.then(() => write(name, bytes));
      last = saved.catch(() => {});
      return saved;
    },
    load: async (file) => deserialize(await readFile(join(directory, file))),
    remove(files) {
      for (const file of files) rm(join(directory, file), { force: true }).catch(() => {});
    },
    settled: () => last,
  };
}
