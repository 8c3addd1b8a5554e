import { once } from 'node:events';
import { serve } from '@hono/node-server';
import { createNodeWebSocket } from '@hono/node-ws';
import { Hono } from 'hono';

export const name = 'Hono 4';

export async function start({ order, attach, mount }) {
  const app = new Hono();
  const { injectWebSocket, upgradeWebSocket } = createNodeWebSocket({ app });
  if (mount) {
    app.use(async (c, next) => {
      const { remoteAddress } = c.env.incoming.socket;
      return (await mount.fetch(c.req.raw, { remoteAddress })) ?? next();
    });
  }
  app.get(
    '/own',
    upgradeWebSocket(() => ({ onMessage: ({ data }, socket) => socket.send(String(data)) })),
  );
  app.get('/page', (c) => c.text('own page'));
  app.post('/echo', async (c) => c.json(await c.req.json()));
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
