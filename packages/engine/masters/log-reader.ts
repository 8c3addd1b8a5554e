import { constants } from 'node:fs';
import { type FileHandle, lstat, open, opendir } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { collectionOf } from '@headgate/history';
import { type LogInfo, type LogReader, NotFound, type OpenLog, owned } from 'headgate/driver-kit';
import { isMasterId } from '../model/ids.js';

/** Files of one container that are listed; its operators could make any number. */
const maxListed = 1000;

/**
 * The logs of an application's containers, that of its master among them: plain files below `containers/{id}`, whoever
 * wrote them. Operators run as the same user, so links, pipes and devices among them are not followed. `settled`: what
 * the master wrote is on disk.
 */
export function logReader(
  applicationDirectory: string,
  settled: () => Promise<void> = async () => {},
): LogReader {
  /** Names are checked before they become part of a path. */
  async function folderOf(containerId: string): Promise<string> {
    const folder = join(applicationDirectory, 'containers', containerId);
    if (isMasterId(containerId)) await settled();
    if (isContainerId(containerId) && (await isFolder(folder))) return folder;
    throw new NotFound('container', containerId);
  }

  return {
    async list(containerId) {
      return listFiles(await folderOf(containerId));
    },
    async open(containerId, logName) {
      if (!isLogName(logName)) throw new NotFound('log', logName);
      const path = join(await folderOf(containerId), logName);
      const file = await open(path, readPlainFile).catch(notFoundIf(['ENOENT', 'ELOOP', 'ENXIO'], logName));
      const status = await file.stat();
      if (status.isFile()) return openLog(file, status.size);
      await file.close();
      throw new NotFound('log', logName);
    },
    collectionOf,
  };
}

/** Neither through a link, nor waiting for the other end of a pipe. Windows has neither flag. */
const readPlainFile = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

const isContainerId = (id: string) => /^container_[0-9_]{1,100}$/.test(id);
const isLogName = (name: string) => /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/.test(name);

async function listFiles(folder: string): Promise<LogInfo[]> {
  const found: LogInfo[] = [];
  for await (const { name } of await opendir(folder)) {
    if (found.length >= maxListed) break;
    if (!isLogName(name)) continue;
    const status = await lstat(join(folder, name)).catch(() => undefined);
    if (status?.isFile()) found.push({ name, length: status.size });
  }
  return found.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** The descriptor goes on with the file through rotation and removal. */
function openLog(file: FileHandle, length: number): OpenLog {
  let closing: Promise<void> | undefined;
  return {
    length,
    read: (start, end) =>
      owned(Readable.from(bytesOf(file, start, end), { objectMode: false, highWaterMark: chunkBytes })),
    close: () => {
      closing ??= file.close();
      return closing;
    },
  };
}

const chunkBytes = 128 * 1024;

/** Not a stream of `fs`: that closes the handle with itself. */
async function* bytesOf(file: FileHandle, start: number, end: number): AsyncGenerator<Buffer> {
  for (let at = start; at < end; ) {
    const length = Math.min(chunkBytes, end - at);
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(length), 0, length, at);
    if (bytesRead === 0) throw new Error('The log was cut short while it was being read');
    yield buffer.subarray(0, bytesRead);
    at += bytesRead;
  }
}

const isFolder = async (path: string) => (await lstat(path).catch(() => undefined))?.isDirectory() ?? false;

const notFoundIf = (codes: readonly string[], logName: string) => (error: unknown) => {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  throw codes.includes(code) ? new NotFound('log', logName) : error;
};
