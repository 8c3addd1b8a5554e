import { createReadStream } from 'node:fs';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { type OpenLog, owned } from 'headgate/driver-kit';

/** A log that comes only as a whole, in a file of its own until it is closed. */
export async function copyToDisk(
  content: Readable,
  maxBytes: number,
  tooLarge: () => Error,
): Promise<OpenLog> {
  const folder = await mkdtemp(join(tmpdir(), 'headgate-log-'));
  const path = join(folder, 'log');
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    const length = await write(content, path, maxBytes, tooLarge);
    return {
      length,
      read: (start, end) =>
        start < end ? owned(createReadStream(path, { start, end: end - 1 })) : owned(Readable.from([])),
      close: remove,
    };
  } catch (error) {
    content.destroy();
    await remove();
    throw error;
  }
}

async function write(
  content: Readable,
  path: string,
  maxBytes: number,
  tooLarge: () => Error,
): Promise<number> {
  const file = await open(path, 'wx', 0o600);
  try {
    let length = 0;
    for await (const chunk of content) {
      const bytes = Buffer.from(chunk);
      length += bytes.length;
      if (length > maxBytes) throw tooLarge();
      // All of it: `write` may take less on a disk that becomes full, and the copy would end in the middle.
      await file.writeFile(bytes);
    }
    return length;
  } finally {
    await file.close();
  }
}
