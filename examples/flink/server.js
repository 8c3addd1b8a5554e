// A product with a page of its own, behind which the jobs of a Flink run: its people see them live, and those who may stop them.
import { randomBytes } from 'node:crypto';
import { createServer, ServerResponse } from 'node:http';
import { flinkCluster } from '@headgate/flink';
import express from 'express';
import session from 'express-session';
import { createGateway } from 'headgate';
import { fromHost } from 'headgate/auth/from-host';
import { expressMiddleware } from 'headgate/express';
import { attachWebSocket } from 'headgate/http';
import { memoryStorage } from 'headgate/storage/memory';

const { JOB_MANAGER = 'http://127.0.0.1:8081', PORT = '3000' } = process.env;

// The product's own users, and their roles at the gateway: an operator sees all jobs and changes none. What was submitted to Flink
// itself belongs to ada.
const people = new Map([
  ['ada', { password: 'analytical', roles: ['admin'] }],
  ['bob', { password: 'builder', roles: ['operator'] }],
]);

const sessions = session({
  secret: randomBytes(32).toString('hex'),
  resave: false,
  saveUninitialized: false,
  cookie: { sameSite: 'strict' },
});

/** The request of a WebSocket has not come through Express: its session is read here. */
const readSession = (request) =>
  new Promise((resolve, reject) => {
    sessions(request, new ServerResponse(request), (error) => (error ? reject(error) : resolve()));
  });

const prefix = '/streams';
const gateway = await createGateway({
  storage: memoryStorage(),
  cluster: flinkCluster({ jobManagers: JOB_MANAGER, user: 'ada' }),
  auth: fromHost(async (request) => {
    if (!request.session) await readSession(request);
    const { userName } = request.session;
    return people.has(userName) ? { userName, roles: people.get(userName).roles } : undefined;
  }),
});

const app = express();
app.use(sessions);
app.use(expressMiddleware(gateway, { prefix }));
app.post('/login', express.json(), (request, response, next) => {
  const { userName, password } = request.body ?? {};
  if (!people.has(userName) || people.get(userName).password !== password) return response.sendStatus(401);
  // A new session: one that was there before the login may be somebody else's plant.
  request.session.regenerate((error) => {
    if (error) return next(error);
    request.session.userName = userName;
    response.sendStatus(204);
  });
});
app.use(express.static(new URL('public', import.meta.url).pathname));

const server = createServer(app);
const detach = attachWebSocket(server, gateway, { prefix });
server.listen(Number(PORT), '127.0.0.1', () =>
  console.log(`listening on http://127.0.0.1:${server.address().port}`),
);
process.once('SIGTERM', async () => {
  detach();
  server.close();
  server.closeAllConnections();
  await gateway.close(); // jobs go on without it
});
