import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { httpHandler } from '../../adapters/host/http.js';
import { attachWebSocket } from '../../adapters/host/ws.js';
import { filesystemStorage } from '../../adapters/storage/filesystem.js';
import { createGateway } from '../../lib/index.js';
import { emptyCluster } from '../../test/helpers/empty-cluster.js';
import { openWatch } from './watch.js';

// A whole gateway in a process of its own, on files. Tells its port by IPC; between `start` and `stop` it watches its
// event loop and tells the longest stop.

const directory = mkdtempSync(join(tmpdir(), 'headgate-loop-'));
const gateway = await createGateway({
  storage: await filesystemStorage({ directory }),
  cluster: emptyCluster(),
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
