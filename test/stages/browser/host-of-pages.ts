import { createReadStream } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join } from 'node:path';
import { passwordSessions } from '../../../adapters/auth/password.js';
import { attachWebSocket, httpHandler } from '../../../adapters/host/http.js';
import { memoryStorage } from '../../../adapters/storage/memory.js';
import { createGateway } from '../../../lib/index.js';
import { emptyCluster } from '../../helpers/empty-cluster.js';
import { loggerInto } from '../../helpers/gateway.js';
import { listening } from '../../helpers/listening.js';

const types: Readonly<Record<string, string>> = { '.html': 'text/html', '.js': 'text/javascript' };

/** A product that serves the files of a folder, and a gateway below `/streams`. */
export async function hostOfPages(
  t: { teardown(close: () => Promise<void>): unknown },
  folder: string,
): Promise<{ baseUrl: string }> {
  const prefix = '/streams';
  const gateway = await createGateway({
    storage: memoryStorage(),
    cluster: emptyCluster(),
    auth: passwordSessions({ cookie: { path: prefix } }),
    initialAdmin: { password: 'correct-horse' },
    logger: loggerInto([]),
  });
  const handle = httpHandler(gateway, { prefix });
  const server = createServer(async (request, response) => {
    if (await handle(request, response)) return;
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    const file = createReadStream(join(folder, pathname));
    file.on('open', () => {
      response.setHeader('content-type', types[extname(pathname)] ?? 'application/octet-stream');
      file.pipe(response);
    });
    file.on('error', () => response.writeHead(404).end());
  });
  const detach = attachWebSocket(server, gateway, { prefix });
  const { baseUrl, close } = await listening(server);
  t.teardown(async () => {
    detach();
    await gateway.close();
    await close();
  });
  return { baseUrl };
}
