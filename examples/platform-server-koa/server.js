// The product of ../platform-server in Koa: its people, pages and WebSocket know no framework and are taken from there.
import { randomBytes, randomUUID } from 'node:crypto';
import { createServer, ServerResponse } from 'node:http';
import { fileURLToPath } from 'node:url';
import Router from '@koa/router';
import { attachWebSocket } from 'headgate/http';
import { koaMiddleware } from 'headgate/koa';
import { openGateway } from 'headgate-example-platform-server/gateway.js';
import { liveClock } from 'headgate-example-platform-server/live.js';
import { identityOf, login, personOf } from 'headgate-example-platform-server/people.js';
import Koa from 'koa';
import { koaBody } from 'koa-body';
import { createSession } from 'koa-session';
import serve from 'koa-static';

const app = new Koa();
app.keys = [process.env.SESSION_SECRET ?? randomBytes(32).toString('hex')];

// Kept here and not in the cookie, so that a logout ends what somebody may have copied.
const kept = new Map();
const sessions = createSession(
  {
    key: 'product.sid',
    sameSite: 'strict',
    genid: () => randomUUID(),
    store: {
      get: async (id) => kept.get(id),
      set: async (id, value) => void kept.set(id, value),
      destroy: async (id) => void kept.delete(id),
    },
  },
  app,
);

/** The request of a WebSocket has not come through Koa: its session is read here. */
async function personBehind(request) {
  const context = request.session ? request : app.createContext(request, new ServerResponse(request));
  if (context !== request) await sessions(context, async () => {});
  return personOf(context.session?.userName);
}

const gateway = await openGateway(async (request) => identityOf(await personBehind(request)));

const api = new Router({ prefix: '/api' });
api.post('/login', (context) => {
  const person = login(context.request.body);
  if (!person) return context.throw(401);
  // A new session: one that was there before login may be somebody else's plant.
  context.session.regenerate();
  context.session.userName = person.name;
  context.body = { name: person.name, groups: person.groups };
});
api.post('/logout', (context) => {
  context.session = null;
  context.status = 204;
});
api.get('/me', (context) => {
  const person = personOf(context.session.userName);
  if (!person) return context.throw(401);
  context.body = { name: person.name, groups: person.groups };
});

// In front of everything. JSON only: uploads are the gateway's, as they come.
app.use(koaBody({ text: false, urlencoded: false, multipart: false }));
app.use(sessions);
app.use(koaMiddleware(gateway, { prefix: '/streams' }));
app.use(api.routes());
const pages = new URL('./public', import.meta.resolve('headgate-example-platform-server/server.js'));
app.use(serve(fileURLToPath(pages)));

const server = createServer(app.callback());
const live = liveClock(server, personBehind);
const detach = attachWebSocket(server, gateway, { prefix: '/streams' });
server.listen(Number(process.env.PORT ?? 3000), '127.0.0.1', () =>
  console.log(`listening on http://127.0.0.1:${server.address().port}`),
);
process.once('SIGTERM', async () => {
  live.close();
  detach();
  server.close();
  server.closeAllConnections();
  await gateway.close();
});
