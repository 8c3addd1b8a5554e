// A product with its own login, pages, API and WebSocket; the gateway is a guest in it, under /streams.
import { randomBytes } from 'node:crypto';
import { createServer, ServerResponse } from 'node:http';
import { fileURLToPath } from 'node:url';
import express from 'express';
import session from 'express-session';
import { expressMiddleware } from 'headgate/express';
import { attachWebSocket } from 'headgate/http';
import { openGateway } from './gateway.js';
import { liveClock } from './live.js';
import { identityOf, login, personOf } from './people.js';

const sessions = session({
  secret: process.env.SESSION_SECRET ?? randomBytes(32).toString('hex'),
  name: 'product.sid',
  resave: false,
  saveUninitialized: false,
  cookie: { sameSite: 'strict' },
});

/** The request of a WebSocket has not come through Express: its session is read here. */
async function personBehind(request) {
  if (!request.session)
    await new Promise((resolve, reject) => {
      sessions(request, new ServerResponse(request), (error) => (error ? reject(error) : resolve()));
    });
  return personOf(request.session.userName);
}

const gateway = await openGateway(async (request) => identityOf(await personBehind(request)));

const app = express();
app.use(express.json()); // in front of everything: the gateway takes what was parsed
app.use(sessions);
app.use('/streams', expressMiddleware(gateway));
app.use(express.static(fileURLToPath(new URL('./public', import.meta.url))));

app.post('/api/login', (request, response, next) => {
  const person = login(request.body);
  if (!person) return response.sendStatus(401);
  // A new session: one that was there before login may be somebody else's plant.
  request.session.regenerate((error) => {
    if (error) return next(error);
    request.session.userName = person.name;
    response.json({ name: person.name, groups: person.groups });
  });
});
app.post('/api/logout', (request, response) => {
  request.session.destroy(() => response.sendStatus(204));
});
app.get('/api/me', (request, response) => {
  const person = personOf(request.session.userName);
  if (!person) return response.sendStatus(401);
  response.json({ name: person.name, groups: person.groups });
});

const server = createServer(app);
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
