// Koa with koa-session: who is logged in at the host is logged in at the gateway.
import { randomBytes, randomUUID } from 'node:crypto';
import { createServer, ServerResponse } from 'node:http';
import { fromHost } from 'headgate/auth/from-host';
import { koaMiddleware } from 'headgate/koa';
import Koa from 'koa';
import { koaBody } from 'koa-body';
import { createSession } from 'koa-session';
import { gatewayFor, identityOf, login, personOf, serve } from './host.js';

const app = new Koa();
app.keys = [randomBytes(32).toString('hex')];

// Kept here and not in the cookie, so that a logout ends what somebody may have copied.
const kept = new Map();
const sessions = createSession(
  {
    key: 'host.sid',
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
async function sessionOf(raw) {
  if (raw.session) return raw.session;
  const context = app.createContext(raw, new ServerResponse(raw));
  let found;
  await sessions(context, async () => {
    found = context.session;
  });
  return found;
}

const gateway = await gatewayFor(
  fromHost(async (raw) => {
    const session = await sessionOf(raw);
    return identityOf(personOf(session?.userName));
  }),
);

app.use(sessions);
app.use(koaMiddleware(gateway));
app.use(koaBody());
app.use((context) => {
  if (context.method !== 'POST') return;
  if (context.path === '/host/logout') context.session = null;
  else if (context.path === '/host/login') {
    const person = login(context.request.body);
    if (!person) {
      context.status = 401;
      return;
    }
    // A new session: one that was there before login may be somebody else's plant.
    context.session.regenerate();
    context.session.userName = person.name;
  } else return;
  context.status = 204;
});

await serve(createServer(app.callback()), gateway);
