import { createServer } from 'node:http';
import { httpHandler } from '../../adapters/host/http.js';
import { attachWebSocket } from '../../adapters/host/ws.js';
import { memoryStorage } from '../../adapters/storage/memory.js';
import { createGateway } from '../../lib/index.js';
import { flinkCluster } from '../../packages/flink/index.js';
import { yarnCluster } from '../../packages/yarn/index.js';
import { listening } from '../../test/helpers/listening.js';

// A gateway over a double, which tells what it costs; and, asked for it, the least that a list can cost.

const [, , kind, manager = '', files = ''] = process.argv;
/** Where the list is, and how often it is asked for. */
const list =
  kind === 'flink'
    ? { path: '/jobs/overview', everyMillis: 3000 }
    : { path: '/ws/v1/cluster/apps', everyMillis: 1000 };

const gateway = await createGateway({
  storage: memoryStorage(),
  cluster:
    kind === 'flink'
      ? flinkCluster({ jobManagers: manager })
      : yarnCluster({ resourceManager: manager, files }),
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
let mostBytes = 0;
/** What stays after a collection would be of no use here: it is the most that is held at once. */
setInterval(() => {
  mostBytes = Math.max(mostBytes, process.memoryUsage.rss());
}, 20).unref();
process.on('message', (order) => {
  clearInterval(bare);
  if (order === 'bare')
    bare = setInterval(async () => {
      const answer = await fetch(manager + list.path);
      JSON.parse(await answer.text());
    }, list.everyMillis);
  const { user, system } = process.cpuUsage(since);
  since = process.cpuUsage();
  process.send?.({ cpuMillis: (user + system) / 1000, megabytes: mostBytes / 1024 / 1024 });
  mostBytes = process.memoryUsage.rss();
});
process.send?.({ baseUrl });
process.on('disconnect', () => process.exit(0));
