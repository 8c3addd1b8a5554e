import { createServer } from 'node:http';
import { attachWebSocket, httpHandler } from 'headgate/http';
import next from 'next';
import { WebSocketServer } from 'ws';
import { openGateway } from './gateway.mjs';

const gateway = await openGateway();
globalThis.headgate = gateway;
const server = createServer();
const app = next({ dev: false, httpServer: server });
await app.prepare();
const pages = app.getRequestHandler();
const handles = ['', '/console'].map((prefix) => httpHandler(gateway, { prefix }));
server.on('request', async (request, response) => {
  for (const handle of handles) if (await handle(request, response)) return;
  await pages(request, response);
});
attachWebSocket(server, gateway);
new WebSocketServer({ server, path: '/own' }).on('connection', (socket) => {
  socket.on('message', (data) => socket.send(String(data)));
});
attachWebSocket(server, gateway, { prefix: '/console' });
server.listen(0, '127.0.0.1', () =>
  process.stdout.write(`listening on http://127.0.0.1:${server.address().port}\n`),
);
