import { execFile } from 'node:child_process';
import { mkdtemp, open, rm, rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface SmallDisk {
  readonly folder: string;
  /** Leaves no byte but `spare`. */
  fill(spare?: number): Promise<void>;
  free(): Promise<void>;
  unmount(): Promise<void>;
}

/** A real file system of so many bytes, in memory. Resolves why there is none, where this machine allows no mounts. */
export async function smallDisk(bytes: number): Promise<SmallDisk | string> {
  const folder = await mkdtemp(join(tmpdir(), 'headgate-small-disk-'));
  try {
    await run('mount', ['-t', 'tmpfs', '-o', `size=${bytes},mode=0755`, 'tmpfs', folder]);
  } catch (error) {
    await rmdir(folder);
    return `no small disk can be mounted here (root and the right to mount are needed): ${error}`;
  }
  const ballast = join(folder, 'ballast');
  const block = Buffer.alloc(4096);
  return {
    folder,
    async fill(spare = 0) {
      const file = await open(ballast, 'a');
      try {
        for (;;) await file.write(block);
      } catch (error) {
        if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
        const { size } = await file.stat();
        await file.truncate(Math.max(0, size - spare));
      } finally {
        await file.close();
      }
    },
    free: () => rm(ballast, { force: true }),
    unmount: async () => {
      await run('umount', ['-l', folder]);
      await rmdir(folder);
    },
  };
}
