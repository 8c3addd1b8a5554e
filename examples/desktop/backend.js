import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { localCluster } from '@headgate/engine';
import { filesystemStorage } from '@headgate/level';
import { createGateway } from 'headgate';
import { fromHost } from 'headgate/auth/from-host';
import { attachWebSocket, httpHandler } from 'headgate/http';
import { environmentOfConditions, environmentOfContainers } from './as-node.js';
import { fileOf } from './files.js';
import { oneWindow } from './one-window.js';

const owner = { userName: 'me', roles: ['admin'] };
const pages = new Map([
  ['/', ['public/index.html', 'text/html; charset=utf-8']],
  ['/page.js', ['public/page.js', 'text/javascript']],
]);

/** Streams, on a port that nobody else knows and that answers one window only. */
export async function openBackend(directory) {
  const door = oneWindow();
  const gateway = await createGateway({
    storage: await filesystemStorage({ directory: join(directory, 'storage') }),
    cluster: localCluster({
      directory: join(directory, 'engine'),
      operators: [fileOf('operators.mjs')],
      env: environmentOfContainers,
    }),
    auth: fromHost((request) => door.isOurs(request) && owner),
    alerts: { scripts: { env: environmentOfConditions } },
  });
  await gateway.launch({ user: owner.userName, name: 'Memory', application: memory });

  const handle = httpHandler(gateway);
  const server = createServer((request, response) => {
    handle(request, response, async () => {
      const { pathname, searchParams } = new URL(request.url, 'http://here');
      if (pathname === '/' && searchParams.has('token'))
        return door.enter(searchParams.get('token'), response);
      const [file, type] = pages.get(pathname) ?? [];
      if (!file || !door.isOurs(request)) return response.writeHead(file ? 401 : 404).end();
      response.setHeader('content-type', type);
      response.end(await readFile(fileOf(file)));
    });
  });
  const detach = attachWebSocket(server, gateway);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  return {
    /** For the window, once. */
    url: () => `http://127.0.0.1:${server.address().port}/?token=${door.token}`,
    async close() {
      detach();
      server.close();
      server.closeAllConnections();
      await gateway.close();
    },
  };
}

/** What this process uses, second by second, published for the page. */
const memory = {
  operators: [
    { name: 'meter', class: 'desktop.MemoryMeter', properties: { intervalMillis: 500 } },
    { name: 'page', class: 'headgate.io.HubOutput', properties: { topic: 'desktop.memory' } },
  ],
  streams: [
    {
      source: { operatorName: 'meter', portName: 'output' },
      sinks: [{ operatorName: 'page', portName: 'input' }],
    },
  ],
};
