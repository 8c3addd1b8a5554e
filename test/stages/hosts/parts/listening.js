import { once } from 'node:events';
import { echoAt } from './echo.js';

/** A host's server of Node on a free port, with a WebSocket of the host's own before the gateway's, or after it. */
export async function listening(server, { order, attach }) {
  if (order === 'before') attach(server);
  echoAt(server);
  if (order === 'after') attach(server);
  if (!server.listening) server.listen(0, '127.0.0.1');
  if (!server.listening) await once(server, 'listening');
  return {
    server,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
