import { createServer } from 'node:http';
import { httpHandler } from '../../adapters/host/http.js';
import { attachWebSocket } from '../../adapters/host/ws.js';
import { memoryStorage } from '../../adapters/storage/memory.js';
import { createGateway } from '../../lib/index.js';
import { yarnCluster } from '../../packages/yarn/index.js';
import { listening } from '../../test/helpers/listening.js';

// A gateway over the double, which tells what it costs; and, asked for it, the least that a list can cost.

const [, , resourceManager = '', files = ''] = process.argv;
const gateway = await createGateway({
  storage: memoryStorage(),
  cluster: yarnCluster({ resourceManager, files }),
  auth: 'none',
});
const handle = httpHandler(gateway);
const server = createServer(async (req, res) => {
  await handle(req, res);
});
attachWebSocket(server, gateway);
const { baseUrl } = await listening(server);

let since = process.cpuUsage();
let bare: NodeJS.Timeout | undefined;
process.on('message', (order) => {
  clearInterval(bare);
  if (order === 'bare')
    bare = setInterval(async () => {
      const answer = await fetch(`${resourceManager}/ws/v1/cluster/apps`);
      JSON.parse(await answer.text());
    }, 1000);
  const { user, system } = process.cpuUsage(since);
  since = process.cpuUsage();
  process.send?.({ cpuMillis: (user + system) / 1000 });
});
process.send?.({ baseUrl });
process.on('disconnect', () => process.exit(0));
