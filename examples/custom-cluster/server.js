import { createServer } from 'node:http';
import { createGateway } from 'headgate';
import { attachWebSocket, httpHandler } from 'headgate/http';
import { memoryStorage } from 'headgate/storage/memory';
import { pipelineCluster } from './cluster.js';
import { programs } from './programs.js';

const gateway = await createGateway({
  storage: memoryStorage(),
  cluster: pipelineCluster({ programs }),
  auth: 'none', // everybody may everything: loopback only
});

// The host launches, too: this one is there from the start.
await gateway.launch({
  user: 'host',
  name: 'odd numbers',
  application: {
    operators: [
      { name: 'clock', class: 'Clock', properties: { arguments: [200] } },
      { name: 'odd', class: 'Grep', properties: { arguments: '[13579]$' } },
    ],
    streams: [
      {
        name: 'ticks',
        source: { operatorName: 'clock', portName: 'out' },
        sinks: [{ operatorName: 'odd', portName: 'in' }],
      },
    ],
  },
});

const handle = httpHandler(gateway);
const server = createServer((request, response) =>
  handle(request, response, () => response.writeHead(404).end()),
);
const detach = attachWebSocket(server, gateway);
server.listen(Number(process.env.PORT ?? 3000), '127.0.0.1', () =>
  console.log(`listening on http://127.0.0.1:${server.address().port}`),
);
process.once('SIGTERM', async () => {
  detach();
  server.close();
  server.closeAllConnections();
  await gateway.close();
});
