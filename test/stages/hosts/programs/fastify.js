import websocket from '@fastify/websocket';
import Fastify from 'fastify';

export const name = 'Fastify 5';

export async function start({ order, attach, mount }) {
  const app = Fastify({ forceCloseConnections: true });
  if (mount) {
    app.addHook('onRequest', async (request, reply) => {
      if (await mount.http(request.raw, reply.raw)) return reply.hijack();
    });
  }
  if (order === 'before') attach(app.server);
  await app.register(websocket);
  app.register(async (scope) => {
    scope.get('/own', { websocket: true }, (socket) => {
      socket.on('message', (data) => socket.send(String(data)));
    });
  });
  app.get('/page', async () => 'own page');
  app.post('/echo', async (request) => request.body);
  await app.ready();
  if (order === 'after') attach(app.server);
  await app.listen({ host: '127.0.0.1', port: 0 });
  return { server: app.server, close: () => app.close() };
}
