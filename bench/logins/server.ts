import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { passwordSessions } from '../../adapters/auth/password.js';
import { httpHandler } from '../../adapters/host/http.js';
import { filesystemStorage } from '../../adapters/storage/filesystem.js';
import { createGateway } from '../../lib/index.js';
import { emptyCluster } from '../../test/helpers/empty-cluster.js';
import { openWatch } from '../loop/watch.js';

// A gateway with accounts, on files, in a process of its own. Between `start` and `stop` it watches its event loop; then it
// tells the longest stop, and its heap after a collection where `--expose-gc` allows one.

const directory = mkdtempSync(join(tmpdir(), 'headgate-logins-'));
const gateway = await createGateway({
  storage: await filesystemStorage({ directory }),
  cluster: emptyCluster(),
  auth: passwordSessions(),
  initialAdmin: { password: 'the right one' },
});
const handle = httpHandler(gateway);
const server = createServer((req, res) => void handle(req, res));

const watch = openWatch();
process.on('message', async (message) => {
  if (message === 'start') {
    watch.start();
    process.send?.({});
    return;
  }
  const stop = await watch.stop();
  globalThis.gc?.();
  process.send?.({ stop, heapMiB: process.memoryUsage().heapUsed / 1024 ** 2 });
});
process.on('disconnect', async () => {
  await gateway.close();
  rmSync(directory, { recursive: true });
  process.exit();
});
server.listen(0, '127.0.0.1', () => process.send?.(server.address()));
