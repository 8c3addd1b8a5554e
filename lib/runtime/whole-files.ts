import { open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Replaces a file whole and durably: after a crash it has the old content or the new. For its owner only, unless `mode`
 * says otherwise. One that fails leaves the old content, and on a full disk no part of the new.
 */
export async function writeWhole(path: string, content: string | Buffer, mode = 0o600): Promise<void> {
  const part = `${path}.part`;
  try {
    await writeFile(part, content, { flush: true, mode });
    await rename(part, path);
  } catch (error) {
    await rm(part, { force: true }).catch(() => {});
    throw error;
  }
  await syncFolder(dirname(path));
}

/** Puts the names in it on the disk: a file that was renamed into a folder is safe only after this. */
export async function syncFolder(path: string): Promise<void> {
  // Windows opens no folders, and its file systems keep names in their own journal.
  if (process.platform === 'win32') return;
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** Resolves `undefined` when there is no such file. */
export async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** The error of a file or directory that is not there. */
export const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ENOENT';
