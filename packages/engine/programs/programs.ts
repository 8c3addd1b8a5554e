import { createHash } from 'node:crypto';
import { chmod, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { ownFolder } from '../store/own-folder.js';
import digests from './programs.digests.js';

// The files of child processes and what modules of packages import lie in the engine's own directory, written there from
// texts in its code: they are found wherever that code is, in a bundle or in a single executable, and a package that is
// updated under a running host does not change what its next container runs.

/** `container` and `examine` are processes; the others are imported by modules of packages. */
type ProgramName = 'container' | 'examine' | 'operators' | 'zod';

const folderOf = (directory: string): string => join(resolve(directory), 'programs');

/** Where a program of the engine in this directory is, once they are written. */
export const programFile = (directory: string, name: ProgramName): string =>
  join(folderOf(directory), `${name}.mjs`);

const inflate = promisify(gunzip);

/** Writes those that are not there as they should be, and removes what an earlier version left. */
export async function writePrograms(directory: string): Promise<void> {
  const folder = folderOf(directory);
  await ownFolder(folder);
  for (const name of await readdir(folder))
    if (!Object.hasOwn(digests, name)) await rm(join(folder, name), { recursive: true, force: true });
  for (const [name, digest] of Object.entries(digests)) {
    const file = join(folder, name);
    if ((await digestOf(file)) === digest) continue;
    // Mostly they are there, and then their texts need not be in memory.
    const { default: programs } = await import('./programs.text.js');
    await writeFile(file, await inflate(Buffer.from(programs[name] ?? '', 'base64')), { mode: 0o600 });
    await chmod(file, 0o600);
  }
}

const digestOf = async (file: string): Promise<string | undefined> => {
  const content = await readFile(file).catch(() => undefined);
  return content && createHash('sha256').update(content).digest('hex');
};
