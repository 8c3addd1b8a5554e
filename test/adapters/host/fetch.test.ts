import { createServer } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { Hono } from 'hono';
import t from 'tap';
import { fetchHandler } from '../../../adapters/host/fetch.js';
import type { Gateway } from '../../../lib/index.js';
import { hostAnswer, hostContract } from '../../../packages/contracts/index.js';
import { hostOn } from '../../helpers/hosts.js';

/** Node's own objects, as @hono/node-server hands them on. */
interface Bindings {
  readonly incoming: { readonly socket: { readonly remoteAddress?: string } };
}

function hono(gateway: Gateway, prefix = '') {
  const handle = fetchHandler(gateway, { prefix });
  const app = new Hono<{ Bindings: Bindings }>();
  app.use(async (c, next) => {
    const { remoteAddress } = c.env.incoming.socket;
    return (await handle(c.req.raw, { remoteAddress })) ?? next();
  });
  app.all('*', (c) => c.text(hostAnswer, 404, { 'x-host': 'yes' }));
  return hostOn(createServer(getRequestListener(app.fetch)), gateway, prefix);
}

t.test('Hono', async (t) => {
  await hostContract(t, { parsesUrls: true, start: (gateway) => hono(gateway) });
});

t.test('Hono at a prefix', async (t) => {
  await hostContract(t, { parsesUrls: true, start: (gateway) => hono(gateway, '/console') });
});
