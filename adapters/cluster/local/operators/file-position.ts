import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open, readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';

/**
 * Which file, whatever its name is now. An inode number is used again soon after a file was deleted, so the first
 * bytes tell two files apart.
 */
export const FileIdentity = z.object({
  device: z.string(),
  inode: z.string(),
  head: z.object({ length: z.number(), hash: z.string() }),
});
export type FileIdentity = z.output<typeof FileIdentity>;

/** How far a file was read: what a checkpoint keeps. */
export const FilePosition = z.object({ file: FileIdentity, offset: z.number() });
export type FilePosition = z.output<typeof FilePosition>;

const headBytes = 256;

/** Opens a path that has no links: one that has come since is refused. */
export const openReal = (path: string): Promise<FileHandle> =>
  open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));

/** The identity as far as the file has been written now; asked again while the head is short. */
export async function identify(handle: FileHandle): Promise<FileIdentity> {
  const { dev, ino } = await handle.stat({ bigint: true });
  return { device: String(dev), inode: String(ino), head: await headOf(handle, headBytes) };
}

export const isHeadShort = ({ head }: FileIdentity): boolean => head.length < headBytes;

async function headOf(handle: FileHandle, length: number): Promise<FileIdentity['head']> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, 0);
  return {
    length: bytesRead,
    hash: createHash('sha256').update(buffer.subarray(0, bytesRead)).digest('base64'),
  };
}

export const sameInode = (a: FileIdentity, b: FileIdentity): boolean =>
  a.device === b.device && a.inode === b.inode;

/** Whether this open file is the one of the position, and still at least as long. */
export async function isFileOf(handle: FileHandle, { file, offset }: FilePosition): Promise<boolean> {
  if (!sameInode(await identify(handle), file)) return false;
  if ((await handle.stat()).size < offset) return false;
  return (await headOf(handle, file.head.length)).hash === file.head.hash;
}

/** Opens the file of a position under whatever name it has in the directory of `path` by now. */
export async function openRenamed(path: string, position: FilePosition): Promise<FileHandle | undefined> {
  const entries = await readdir(dirname(path), { withFileTypes: true }).catch(() => []);
  // A rotated file keeps the beginning of its name: `access.log.1`, `access-2026-11-21.log`.
  const stem = basename(path).split('.')[0] ?? '';
  for (const entry of entries) {
    if (!entry.isFile() || !entry.name.startsWith(stem)) continue;
    const handle = await openReal(join(dirname(path), entry.name)).catch(() => undefined);
    if (handle && (await isFileOf(handle, position).catch(() => false))) return handle;
    await handle?.close();
  }
  return undefined;
}
