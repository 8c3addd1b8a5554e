import { once } from 'node:events';
import { Agent, createServer, get } from 'node:http';
import { text } from 'node:stream/consumers';
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

const agent = new Agent({ keepAlive: true });
const bareAnswer = async (path: string): Promise<unknown> => {
  const asked = get(manager + path, { agent });
  const [answer] = await once(asked, 'response');
  return JSON.parse(await text(answer));
};

let since = process.cpuUsage();
let timer: NodeJS.Timeout | undefined;
let mostBytes = 0;
/** `bare` or, with more of them behind it, the paths that are asked for in each beat; `memory`: what it holds is watched. */
process.on('message', (order: string) => {
  clearInterval(timer);
  const [what, ...paths] = order.split(' ');
  if (what === 'bare')
    timer = setInterval(() => void Promise.all([list.path, ...paths].map(bareAnswer)), list.everyMillis);
  if (what === 'memory')
    timer = setInterval(() => {
      mostBytes = Math.max(mostBytes, process.memoryUsage.rss());
    }, 20);
  const { user, system } = process.cpuUsage(since);
  since = process.cpuUsage();
  process.send?.({ cpuMillis: (user + system) / 1000, megabytes: mostBytes / 1024 / 1024 });
  mostBytes = process.memoryUsage.rss();
});
process.send?.({ baseUrl });
process.on('disconnect', () => process.exit(0));
