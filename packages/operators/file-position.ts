import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open, readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import * as z from 'zod';

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

/** The identity as far as the file has been written now. */
export async function identify(handle: FileHandle): Promise<FileIdentity> {
  return { ...(await inodeOf(handle)), head: digested(await beginning(handle, headBytes)) };
}

type Inode = Pick<FileIdentity, 'device' | 'inode'>;

async function inodeOf(handle: FileHandle): Promise<Inode> {
  const { dev, ino } = await handle.stat({ bigint: true });
  return { device: String(dev), inode: String(ino) };
}

export const sameInode = (a: Inode, b: Inode): boolean => a.device === b.device && a.inode === b.inode;

async function beginning(handle: FileHandle, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, 0);
  return buffer.subarray(0, bytesRead);
}

const digested = (head: Buffer): FileIdentity['head'] => ({
  length: head.length,
  hash: createHash('sha256').update(head).digest('base64'),
});

const nothing = Buffer.alloc(0);

/** Whether this open file is the one of the position, and still at least as long. */
export async function isFileOf(handle: FileHandle, position: FilePosition): Promise<boolean> {
  if (!sameInode(await inodeOf(handle), position.file)) return false;
  return (await stillThat(handle, position, nothing)) !== undefined;
}

/**
 * The identity with what `chunk`, read at `offset`, says of the head; `undefined` when that was cut off since it was
 * known, also when it is as long again by now. To be asked after the read: what was read may be the middle of other content.
 */
export async function stillThat(
  handle: FileHandle,
  { file, offset }: FilePosition,
  chunk: Buffer,
): Promise<FileIdentity | undefined> {
  const end = offset + chunk.length;
  if ((await handle.stat()).size < end) return undefined;
  const head = await beginning(handle, Math.max(file.head.length, Math.min(headBytes, end)));
  const isOld = digested(head.subarray(0, file.head.length)).hash === file.head.hash;
  // A head that came with this very chunk is that of the same content.
  const inBoth = head.subarray(offset, end);
  const isNew = inBoth.equals(chunk.subarray(0, inBoth.length));
  return isOld && isNew ? { ...file, head: digested(head) } : undefined;
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
