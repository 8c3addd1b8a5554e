import websocket from '@fastify/websocket';
import Fastify from 'fastify';

export const name = 'Fastify with @fastify/websocket';

/** A product whose WebSocket at /own says everything again; `attach` gets its server before or after that is there. */
export async function start(order, attach) {
  const app = Fastify();
  if (order === 'before') attach(app.server);
  await app.register(websocket);
  app.register(async (scope) => {
    scope.get('/own', { websocket: true }, (socket) => {
      socket.on('message', (data) => socket.send(String(data)));
    });
  });
  app.get('/page', async () => 'own page');
  await app.ready();
  if (order === 'after') attach(app.server);
  await app.listen({ host: '127.0.0.1', port: 0 });
  return { server: app.server, close: () => app.close() };
}
