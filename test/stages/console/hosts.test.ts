import { createServer } from 'node:http';
import { streamConsole } from '@headgate/console';
import express from 'express';
import Koa from 'koa';
import t, { type Test } from 'tap';
import { passwordSessions } from '../../../adapters/auth/password.js';
import { expressMiddleware } from '../../../adapters/host/express.js';
import { attachWebSocket, httpHandler } from '../../../adapters/host/http.js';
import { koaMiddleware } from '../../../adapters/host/koa.js';
import { memoryStorage } from '../../../adapters/storage/memory.js';
import { createGateway, type Gateway } from '../../../lib/index.js';
import { emptyCluster } from '../../helpers/empty-cluster.js';
import { listening } from '../../helpers/listening.js';
import { nginxBefore } from '../../helpers/nginx.js';
import { closeBrowser, enter, inWindow } from './browser.js';
import { administrator } from './running-server.js';

// The same pages on every host: at its root, below a prefix, and behind proxies that change the path or have a policy of their own.

t.teardown(closeBrowser);

const hosts: Readonly<Record<string, (gateway: Gateway, prefix: string) => ReturnType<typeof createServer>>> =
  {
    http(gateway, prefix) {
      const handle = httpHandler(gateway, { prefix });
      return createServer((req, res) => void handle(req, res, () => res.writeHead(404).end()));
    },
    Express(gateway, prefix) {
      const app = express();
      if (prefix === '') app.use(expressMiddleware(gateway));
      else app.use(prefix, expressMiddleware(gateway));
      return createServer(app);
    },
    Koa(gateway, prefix) {
      const app = new Koa();
      app.use(koaMiddleware(gateway, { prefix }));
      return createServer(app.callback());
    },
  };

async function hosted(t: Test, host: keyof typeof hosts, prefix: string): Promise<string> {
  const gateway = await createGateway({
    storage: memoryStorage(),
    cluster: emptyCluster(),
    auth: passwordSessions(),
    initialAdmin: { password: administrator.password },
    console: streamConsole({
      title: 'Acme <b>Streams</b>',
      accent: '#7a3e9d',
      environment: { name: 'staging' },
      links: [{ label: 'Handbook', href: '/handbook' }],
      frameAncestors: ["'self'"],
    }),
  });
  const server = hosts[host]?.(gateway, prefix);
  if (!server) throw new Error(`There is no host ${host}`);
  const detach = attachWebSocket(server, gateway, { prefix });
  const { baseUrl, close } = await listening(server);
  t.teardown(async () => {
    detach();
    await gateway.close();
    await close();
  });
  return baseUrl;
}

for (const host of Object.keys(hosts))
  for (const prefix of ['', '/a/b'])
    t.test(`${host} at ${prefix || 'its root'}`, async (t) => {
      const origin = await hosted(t, host, prefix);
      await inWindow(t, { baseUrl: origin }, async (page) => {
        await enter(page, origin + prefix, 'apps?q=deep');
        t.equal(new URL(page.url()).pathname, `${prefix}/console/apps`, 'the link is where the login leads');
        await page.getByText('Acme <b>Streams</b>').first().waitFor();
        await page.getByText('staging').waitFor();
        await page.getByRole('link', { name: 'Handbook' }).waitFor();
        await page.getByRole('status').filter({ hasText: 'Live' }).waitFor({ state: 'attached' });
        await page.reload();
        await page.getByText('No application').first().waitFor();
      });
      const missing = await fetch(`${origin}${prefix}/console/assets/none.js`);
      t.strictSame([missing.status, missing.headers.get('content-type')], [404, 'text/plain']);
    });

/** What nginx does with the path, and what it says of its own. */
const fronts = {
  'that strips a prefix': {
    lines: (backend: string) =>
      `location /outside/ { proxy_pass ${backend}/; proxy_http_version 1.1; proxy_set_header Host $http_host; proxy_set_header Upgrade $http_upgrade; proxy_set_header Connection upgrade; }`,
    prefix: '/outside',
  },
  'with a strict policy of its own': {
    lines: (backend: string) =>
      `add_header Content-Security-Policy "default-src 'self'; base-uri 'self'; frame-ancestors 'self'; img-src 'self' data:; object-src 'none'; script-src 'self'; script-src-attr 'none'; style-src 'self' 'unsafe-inline'" always; location / { proxy_pass ${backend}; proxy_http_version 1.1; proxy_set_header Host $http_host; proxy_set_header Upgrade $http_upgrade; proxy_set_header Connection upgrade; }`,
    prefix: '',
  },
};

for (const [name, { lines, prefix }] of Object.entries(fronts))
  t.test(`behind an nginx ${name}`, async (t) => {
    const backend = await hosted(t, 'http', '');
    const port = await nginxBefore(
      t,
      `server { listen 443 ssl; ssl_certificate /etc/ssl/console.pem; ssl_certificate_key /etc/ssl/console.key; ${lines(backend)} }`,
      backend,
    );
    const origin = `https://localhost:${port}`;
    await inWindow(t, { baseUrl: origin }, async (page) => {
      await enter(page, origin + prefix, 'apps');
      await page.getByText('No application yet').waitFor();
      await page.getByRole('status').filter({ hasText: 'Live' }).waitFor({ state: 'attached' });
    });
  });
