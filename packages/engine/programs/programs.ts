import { chmod, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { ownFolder } from '../store/own-folder.js';

// The files of child processes and what modules of packages import lie in the engine's own directory, written there from
// texts in its code: they are found wherever that code is, in a bundle or in a single executable, and a package that is
// updated under a running host does not change what its next container runs.

/** `container` and `examine` are processes; the others are imported by modules of packages. */
type ProgramName = 'container' | 'examine' | 'operators' | 'zod';

const folderOf = (directory: string): string => join(resolve(directory), 'programs');

/** Where a program of the engine in this directory is, once they are written. */
export const programFile = (directory: string, name: ProgramName): string =>
  join(folderOf(directory), `${name}.mjs`);

/** Writes those that are not there as they should be, and removes what an earlier version left. */
export async function writePrograms(directory: string): Promise<void> {
  const { default: programs } = await import('./programs.text.js');
  const folder = folderOf(directory);
  await ownFolder(folder);
  for (const name of await readdir(folder))
    if (!Object.hasOwn(programs, name)) await rm(join(folder, name), { recursive: true, force: true });
  for (const [name, text] of Object.entries(programs)) {
    const file = join(folder, name);
    if ((await readFile(file, 'utf8').catch(() => undefined)) === text) continue;
    await writeFile(file, text, { mode: 0o600 });
    await chmod(file, 0o600);
  }
}
