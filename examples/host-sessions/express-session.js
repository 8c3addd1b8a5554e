// Express with express-session: who is logged in at the host is logged in at the gateway.
import { randomBytes } from 'node:crypto';
import { createServer, ServerResponse } from 'node:http';
import express from 'express';
import session from 'express-session';
import { fromHost } from 'headgate/auth/from-host';
import { expressMiddleware } from 'headgate/express';
import { gatewayFor, identityOf, login, personOf, serve } from './host.js';

const sessions = session({
  secret: randomBytes(32).toString('hex'),
  name: 'host.sid',
  resave: false,
  saveUninitialized: false,
  cookie: { sameSite: 'strict' },
});

/** The request of a WebSocket has not come through Express: its session is read here. */
const readSession = (request) =>
  new Promise((resolve, reject) => {
    sessions(request, new ServerResponse(request), (error) => (error ? reject(error) : resolve()));
  });

const gateway = await gatewayFor(
  fromHost(async (request) => {
    if (!request.session) await readSession(request);
    return identityOf(personOf(request.session.userName));
  }),
);

const app = express();
app.use(sessions);
app.use(expressMiddleware(gateway));
app.post('/host/login', express.json(), (request, response, next) => {
  const person = login(request.body);
  if (!person) return response.sendStatus(401);
  // A new session: one that was there before login may be somebody else's plant.
  request.session.regenerate((error) => {
    if (error) return next(error);
    request.session.userName = person.name;
    response.sendStatus(204);
  });
});
app.post('/host/logout', (request, response) => {
  request.session.destroy(() => response.sendStatus(204));
});

await serve(createServer(app), gateway);
