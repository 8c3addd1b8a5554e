import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { httpHandler } from '../../adapters/host/http.js';
import { attachWebSocket } from '../../adapters/host/ws.js';
import { createGateway } from '../../lib/index.js';
import { logReader } from '../../packages/engine/masters/log-reader.js';
import { filesystemStorage } from '../../packages/level/index.js';
import { faultyCluster } from '../../test/doubles/cluster.js';
import { openWatch } from './watch.js';

// A whole gateway in a process of its own, on files, with one application that has a log of 100 MB. Tells its port by IPC; between `start` and `stop` it watches its
// event loop and tells the longest stop.

const directory = mkdtempSync(join(tmpdir(), 'headgate-loop-'));
const folder = join(directory, 'app/containers/container_1_01_000002');
mkdirSync(folder, { recursive: true });
const line =
  '2026-11-21 12:00:00,000 [main] INFO  org.example.Parser - a line like any other, of some length\n';
writeFileSync(join(folder, 'large.log'), line.repeat(Math.ceil(100_000_000 / line.length)));
const gateway = await createGateway({
  storage: await filesystemStorage({ directory }),
  cluster: faultyCluster([{ id: 'app_1' }], { logs: logReader(join(directory, 'app')) }),
  auth: 'none',
});
const handle = httpHandler(gateway);
const server = createServer((req, res) => void handle(req, res));
attachWebSocket(server, gateway);

const watch = openWatch();
process.on('message', async (message) => {
  process.send?.(message === 'start' ? watch.start() : await watch.stop());
});
process.on('disconnect', async () => {
  await gateway.close();
  rmSync(directory, { recursive: true });
  process.exit();
});
server.listen(0, '127.0.0.1', () => process.send?.(server.address()));
