import { createServer } from 'node:http';
import { configuredAuth } from '../../adapters/auth/configured.js';
import { httpHandler } from '../../adapters/host/http.js';
import { memoryStorage } from '../../adapters/storage/memory.js';
import { createGateway } from '../../lib/index.js';
import { directorySchemes } from '../../packages/directory/index.js';
import { emptyCluster } from '../../test/helpers/empty-cluster.js';
import { openWatch } from '../loop/watch.js';

// A gateway in a process of its own. Tells its port by IPC; between `start` and `stop` it watches its event loop and
// tells the longest stop; `memory` tells its bytes.

const gateway = await createGateway({
  storage: memoryStorage(),
  cluster: emptyCluster(),
  auth: configuredAuth({ schemes: directorySchemes() }),
  initialAdmin: { password: 'the gate is open' },
});
const handle = httpHandler(gateway);
const server = createServer((req, res) => void handle(req, res));
const watch = openWatch();
process.on('message', async (message) => {
  if (message === 'memory') process.send?.(process.memoryUsage().rss);
  else process.send?.(message === 'start' ? watch.start() : await watch.stop());
});
process.on('disconnect', async () => {
  await gateway.close();
  process.exit();
});
server.listen(0, '127.0.0.1', () => process.send?.(server.address()));
