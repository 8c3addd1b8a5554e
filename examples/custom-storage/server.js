import { createServer } from 'node:http';
import { localCluster } from '@headgate/engine';
import { createGateway } from 'headgate';
import { passwordSessions } from 'headgate/auth/password';
import { attachWebSocket, httpHandler } from 'headgate/http';
import { sqliteStorage } from './sqlite-storage.js';

const gateway = await createGateway({
  storage: sqliteStorage(process.env.DATABASE ?? 'headgate.sqlite'),
  cluster: localCluster({ directory: process.env.ENGINE ?? 'engine' }),
  auth: passwordSessions(),
  initialAdmin: { password: process.env.ADMIN_PASSWORD ?? 'change me soon' },
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
