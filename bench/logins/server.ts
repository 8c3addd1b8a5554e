import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { passwordSessions } from '../../adapters/auth/password.js';
import { httpHandler } from '../../adapters/host/http.js';
import { createGateway } from '../../lib/index.js';
import { filesystemStorage } from '../../packages/level/index.js';
import { emptyCluster } from '../../test/helpers/empty-cluster.js';
import { openWatch } from '../loop/watch.js';
import { bareServer, rightPassword } from './bare.js';

// In a process of its own, a gateway with accounts on files, or with the argument `bare` the least that a server does.
// Between `start` and `stop` it watches its event loop; then it tells what it saw, and its heap after a collection.

/** `hashes`: how many of the next logins the bare server looks at. */
export type Order = { readonly order: 'start'; readonly hashes: number } | { readonly order: 'stop' };

export interface Seen {
  /** Milliseconds that the process held its event loop at the longest, and that the loop stood for any reason. */
  readonly held: number;
  readonly stood: number;
  readonly heapMiB: number;
}

async function gatewayServer(): Promise<{ server: Server; hashNext?: undefined; close(): Promise<void> }> {
  const directory = mkdtempSync(join(tmpdir(), 'headgate-logins-'));
  const gateway = await createGateway({
    storage: await filesystemStorage({ directory }),
    cluster: emptyCluster(),
    auth: passwordSessions(),
    initialAdmin: { password: rightPassword },
  });
  const handle = httpHandler(gateway);
  return {
    server: createServer((req, res) => void handle(req, res)),
    async close() {
      await gateway.close();
      rmSync(directory, { recursive: true });
    },
  };
}

const { server, hashNext, close } =
  process.argv[2] === 'bare' ? { ...bareServer(), close: undefined } : await gatewayServer();

const watch = openWatch();
process.on('message', async (message: Order) => {
  if (message.order === 'start') {
    hashNext?.(message.hashes);
    process.send?.(watch.start());
    return;
  }
  const held = await watch.stop();
  globalThis.gc?.();
  const seen: Seen = { held, stood: watch.stood(), heapMiB: process.memoryUsage().heapUsed / 1024 ** 2 };
  process.send?.(seen);
});
process.on('disconnect', async () => {
  await close?.();
  process.exit();
});
server.listen(0, '127.0.0.1', () => process.send?.(server.address()));
