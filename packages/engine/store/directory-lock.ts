import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isProcessAlive, readIfThere } from 'headgate/driver-kit';

/** Keeps a second engine out of the directory. Resolves the function that lets go; rejects naming the process that holds it. */
export async function lockDirectory(directory: string): Promise<() => Promise<void>> {
  const path = join(directory, 'engine.lock');
  for (let attempt = 0; ; attempt++) {
    try {
      const file = await open(path, 'wx', 0o600);
      try {
        await file.writeFile(String(process.pid));
      } finally {
        await file.close();
      }
      return () => rm(path, { force: true });
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST') || attempt > 2) throw error;
      const holder = Number(await readIfThere(path));
      if (holder !== process.pid && isProcessAlive(holder))
        throw new Error(`The directory ${directory} is in use by the engine of process ${holder}`, {
          cause: error,
        });
      if (holder === process.pid)
        throw new Error(`The directory ${directory} is in use by another engine of this process`, {
          cause: error,
        });
      await rm(path, { force: true });
    }
  }
}
