import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { Server as SocketServer } from 'socket.io';
import t from 'tap';
import { WebSocket, WebSocketServer } from 'ws';
import { attachWebSocket, inFrontOf } from '../../../adapters/host/http.js';
import { createProbe } from '../../../lib/host-probe.js';
import type { Gateway } from '../../../lib/index.js';
import { newGateway } from '../../helpers/gateway.js';
import { notTheGateway } from '../../helpers/hosts.js';
import { listening } from '../../helpers/listening.js';
import { liveExchange } from '../../helpers/live-exchange.js';
import { dial, rawExchange, toTheEnd } from '../../helpers/raw.js';
import { until, untilTrue } from '../../helpers/waiting.js';

// The gateway's WebSocket on servers that have others, whichever were first. Frameworks are in test/stages/hosts.

interface Test {
  teardown(end: () => unknown): unknown;
}

/** What others attach. Returns what ends it. */
type Others = (server: Server) => () => unknown;

const orders = ['before', 'after'] as const;

async function serverWith(t: Test, server: Server): Promise<string> {
  const { baseUrl, close } = await listening(server);
  t.teardown(close);
  return baseUrl;
}

/** The gateway, attached before the others or after them. */
async function beside(t: Test, order: (typeof orders)[number], others: Others, gateway: Gateway) {
  const server = createServer(notTheGateway);
  const ends: (() => unknown)[] = [];
  const attach = () => ends.push(attachWebSocket(server, gateway, { prefix: '/console' }));
  if (order === 'before') attach();
  ends.push(others(server));
  if (order === 'after') attach();
  t.teardown(() => Promise.all(ends.map((end) => end())));
  return { server, baseUrl: await serverWith(t, server) };
}

const echoing: Others = (server) => {
  const own = new WebSocketServer({ server, path: '/own' });
  own.on('connection', (ws) => ws.on('message', (data) => ws.send(String(data))));
  return () => own.close();
};

const upgradeLines = (baseUrl: string, protocol = 'websocket') => [
  `host: ${new URL(baseUrl).host}`,
  'connection: Upgrade',
  `upgrade: ${protocol}`,
  'sec-websocket-version: 13',
  'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==',
];

/** An upgrade as it stands; the answer comes when somebody ends the connection. */
async function upgradeOf(baseUrl: string, path: string, protocol?: string) {
  const socket = await dial(baseUrl);
  socket.write(`GET ${path} HTTP/1.1\r\n${upgradeLines(baseUrl, protocol).join('\r\n')}\r\n\r\n`);
  return socket;
}

for (const order of orders) {
  t.test(`attached ${order} a WebSocketServer with a path`, async (t) => {
    const { gateway } = await newGateway(t);
    const { baseUrl } = await beside(t, order, echoing, gateway);
    const own = new WebSocket(`${baseUrl.replace('http', 'ws')}/own`);
    t.teardown(() => own.terminate());
    await once(own, 'open');
    const exchange = await liveExchange(t, `${baseUrl}/console`);
    await exchange();
    own.send('mine');
    const [echo] = await once(own, 'message');
    t.equal(String(echo), 'mine');
    await exchange();
    t.match(
      await toTheEnd(await upgradeOf(baseUrl, '/nobody')),
      /^HTTP\/1\.1 400/,
      'what is nobody’s is answered by the other, as without the gateway',
    );
    t.match(
      await toTheEnd(await upgradeOf(baseUrl, '/console/proxy/services/none/')),
      /^HTTP\/1\.1 404 [\s\S]*"code":/,
      'tunnels of services are the gateway’s as well',
    );
  });

  t.test(`attached ${order} socket.io, which ends what it does not know`, async (t) => {
    const { gateway } = createProbe();
    let admit = () => {};
    const admitted = new Promise<void>((resolve) => {
      admit = resolve;
    });
    const slow: Gateway = {
      ...gateway,
      pubsub: {
        ...gateway.pubsub,
        async accept(request) {
          await admitted;
          return gateway.pubsub.accept(request);
        },
      },
    };
    const others: Others = (server) => {
      const io = new SocketServer(server, { destroyUpgradeTimeout: 1 });
      io.on('connection', (socket) => socket.on('say', (text) => socket.emit('said', text)));
      return () => io.engine.close();
    };
    const { baseUrl } = await beside(t, order, others, slow);
    const ours = new WebSocket(`${baseUrl.replace('http', 'ws')}/console/pubsub`, {
      headers: { authorization: 'Bearer probe' },
    });
    t.teardown(() => ours.terminate());
    const opened = once(ours, 'open');
    t.equal(await toTheEnd(await upgradeOf(baseUrl, '/nobody')), '', 'it ends what nobody answers');
    admit();
    await opened;

    const own = new WebSocket(`${baseUrl.replace('http', 'ws')}/socket.io/?EIO=4&transport=websocket`);
    t.teardown(() => own.terminate());
    const said: string[] = [];
    own.on('message', (data) => said.push(String(data)));
    await once(own, 'open');
    own.send('40');
    await untilTrue(() => said.some((text) => text.startsWith('40')));
    own.send('42["say","mine"]');
    await untilTrue(() => said.includes('42["said","mine"]'));
    await liveExchange(t, `${baseUrl}/console`, 'probe').then((exchange) => exchange());
  });
}

/** The listeners of a socket, by event, as a host's own listener of `upgrade` finds them. */
function listenersOn(t: Test, server: Server): Promise<Record<string, number>> {
  return new Promise((resolve) => {
    const onUpgrade = (_: IncomingMessage, socket: Duplex) => {
      const counts = socket.eventNames().map((name) => [String(name), socket.listenerCount(name)]);
      resolve(Object.fromEntries(counts));
      socket.destroy();
    };
    server.on('upgrade', onUpgrade);
    t.teardown(() => server.off('upgrade', onUpgrade));
  });
}

t.test('fifty gateways are one listener, and nothing on the sockets of others', async (t) => {
  const warnings: Error[] = [];
  const onWarning = (warning: Error) => warnings.push(warning);
  process.on('warning', onWarning);
  t.teardown(() => process.off('warning', onWarning));
  const [bare, full] = [createServer(notTheGateway), createServer(notTheGateway)];
  const detachAll = Array.from({ length: 50 }, (_, i) => {
    const { gateway } = createProbe();
    const prefix = `/gateway-${i}`;
    return [attachWebSocket(full, gateway, { prefix }), inFrontOf(full, gateway, { prefix })];
  }).flat();
  t.equal(full.listenerCount('upgrade'), 1);

  const onSockets = [];
  for (const server of [bare, full]) {
    const found = listenersOn(t, server);
    const socket = await upgradeOf(await serverWith(t, server), '/gateway-7/other');
    const ended = toTheEnd(socket);
    onSockets.push(await found);
    await ended;
  }
  t.strictSame(onSockets[1], onSockets[0]);

  const { port } = Object(full.address());
  for (const i of [0, 49]) {
    const baseUrl = `http://127.0.0.1:${port}/gateway-${i}`;
    t.equal((await fetch(`${baseUrl}/ws/v2/probe/names/current`)).status, 200);
    await liveExchange(t, baseUrl, 'probe').then((exchange) => exchange());
  }
  t.strictSame(warnings, []);
  for (const detach of detachAll) detach();
  t.equal(full.listenerCount('upgrade'), 1, 'the host’s own');
});

t.test('detaching puts everything back, in any order', async (t) => {
  const permutations = (rest: readonly number[]): number[][] =>
    rest.length === 0
      ? [[]]
      : rest.flatMap((first) =>
          permutations(rest.filter((one) => one !== first)).map((then) => [first, ...then]),
        );
  for (const order of permutations([0, 1, 2, 3])) {
    const server = createServer(notTheGateway);
    const listeners = () => server.eventNames().map((name) => [name, server.listeners(name)]);
    const before = { emit: server.emit, own: Object.getOwnPropertyNames(server), listeners: listeners() };
    const [one, two] = [createProbe().gateway, createProbe().gateway];
    const detach = [
      inFrontOf(server, one, { prefix: '/one' }),
      attachWebSocket(server, one, { prefix: '/one' }),
      inFrontOf(server, two, { prefix: '/two' }),
      attachWebSocket(server, two, { prefix: '/two' }),
    ];
    t.not(server.emit, before.emit);
    for (const at of order) {
      detach[at]?.();
      detach[at]?.();
    }
    t.strictSame(
      { emit: server.emit, own: Object.getOwnPropertyNames(server), listeners: listeners() },
      before,
      order.join(),
    );
  }
});

t.test('where the gateway’s are the only WebSockets, other upgrades are requests of the host', async (t) => {
  const { gateway } = createProbe();
  const server = createServer(notTheGateway);
  t.teardown(inFrontOf(server, gateway));
  t.teardown(attachWebSocket(server, gateway));
  const baseUrl = await serverWith(t, server);
  // As Java's client and curl --http2 ask each server.
  const host = await toTheEnd(await upgradeOf(baseUrl, '/other', 'h2c'));
  t.match(host, /^HTTP\/1\.1 404 [\s\S]*x-host: yes/i);
  const ours = await toTheEnd(await upgradeOf(baseUrl, '/ws/v2/probe/names/current', 'h2c'));
  t.match(ours, /^HTTP\/1\.1 200 [\s\S]*\{"current":true\}/);
  const lines = upgradeLines(baseUrl, 'h2c').slice(1);
  const body = await rawExchange(
    baseUrl,
    'PUT /ws/v2/probe/documents/a',
    [...lines.filter((line) => !line.startsWith('connection')), 'connection: Upgrade', 'content-length: 2'],
    '{}',
  );
  t.equal(body.status, 400, 'whose bodies nobody could read');
  t.match(body.text, /without the header Upgrade/);

  const waiting = createProbe();
  const waitingServer = createServer(notTheGateway);
  t.teardown(inFrontOf(waitingServer, waiting.gateway));
  t.teardown(attachWebSocket(waitingServer, waiting.gateway));
  const hanging = await upgradeOf(await serverWith(t, waitingServer), '/ws/v2/probe/waiting', 'h2c');
  await untilTrue(() => waiting.waiting !== undefined);
  hanging.resetAndDestroy();
  await untilTrue(() => waiting.waiting?.aborted === true);
});

/** Who passes upgrades on without `server.emit`, as Fastify does for its second address. */
const pastEmit: Others = (server) => {
  const own = echoing(server);
  const emit = Object.getPrototypeOf(server).emit.bind(server);
  const front = createServer();
  front.on('upgrade', (...args) => emit('upgrade', ...args));
  passingOn.set(server, front);
  return own;
};
const passingOn = new WeakMap<Server, Server>();

for (const order of orders) {
  t.test(
    `attached ${order} somebody who takes its upgrades all the same: the log says so once`,
    async (t) => {
      const { gateway, logs } = createProbe();
      const { server } = await beside(t, order, pastEmit, gateway);
      const front = passingOn.get(server);
      if (!front) throw new Error('There is no server in front');
      const baseUrl = await serverWith(t, front);
      const contested = () => logs.filter(({ event }) => event === 'hub.upgrade_contested');
      for (const path of ['/console/pubsub?token=x', '/console/pubsub']) {
        t.match(await toTheEnd(await upgradeOf(baseUrl, path)), /^HTTP\/1\.1 400/);
      }
      await until(contested, ({ length }) => length > 0);
      t.match(contested(), [{ path: '/console/pubsub', remoteAddress: '127.0.0.1' }]);
      t.equal(contested().length, 1);
    },
  );
}

t.test('somebody who answers in an `emit` of its own is named as well', async (t) => {
  const { gateway, logs } = createProbe();
  const server = createServer(notTheGateway);
  t.teardown(attachWebSocket(server, gateway));
  const emit = server.emit;
  server.emit = (event: string, ...args: unknown[]): boolean => {
    const [, socket] = args;
    if (event === 'upgrade' && Object(socket).end) Object(socket).end('HTTP/1.1 418 Mine\r\n\r\n');
    return Reflect.apply(emit, server, [event, ...args]);
  };
  const baseUrl = await serverWith(t, server);
  t.match(await toTheEnd(await upgradeOf(baseUrl, '/pubsub')), /^HTTP\/1\.1 418/);
  t.match(logs, [{ event: 'hub.upgrade_contested' }]);
});

t.test('clients that hang up contest nothing', async (t) => {
  const { gateway, logs } = createProbe();
  let asked = 0;
  const slow: Gateway = {
    ...gateway,
    pubsub: {
      ...gateway.pubsub,
      accept: (request) =>
        new Promise((resolve) => {
          asked++;
          const go = () => resolve(gateway.pubsub.accept(request));
          request.signal?.addEventListener('abort', go, { once: true });
        }),
    },
  };
  const server = createServer(notTheGateway);
  t.teardown(attachWebSocket(server, slow));
  const baseUrl = await serverWith(t, server);
  for (let n = 1; n <= 3; n++) {
    const socket = await upgradeOf(baseUrl, '/pubsub');
    await untilTrue(() => asked === n);
    socket.resetAndDestroy();
    await untilTrue(() => logs.length === n);
  }
  t.strictSame(new Set(logs.map(({ event }) => event)), new Set(['hub.connection_refused']));
});
