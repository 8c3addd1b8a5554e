import { once } from 'node:events';
import type { Server } from 'node:http';
import { ownPort } from './ports.js';

/** A server on that port of the loopback, or on one that stays its own. Closing it ends connections that are still open. */
export async function listening(
  server: Server,
  port?: number,
): Promise<{ baseUrl: string; close(): Promise<void> }> {
  // After Node's five seconds a busy process may close a connection in the very moment in which its own client sends again.
  server.keepAliveTimeout = 60_000;
  server.listen(port ?? (await ownPort()), '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port');
  return {
    baseUrl: `http://127.0.0.1:${address.port}`,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
