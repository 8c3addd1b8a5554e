import { once } from 'node:events';
import { serve } from '@hono/node-server';
import { createNodeWebSocket } from '@hono/node-ws';
import { Hono } from 'hono';

export const name = 'Hono with @hono/node-ws';

/** A product whose WebSocket at /own says everything again; `attach` gets its server before or after that is there. */
export async function start(order, attach) {
  const app = new Hono();
  const { injectWebSocket, upgradeWebSocket } = createNodeWebSocket({ app });
  app.get(
    '/own',
    upgradeWebSocket(() => ({ onMessage: ({ data }, socket) => socket.send(String(data)) })),
  );
  app.get('/page', (context) => context.text('own page'));
  const server = serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 });
  if (order === 'before') attach(server);
  injectWebSocket(server);
  if (order === 'after') attach(server);
  await once(server, 'listening');
  return {
    server,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
