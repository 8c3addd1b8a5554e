import { createWriteStream } from 'node:fs';
import { open, rename } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { filesystemStorage } from '../../adapters/storage/filesystem.js';
import { arrivingArchives } from '../../lib/features/app-packages/archive/arriving.js';
import { openWatch } from '../loop/watch.js';

const { checkedWhileArriving } = arrivingArchives();

// A process of its own: takes uploads the bare way and ours, and tells how long its event loop stood.

const directory = process.argv[2] ?? '';
const storage = await filesystemStorage({ directory: join(directory, 'storage') });
let count = 0;

/** To a file and renamed into place; with `sync` as durable as ours. */
async function bare(body: NodeJS.ReadableStream, sync: boolean): Promise<void> {
  const path = join(directory, `upload-${count++}`);
  await pipeline(body, createWriteStream(path));
  if (sync) {
    const file = await open(path);
    await file.sync();
    await file.close();
  }
  await rename(path, join(directory, 'uploaded'));
}

const server = createServer((request, response) => {
  const kept =
    request.url === '/ours'
      ? storage.blobs.write(`package-${count++ % 4}`, checkedWhileArriving(request).content)
      : bare(request, request.url === '/bare-sync');
  kept.then(
    () => response.end('{}'),
    (error: unknown) => response.writeHead(500).end(String(error)),
  );
});
const watch = openWatch();
process.on('message', async (message) => {
  process.send?.(message === 'start' ? watch.start() : await watch.stop());
});
process.on('disconnect', async () => {
  await storage.close();
  process.exit();
});
server.listen(0, '127.0.0.1', () => process.send?.(server.address()));
