import { createReadStream, createWriteStream } from 'node:fs';
import { open, rename, stat } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { crc32 } from 'node:zlib';
import { httpHandler } from '../../adapters/host/http.js';
import { createGateway } from '../../lib/index.js';
import { jarReader } from '../../packages/jars/index.js';
import { filesystemStorage } from '../../packages/level/index.js';
import { emptyCluster } from '../../test/helpers/empty-cluster.js';
import { openWatch } from '../loop/watch.js';
import { floorUploads } from './floor.js';

// A process of its own: a gateway on files, and beside it the same transfers the bare way. Tells its port by IPC, and
// when it is asked, how long its event loop stood, how far its memory grew, and the processor time it has taken.

const directory = process.argv[2] ?? '';
const gateway = await createGateway({
  storage: await filesystemStorage({ directory: join(directory, 'storage') }),
  cluster: emptyCluster(),
  auth: 'none',
  packages: { jars: jarReader() },
});
const handle = httpHandler(gateway);
const uploaded = join(directory, 'uploaded');
let count = 0;
/** Of what was uploaded, once it was read. */
let uploadedSum: number | undefined;

/** To a file and renamed into place; with `sync` as durable as the gateway's. */
async function take(body: IncomingMessage, sync: boolean): Promise<void> {
  const path = `${uploaded}-${count++}`;
  await pipeline(body, createWriteStream(path));
  if (sync) {
    const file = await open(path);
    await file.sync();
    await file.close();
  }
  await rename(path, uploaded);
  uploadedSum = undefined;
}

/** `isSummed`: a file that the disk has changed is cut off. */
async function give(response: ServerResponse, isSummed: boolean): Promise<void> {
  const { size } = await stat(uploaded);
  response.writeHead(200, { 'content-type': 'application/zip', 'content-length': size });
  const content = createReadStream(uploaded, { highWaterMark: 256 * 1024 });
  let sum = 0;
  if (isSummed) {
    content.on('data', (chunk) => {
      sum = crc32(chunk, sum);
    });
    content.once('end', () => {
      uploadedSum ??= sum;
      if (sum !== uploadedSum) response.destroy();
    });
  }
  content.pipe(response);
}

const takeChecked = floorUploads(`${uploaded}-checked`);

const server = createServer(async (request, response) => {
  if (request.url === '/floor') await takeChecked(request);
  else if (!request.url?.startsWith('/bare')) return void handle(request, response);
  else if (request.method === 'GET') return give(response, request.url === '/bare-summed');
  else await take(request, request.url === '/bare-sync');
  response.end('{}');
});

const rss = () => process.memoryUsage.rss() / 1e6;
let sampling: NodeJS.Timeout | undefined;
let peak = 0;
const sample = () => {
  peak = Math.max(peak, rss());
};

const watch = openWatch();
const orders: Record<string, () => unknown> = {
  watch: () => watch.start(),
  watched: () => watch.stop(),
  // With that of its threads (ms).
  processor() {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e3;
  },
  weigh() {
    peak = rss();
    sampling = setInterval(sample, 5);
    return peak;
  },
  weighed() {
    clearInterval(sampling);
    sample();
    return peak;
  },
};
process.on('message', async (order) => {
  process.send?.(await orders[String(order)]?.());
});
process.on('disconnect', async () => {
  await gateway.close();
  process.exit();
});
server.listen(0, '127.0.0.1', () => process.send?.(server.address()));
