import { createHash } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import express from 'express';
import express4 from 'express4';
import t from 'tap';
import { expressMiddleware } from '../../../adapters/host/express.js';
import { inFrontOf } from '../../../adapters/host/http.js';
import { createProbe } from '../../../lib/host-probe.js';
import { exchange } from '../../../packages/contracts/host-wire.js';
import { hostContract } from '../../../packages/contracts/index.js';
import { newGateway } from '../../helpers/gateway.js';
import { hostOf, hostOn, notTheGateway } from '../../helpers/hosts.js';

for (const [name, make] of Object.entries({ 'Express 5': express, 'Express 4': express4 })) {
  t.test(name, async (t) => {
    await hostContract(t, {
      start(gateway) {
        const app = make();
        app.use(expressMiddleware(gateway));
        app.use(notTheGateway);
        return hostOf(gateway, app);
      },
    });
  });

  t.test(`${name} after its body parser`, async (t) => {
    await hostContract(t, {
      parses: ['application/json'],
      start(gateway) {
        const app = make();
        app.use(make.json({ limit: '1mb' }));
        app.use(expressMiddleware(gateway));
        app.use(notTheGateway);
        app.use(quietly);
        return hostOf(gateway, app);
      },
    });
  });

  t.test(`${name} at a path`, async (t) => {
    await hostContract(t, {
      start(gateway) {
        const app = make();
        app.use('/console', expressMiddleware(gateway));
        app.use(notTheGateway);
        return hostOf(gateway, app, '/console');
      },
    });
  });
}

t.test('Express behind the gateway', async (t) => {
  await hostContract(t, {
    start(gateway) {
      const app = express();
      app.use(notTheGateway);
      const server = createServer(app);
      inFrontOf(server, gateway, { prefix: '/console' });
      return hostOn(server, gateway, '/console');
    },
  });
});

t.test('a parser that keeps the bytes spoils no upload', async (t) => {
  const app = express();
  app.use(express.raw({ type: '*/*' }));
  const { gateway } = createProbe();
  app.use(expressMiddleware(gateway));
  const host = await hostOf(gateway, app);
  t.teardown(host.close);
  const body = Buffer.from([0, 255, 128, 7]);
  const answer = await exchange(host.baseUrl, { method: 'POST', path: '/ws/v2/probe/uploads', body });
  t.same(answer.json(), { size: 4, digest: createHash('sha256').update(body).digest('hex') });
});

t.test('the host’s session is there for its authenticator', async (t) => {
  const sessionOf = (raw: unknown) =>
    typeof raw === 'object' && raw !== null && 'session' in raw ? String(raw.session) : undefined;
  const { gateway } = await newGateway(t, {
    auth: {
      async authenticate({ raw }) {
        const userName = sessionOf(raw);
        return userName === undefined ? undefined : { userName, roles: ['admin'] };
      },
    },
  });
  const app = express();
  app.use((req, _res, next) => {
    Object.assign(req, { session: 'ann' });
    next();
  });
  app.use(expressMiddleware(gateway));
  const host = await hostOf(gateway, app);
  t.teardown(host.close);
  t.equal((await fetch(`${host.baseUrl}/ws/v2/capabilities`)).status, 200);
});

/** Express prints errors of its parsers otherwise. It tells error handlers by their four parameters. */
const quietly = (error: { status?: number }, _req: unknown, res: ServerResponse, _next: unknown) => {
  res.writeHead(error.status ?? 500).end();
};
