import { type FileHandle, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Waits for the disk at a time: each costs a turn of its journal, which those that wait together share. */
const atOnce = 16;

/** All files below a folder, and the names in it, are on the disk when it resolves: also a crash of the machine keeps them. */
export async function syncTree(folder: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile() || entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name));
  for (let at = 0; at < paths.length; at += atOnce)
    await Promise.all(paths.slice(at, at + atOnce).map(syncPath));
  await syncPath(folder);
}

/** Of a folder: the names in it. */
export async function syncPath(path: string): Promise<void> {
  const handle = await openToSync(path);
  try {
    await handle?.sync();
  } finally {
    await handle?.close();
  }
}

/** `undefined`: an archive may hold files that not even their owner may read, and those the system writes in its own time. */
async function openToSync(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EACCES') return undefined;
    throw error;
  }
}
