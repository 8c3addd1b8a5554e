import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { streamConsole } from '@headgate/console';
import { httpHandler } from '../../adapters/host/http.js';
import { attachWebSocket } from '../../adapters/host/ws.js';
import { memoryStorage } from '../../adapters/storage/memory.js';
import type { ClusterDriver } from '../../lib/driver-kit.js';
import { createGateway } from '../../lib/index.js';
import { manyApplications } from '../topics/source.js';

// The console over a cluster of many applications, each of them with many operators, where something changes each second.

const [applications = 1000, operators = 500] = process.argv.slice(2).map(Number);
/** Operators of the plan that stand side by side. */
const width = 20;

function movingCluster(): ClusterDriver {
  const source = manyApplications(applications, operators);
  const streams = Array.from({ length: operators - width }, (_, index) => ({
    name: `stream ${index + 1}`,
    locality: null,
    source: { operatorName: `operator ${index + 1}`, portName: 'output' },
    sinks: [{ operatorName: `operator ${index + 1 + width}`, portName: 'input' }],
  }));
  const plan = {
    operators: Array.from({ length: operators }, (_, index) => ({
      name: `operator ${index + 1}`,
      class: 'com.example.clicks.CountryCounter',
      attributes: {},
      properties: {},
      ports: (['input', 'output'] as const).map((type) => ({ name: type, type, attributes: {} })),
    })),
    streams,
  };
  let second = 0;
  return {
    ...source,
    resourceManager: {
      ...source.resourceManager,
      async listApplications(filter) {
        second++;
        const reports = await source.resourceManager.listApplications(filter);
        // A tenth of them has moved.
        return reports.map((report, index) =>
          index % 10 === second % 10
            ? { ...report, allocatedMB: 10_240 + second, elapsedTime: report.elapsedTime + second * 1000 }
            : report,
        );
      },
    },
    async master(appId) {
      return { ...(await source.master(appId)), logicalPlan: async () => plan };
    },
  };
}

const gateway = await createGateway({
  storage: memoryStorage(),
  cluster: movingCluster(),
  auth: 'none',
  console: streamConsole(),
});
const handle = httpHandler(gateway);
const server = createServer((req, res) => void handle(req, res));
attachWebSocket(server, gateway);
server.listen(0, '127.0.0.1', () =>
  process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
);
process.on('disconnect', async () => {
  await gateway.close();
  process.exit();
});
