import { randomBytes } from 'node:crypto';
import { type FileHandle, open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isMissing } from 'headgate/driver-kit';

/** Beyond what is there to be written anew. */
const spareBytes = 64 * 1024;
/** Files that LevelDB has open at a time while it opens, and a few more. */
const spareHandles = 12;

/**
 * Rejects unless the disk takes as much as LevelDB writes when it opens: what its journals hold, as a table, and its
 * manifest. By writing it, for free space may be another's, and a disk may have room and refuse all the same.
 */
export async function requireDiskSpace(documents: string): Promise<void> {
  const path = join(documents, 'space.probe');
  const handles: FileHandle[] = [];
  try {
    const file = await open(path, 'w', 0o600);
    handles.push(file);
    const block = randomBytes(spareBytes);
    const bytes = (await bytesToWrite(documents)) + spareBytes;
    for (let written = 0; written < bytes; written += block.length) await file.writeFile(block);
    await file.sync();
    // A journal that can't be opened for want of a handle is passed over by LevelDB, and lost.
    while (handles.length < spareHandles) handles.push(await open(path));
  } finally {
    for (const handle of handles) await handle.close().catch(() => {});
    await rm(path, { force: true }).catch(() => {});
  }
}

async function bytesToWrite(documents: string): Promise<number> {
  const names = (await readdir(documents)).filter((name) => /^MANIFEST-|\.log$/.test(name));
  const sizes = await Promise.all(names.map((name) => sizeOf(join(documents, name))));
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** LevelDB takes files away at any time. */
async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (isMissing(error)) return 0;
    throw error;
  }
}
