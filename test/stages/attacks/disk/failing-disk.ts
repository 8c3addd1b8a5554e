import { execFile } from 'node:child_process';
import { realpath, rename, writeFile } from 'node:fs/promises';
import { constants } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const source = fileURLToPath(
  new URL('../../../../../test/stages/attacks/disk/failing-disk.c', import.meta.url),
);

export interface FailingDisk {
  /** For a process whose disk it is. */
  readonly env: Readonly<Record<string, string>>;
  /** `kinds`: see `failing-disk.c`; `share` of the calls that fail. */
  fail(kinds: string, share: number, error: 'ENOSPC' | 'EIO'): Promise<void>;
  mend(): Promise<void>;
}

/** Below the programs that get its environment, what is done to the files of `folder` fails when it is told to. */
export async function failingDisk(workFolder: string, folder: string): Promise<FailingDisk> {
  const library = join(workFolder, 'failing-disk.so');
  await run('cc', ['-shared', '-fPIC', '-O1', '-o', library, source, '-ldl']);
  const control = join(workFolder, 'how');
  // It is read at any moment, also in the middle of this.
  const say = async (how: string) => {
    await writeFile(`${control}.new`, how);
    await rename(`${control}.new`, control);
  };
  await say('none 0 0\n');
  return {
    env: { LD_PRELOAD: library, FAILING_FOLDER: await realpath(folder), FAILING_HOW: control },
    fail: (kinds, share, error) => say(`${kinds} ${Math.round(share * 1000)} ${constants.errno[error]}\n`),
    mend: () => say('none 0 0\n'),
  };
}
