import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import express from 'express';
import express4 from 'express4';
import { Hono } from 'hono';
import Koa from 'koa';
import t from 'tap';
import { WebSocket } from 'ws';
import { passwordSessions } from '../adapters/auth/password.js';
import { expressMiddleware } from '../adapters/host/express.js';
import { fetchHandler } from '../adapters/host/fetch.js';
import { attachWebSocket, httpHandler, inFrontOf } from '../adapters/host/http.js';
import { koaMiddleware } from '../adapters/host/koa.js';
import { memoryStorage } from '../adapters/storage/memory.js';
import { createGateway, type Gateway, type GatewayOptions, type TrustProxy } from '../lib/index.js';
import { adminPassword } from './helpers/accounts.js';
import { emptyCluster } from './helpers/empty-cluster.js';
import { type LogLine, loggerInto } from './helpers/gateway.js';
import { makeHashesCheap } from './helpers/hashes.js';
import { listening } from './helpers/listening.js';

makeHashesCheap();

// What every door makes of the headers of proxies. How far a list is believed: test/lib/http/trusted-proxies.test.ts.

const hosts: Readonly<Record<string, (gateway: Gateway) => Server>> = {
  'plain http': (gateway) => {
    const handle = httpHandler(gateway);
    return createServer((req, res) => void handle(req, res, () => res.writeHead(404).end()));
  },
  'in front of a framework': (gateway) => {
    const server = createServer((_, res) => res.writeHead(404).end());
    inFrontOf(server, gateway);
    return server;
  },
  'Express 5': (gateway) => createServer(express().use(expressMiddleware(gateway))),
  'Express 4': (gateway) => createServer(express4().use(expressMiddleware(gateway))),
  Koa: (gateway) => createServer(new Koa().use(koaMiddleware(gateway)).callback()),
  fetch: (gateway) => {
    const handle = fetchHandler(gateway);
    const app = new Hono<{ Bindings: { incoming: { socket: { remoteAddress?: string } } } }>();
    app.use(async (c, next) => (await handle(c.req.raw, c.env.incoming.socket)) ?? next());
    return createServer(getRequestListener(app.fetch));
  },
};

async function served(
  t: { teardown(end: () => Promise<void>): unknown },
  makeServer: (gateway: Gateway) => Server,
  options: Partial<GatewayOptions> = {},
) {
  const logs: LogLine[] = [];
  const gateway = await createGateway({
    storage: memoryStorage(),
    cluster: emptyCluster(),
    auth: passwordSessions(),
    initialAdmin: { password: adminPassword },
    logger: loggerInto(logs),
    // Whoever is locked out stays so.
    clock: { now: () => Date.now(), monotonic: () => 0 },
    ...options,
  });
  const server = makeServer(gateway);
  const detach = attachWebSocket(server, gateway);
  const { baseUrl, close } = await listening(server);
  t.teardown(async () => {
    detach();
    await gateway.close();
    await close();
  });
  const login = (headers: Record<string, string>, password = adminPassword, userName = 'admin') =>
    fetch(`${baseUrl}/ws/v2/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ userName, password }),
    });
  /** What the log says of addresses, of the lines of one event. */
  const addresses = (event: string) =>
    logs.flatMap(({ fields }) => (fields['event'] === event ? [fields['remoteAddress']] : []));
  return { gateway, baseUrl, login, addresses };
}

/** The status that an upgrade is refused with, or 101. */
async function upgraded(url: string, headers: Record<string, string>): Promise<number> {
  const socket = new WebSocket(url.replace('http', 'ws'), { headers });
  socket.on('error', () => {});
  const status = await Promise.race([
    once(socket, 'open').then(() => 101),
    once(socket, 'unexpected-response').then(([, answer]) => Number(answer.statusCode)),
  ]);
  socket.terminate();
  return status;
}

for (const [host, makeServer] of Object.entries(hosts)) {
  t.test(
    `${host}: requests, sockets and tunnels have the address of the client, from who is trusted`,
    async (t) => {
      const through: [trustProxy: TrustProxy | undefined, headers: Record<string, string>, seen: string][] = [
        [undefined, { 'x-forwarded-for': '203.0.113.9' }, '127.0.0.1'],
        ['loopback', { 'x-forwarded-for': '198.51.100.1, 203.0.113.9' }, '203.0.113.9'],
        [1, { forwarded: 'for="[2001:db8::9]:4711"' }, '2001:db8::9'],
        ['10.0.0.0/8', { 'x-forwarded-for': '203.0.113.9', forwarded: 'for=203.0.113.9' }, '127.0.0.1'],
      ];
      for (const [trustProxy, headers, seen] of through) {
        const option = trustProxy === undefined ? {} : { trustProxy };
        const { gateway, baseUrl, addresses } = await served(t, makeServer, option);
        const profile = await fetch(`${baseUrl}/ws/v2/profile/user`, { headers });
        t.equal(profile.status, 401);
        t.equal(await upgraded(`${baseUrl}/proxy/services/none/`, headers), 401);
        t.strictSame(
          addresses('http.request'),
          [seen, seen],
          `${JSON.stringify(trustProxy)}: requests and tunnels`,
        );
        t.equal(await upgraded(`${baseUrl}/pubsub`, headers), 401);
        t.strictSame(addresses('hub.connection_refused'), [seen], `${JSON.stringify(trustProxy)}: sockets`);
        gateway.pubsub.answeredElsewhere({
          url: '/pubsub',
          headers,
          remoteAddress: '127.0.0.1',
          raw: undefined,
        });
        t.strictSame(addresses('hub.upgrade_contested'), [seen], 'and what others have answered');
      }
    },
  );
}

const plainHttp = (gateway: Gateway): Server => {
  const handle = httpHandler(gateway);
  return createServer((req, res) => void handle(req, res));
};

t.test('records of changes have it, and bodies arrive as they do without a proxy', async (t) => {
  const { baseUrl, login } = await served(t, plainHttp, { trustProxy: 'loopback' });
  const headers = { 'x-forwarded-for': '203.0.113.9' };
  t.equal((await login(headers, 'wrong')).status, 401);
  const cookie = (await login(headers)).headers.getSetCookie()[0]?.split(';', 1)[0] ?? '';
  const setting = `${baseUrl}/ws/v2/profile/settings/admin/layout`;
  const body = JSON.stringify({ value: 'x'.repeat(300_000) });
  const type = { 'content-type': 'application/json' };
  t.equal(
    (await fetch(setting, { method: 'PUT', headers: { ...headers, ...type, cookie }, body })).status,
    200,
  );
  t.match(await (await fetch(setting, { headers: { cookie } })).json(), JSON.parse(body));
  const audit = await fetch(`${baseUrl}/ws/v2/audit`, { headers: { ...headers, cookie } });
  const { records }: { records: { operation: string; remoteAddress: string }[] } = JSON.parse(
    await audit.text(),
  );
  t.strictSame(records.map(({ operation, remoteAddress }) => `${operation} ${remoteAddress}`).sort(), [
    'login 203.0.113.9',
    'login 203.0.113.9',
    'putSetting 203.0.113.9',
  ]);
});

t.test('wrong logins of one client lock out that client, and nobody else behind the proxy', async (t) => {
  const { login } = await served(t, plainHttp, { trustProxy: 'loopback' });
  for (let i = 0; i < 120; i++)
    await login({ 'x-forwarded-for': `192.0.2.${i}, 203.0.113.9` }, 'wrong', `somebody ${i}`);
  t.equal((await login({ 'x-forwarded-for': '203.0.113.9' })).status, 429, 'whatever it puts in front');
  t.equal((await login({ 'x-forwarded-for': '203.0.113.10' })).status, 200);
  t.equal((await login({})).status, 200, 'nor the machine itself');
});

t.test('cookies are for TLS where the client spoke TLS', async (t) => {
  const { login } = await served(t, plainHttp, { trustProxy: 'loopback' });
  const cookies = async (headers: Record<string, string>) => (await login(headers)).headers.getSetCookie();
  const secure = [/^headgate_session=.*; Secure$/, /^headgate_device=.*; Secure$/];
  t.match(await cookies({ 'x-forwarded-proto': 'https' }), secure);
  t.match(await cookies({ forwarded: 'for=203.0.113.9;proto=https' }), secure);
  for (const headers of [{}, { 'x-forwarded-proto': 'http' }, { 'x-forwarded-proto': 'https, http' }])
    for (const cookie of await cookies(headers)) t.notMatch(cookie, /secure/i, JSON.stringify(headers));
  const untrusting = await served(t, plainHttp);
  const plain = await untrusting.login({ 'x-forwarded-proto': 'https' });
  for (const cookie of plain.headers.getSetCookie())
    t.notMatch(cookie, /secure/i, 'from nobody who is trusted');
});

t.test('our own origin is the one that the client asked for', async (t) => {
  const behind = await served(t, plainHttp, { trustProxy: 'loopback', auth: 'none' });
  const alone = await served(t, plainHttp, { auth: 'none' });
  const cases: [origin: string, headers: Record<string, string>, status: number][] = [
    ['https://console.example.org', {}, 403],
    ['https://console.example.org', { 'x-forwarded-host': 'console.example.org' }, 200],
    ['https://console.example.org', { forwarded: 'host="console.example.org";proto=https' }, 200],
    ['http://console.example.org', { forwarded: 'host="console.example.org";proto=https' }, 403],
    ['https://evil.example', { 'x-forwarded-host': 'console.example.org' }, 403],
    ['https://evil.example', { 'x-forwarded-host': 'evil.example, console.example.org' }, 403],
  ];
  for (const [origin, more, status] of cases) {
    const headers = { origin, ...more };
    const why = JSON.stringify(headers);
    t.equal((await fetch(`${behind.baseUrl}/ws/v2/logout`, { method: 'POST', headers })).status, status, why);
    t.equal(
      await upgraded(`${behind.baseUrl}/pubsub`, headers),
      status === 200 ? 101 : 403,
      `a socket: ${why}`,
    );
    t.equal(
      (await fetch(`${alone.baseUrl}/ws/v2/logout`, { method: 'POST', headers })).status,
      403,
      'untrusted',
    );
    t.equal(await upgraded(`${alone.baseUrl}/pubsub`, headers), 403, 'untrusted');
  }
});

t.test('a gateway that would trust nobody knows whom does not start', async (t) => {
  const storage = memoryStorage();
  await t.rejects(createGateway({ storage, cluster: emptyCluster(), trustProxy: 'the proxy' }), {
    name: 'TypeError',
    message: 'trustProxy: "the proxy" is no address; write 10.1.2.3 or 10.1.0.0/16',
  });
});
