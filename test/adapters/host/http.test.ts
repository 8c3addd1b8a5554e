import { createServer } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import t from 'tap';
import { z } from 'zod';
import { httpHandler, inFrontOf } from '../../../adapters/host/http.js';
import { createProbe } from '../../../lib/host-probe.js';
import { exchange } from '../../../packages/contracts/host-wire.js';
import { hostContract } from '../../../packages/contracts/index.js';
import { newGateway } from '../../helpers/gateway.js';
import { hostOf, hostOn, notTheGateway } from '../../helpers/hosts.js';
import { listening } from '../../helpers/listening.js';
import { attachBy, attachSendOnly, type Carry } from '../../helpers/send-only.js';
import { snippetsOf } from '../../helpers/snippets.js';
import { root } from '../../helpers/sources.js';
import { behindProxy } from './rewriting-proxy.js';

const Carrying = z.object({ carry: z.custom<Carry>((value) => typeof value === 'function') });

t.test('plain http', async (t) => {
  await hostContract(t, {
    start(gateway) {
      const handle = httpHandler(gateway);
      return hostOf(gateway, async (req, res) => {
        if (!(await handle(req, res))) notTheGateway(req, res);
      });
    },
  });
});

t.test('plain http, with a WebSocket library that can only send', async (t) => {
  await hostContract(t, {
    start(gateway) {
      const handle = httpHandler(gateway);
      const server = createServer((req, res) => void handle(req, res, () => notTheGateway(req, res)));
      return hostOn(server, gateway, '', attachSendOnly);
    },
  });
});

t.test('plain http, with the WebSocket of docs/embedding.md', async (t) => {
  const page = join(root, 'docs/embedding.md');
  const snippet = snippetsOf(page).find(({ attributes }) => attributes['file'] === 'carry.mjs');
  const module = await import(`data:text/javascript,${encodeURIComponent(snippet?.text ?? '')}`);
  const { carry } = Carrying.parse(module);
  await hostContract(t, {
    start(gateway) {
      const handle = httpHandler(gateway);
      const server = createServer((req, res) => void handle(req, res, () => notTheGateway(req, res)));
      return hostOn(server, gateway, '', attachBy(carry));
    },
  });
});

t.test('plain http at a prefix', async (t) => {
  await hostContract(t, {
    start(gateway) {
      const handle = httpHandler(gateway, { prefix: '/console/' });
      return hostOf(gateway, (req, res) => void handle(req, res, () => notTheGateway(req, res)), '/console');
    },
  });
});

t.test('behind a proxy that rewrites paths', async (t) => {
  await hostContract(t, {
    async start(gateway) {
      const handle = httpHandler(gateway);
      const host = await hostOf(gateway, (req, res) => void handle(req, res, () => notTheGateway(req, res)));
      return behindProxy(host, '/outer/path');
    },
  });
});

t.test('in front of a server whose listener comes later', async (t) => {
  await hostContract(t, {
    async start(gateway) {
      const server = createServer();
      inFrontOf(server, gateway, { prefix: '/console' });
      server.on('request', notTheGateway);
      return hostOn(server, gateway, '/console');
    },
  });
});

t.test('two gateways in front of one server come and go independently', async (t) => {
  const server = createServer(notTheGateway);
  const { baseUrl, close } = await listening(server);
  t.teardown(close);
  const statuses = () =>
    Promise.all(
      ['/one', '/two'].map(async (prefix) => (await fetch(`${baseUrl}${prefix}/ws/v2/health`)).status),
    );
  const [one, two] = [await newGateway(t), await newGateway(t)];
  const detachOne = inFrontOf(server, one.gateway, { prefix: '/one' });
  const detachTwo = inFrontOf(server, two.gateway, { prefix: '/two' });
  t.strictSame(await statuses(), [200, 200]);
  detachOne();
  t.strictSame(await statuses(), [404, 200], 'the one below is gone, the one above stays');
  detachTwo();
  detachTwo();
  t.strictSame(await statuses(), [404, 404]);
  t.notOk(Object.hasOwn(server, 'emit'), 'nothing is left of the two');
});

t.test('detached, a server is as it was', async (t) => {
  const server = createServer(notTheGateway);
  const { gateway } = await newGateway(t);
  const before = server.emit;
  const detach = inFrontOf(server, gateway);
  t.not(server.emit, before);
  detach();
  t.equal(server.emit, before);
  t.notOk(Object.hasOwn(server, 'emit'));
});

t.test('a request of the host goes on in the same turn', async (t) => {
  const { gateway } = await newGateway(t);
  const handle = httpHandler(gateway);
  const host = await hostOf(gateway, (req, res) => {
    let called = false;
    void handle(req, res, () => {
      called = true;
    });
    res.end(String(called));
  });
  t.teardown(host.close);
  t.equal(await (await fetch(`${host.baseUrl}/other`)).text(), 'true');
});

t.test('a host that has put its own in the place of `end` gets the whole answer there', async (t) => {
  const { gateway } = await newGateway(t);
  const handle = httpHandler(gateway);
  const host = await hostOf(gateway, (req, res) => {
    const { end } = res;
    // As compressors and sessions do; a part that was written before would have gone past it.
    res.end = (...given: unknown[]) => Reflect.apply(end, res, [String(given[0]).toUpperCase()]);
    void handle(req, res);
  });
  t.teardown(host.close);
  const answer = await exchange(host.baseUrl, { path: '/ws/v2/nothing' });
  t.match(answer.json(), { CODE: 'NOT_FOUND' });
});

t.test('a body that the host drained without a parser is refused at once', async (t) => {
  const { gateway } = createProbe();
  const handle = httpHandler(gateway);
  const host = await hostOf(gateway, async (req, res) => {
    await text(req);
    await handle(req, res);
  });
  t.teardown(host.close);
  for (const [method, path] of [
    ['POST', '/ws/v2/probe/uploads'],
    ['PUT', '/ws/v2/probe/documents/a'],
  ] as const) {
    const answer = await exchange(host.baseUrl, { method, path, body: '{"a":1}' });
    t.equal(answer.status, 415);
    t.match(answer.json(), {
      code: 'BODY_ALREADY_READ',
      message: /mount the gateway before the body parser/,
    });
  }
  const none = await exchange(host.baseUrl, { path: '/ws/v2/probe/names/a' });
  t.equal(none.status, 200, 'where no body is wanted it does not matter');
});

t.test('a prefix that is no path is refused when the host is built', async (t) => {
  const { gateway } = await newGateway(t);
  for (const prefix of ['console', '/a?b', '/a b', '/a#b', '/a//b', 'http://host/a']) {
    t.throws(() => httpHandler(gateway, { prefix }), /The prefix .* is no path/, prefix);
  }
  for (const prefix of ['', '/', '/a', '/a/', '/a/b', '/a%20b']) {
    t.doesNotThrow(() => httpHandler(gateway, { prefix }), prefix);
  }
});
