import { once } from 'node:events';
import { createServer } from 'node:http';
import Koa from 'koa';
import t from 'tap';
import { passwordSessions } from '../../../adapters/auth/password.js';
import { httpHandler } from '../../../adapters/host/http.js';
import { koaMiddleware } from '../../../adapters/host/koa.js';
import { newGateway } from '../../helpers/gateway.js';
import { listening } from '../../helpers/listening.js';
import { dial, rawExchange } from '../../helpers/raw.js';

const usual = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'SAMEORIGIN',
  'content-security-policy': /frame-ancestors 'self' https:\/\/console\.example\.org$/,
};
const origins = ['https://console.example.org'];

const told = async (url: string, init: RequestInit = {}) => {
  const response = await fetch(url, { redirect: 'manual', ...init });
  await response.body?.cancel();
  return { status: response.status, headers: Object.fromEntries(response.headers) };
};

t.test(
  'every route, for everybody and for nobody, tells browsers not to guess and not to frame',
  async (t) => {
    for (const auth of ['none', passwordSessions()] as const) {
      const { gateway, baseUrl } = await newGateway(t, {
        auth,
        origins,
        initialAdmin: { password: 'open sesame' },
      });
      for (const { route } of gateway.routes) {
        const { method, path } = route;
        if (path === '/ws/v2/config/restart') continue;
        const url = baseUrl + path.replace(/\{\w+(\.\.\.)?\}/g, 'x');
        const body = method === 'GET' || method === 'DELETE' ? {} : { body: 'no JSON' };
        const { headers, status } = await told(url, { method, ...body });
        t.match(headers, usual, `${method} ${path}: ${status}`);
      }
    }
  },
);

t.test('so do all kinds of refusals', async (t) => {
  const { baseUrl } = await newGateway(t, { auth: passwordSessions(), origins });
  const refusals: [status: number, path: string, init: RequestInit][] = [
    [405, '/ws/v2/login', { method: 'DELETE' }],
    [403, '/ws/v2/login', { method: 'POST', headers: { origin: 'https://evil.example' }, body: '{}' }],
    [403, '/ws/v2/logout', { method: 'POST', headers: { 'sec-fetch-site': 'cross-site' } }],
    [415, '/ws/v2/login', { method: 'POST', headers: { 'content-type': 'text/html' }, body: '{}' }],
    [
      413,
      '/ws/v2/login',
      { method: 'POST', headers: { 'content-type': 'application/json' }, body: 'x'.repeat(5000) },
    ],
    [401, '/ws/v2/applications', {}],
  ];
  for (const [status, path, init] of refusals) {
    t.match(await told(baseUrl + path, init), { status, headers: usual }, path);
  }
  const upgrade = ['connection: Upgrade', 'upgrade: websocket', 'sec-websocket-version: 13'];
  const key = 'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==';
  const socket = await dial(baseUrl);
  socket.write(['GET /pubsub HTTP/1.1', 'host: x', ...upgrade, key, '', ''].join('\r\n'));
  const [head] = await once(socket, 'data');
  t.match(String(head), /^HTTP\/1.1 401[\s\S]*x-content-type-options: nosniff\r\n/);
  socket.destroy();
  t.equal((await rawExchange(baseUrl, 'GET /nothing')).status, 404, 'what is not ours is not touched');
});

t.test('what a host says itself of all that it serves stays', async (t) => {
  const { gateway } = await newGateway(t, { origins });
  const handle = httpHandler(gateway);
  const plain = createServer((req, res) => {
    res.setHeader('x-frame-options', 'DENY');
    void handle(req, res);
  });
  const koa = new Koa();
  koa.use(async (context, next) => {
    context.set('x-frame-options', 'DENY');
    await next();
  });
  koa.use(koaMiddleware(gateway));
  for (const server of [plain, createServer(koa.callback())]) {
    const { baseUrl, close } = await listening(server);
    t.match(await told(`${baseUrl}/ws/v2/about`), {
      status: 200,
      headers: { ...usual, 'x-frame-options': 'DENY' },
    });
    await close();
  }
});
