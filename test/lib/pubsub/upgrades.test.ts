import { once } from 'node:events';
import net from 'node:net';
import t from 'tap';
import { WebSocket } from 'ws';
import { attachWebSocket } from '../../../adapters/host/ws.js';
import { NotLoggedIn, Unreachable } from '../../../lib/model/errors.js';
import { createUpgradeHandler } from '../../../lib/pubsub/upgrade-handler.js';
import { principal, type Stage, stage } from './stage.js';

// Who gets in: before the handshake, on a server that others use too.

/** The answer to an upgrade that is no 101. */
async function refusal(
  url: string,
  headers: Record<string, string> = {},
): Promise<{ status: number; contentType: string | undefined; body: Record<string, unknown> }> {
  const ws = new WebSocket(url, { headers });
  ws.on('error', () => {});
  const [, response] = await once(ws, 'unexpected-response');
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString();
  return {
    status: response.statusCode,
    contentType: response.headers['content-type'],
    body: text === '' ? {} : JSON.parse(text),
  };
}

const portOf = ({ url }: Stage) => Number(new URL(url).port);

/** What a server says to raw bytes, until it closes. */
async function raw(port: number, text: string): Promise<string> {
  const socket = net.connect(port, '127.0.0.1');
  let said = '';
  socket.on('data', (data) => {
    said += data;
  });
  socket.on('error', () => {});
  socket.write(text);
  await once(socket, 'close');
  return said;
}

const upgrade = (path: string, headers: Record<string, string> = {}) =>
  [
    `GET ${path} HTTP/1.1`,
    ...Object.entries({
      Host: 'gateway.example',
      Connection: 'Upgrade',
      Upgrade: 'WebSocket',
      'Sec-WebSocket-Version': '13',
      'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
      'X-User': 'ann',
      ...headers,
    }).map(([name, value]) => `${name}: ${value}`),
    '',
    '',
  ].join('\r\n');

t.test('nobody, and accounts that are gone, get 401 in place of the handshake', async (t) => {
  const { url, logged } = await stage(t);
  const answer = await refusal(url);
  t.match(answer, {
    status: 401,
    contentType: 'application/json',
    body: { code: 'NOT_LOGGED_IN', requestId: String },
  });
  t.match(logged, [{ level: 'info', fields: { requestId: answer.body['requestId'], status: 401 } }]);
  t.match(await refusal(url, { 'x-user': 'nobody' }), { status: 401 });
});

t.test('pages of foreign origins are refused, programs and allowed consoles are not', async (t) => {
  const { url, open } = await stage(t, { upgrades: { origins: ['https://console.example'] } });
  const host = new URL(url).host;
  const foreign = [
    'https://evil.example',
    'null',
    `http://${host}.evil.example`,
    'http://127.0.0.1',
    'http://console.example',
  ];
  for (const origin of foreign) {
    t.match(
      await refusal(url, { 'x-user': 'ann', origin }),
      { status: 403, body: { code: 'FOREIGN_ORIGIN' } },
      origin,
    );
  }
  t.match(await refusal(url, { 'x-user': 'ann', 'sec-fetch-site': 'cross-site' }), { status: 403 });
  t.match(
    await refusal(url, { origin: 'https://evil.example' }),
    { status: 403 },
    'before anybody is asked who it is',
  );
  for (const origin of [`http://${host}`, `https://${host}`, 'https://console.example']) {
    const peer = await open('ann', { headers: { origin } });
    await peer.settled();
  }
});

t.test('an authenticator that fails is no way in', async (t) => {
  const answers: (() => Promise<never>)[] = [
    () => Promise.reject(new Unreachable('The directory', new Error('secret detail'))),
    () => Promise.reject(new NotLoggedIn('No authenticator is configured')),
    () => Promise.reject(new Error('a mistake of the host')),
  ];
  let answer = 0;
  const { url, logged } = await stage(t, {
    upgrades: { authenticate: async () => answers[answer++]?.() },
  });
  const first = await refusal(url);
  t.match(first, { status: 502, body: { code: 'UNREACHABLE' } });
  t.notMatch(JSON.stringify(first), /secret/);
  t.match(await refusal(url), { status: 401, body: { message: /No authenticator/ } });
  const third = await refusal(url);
  t.match(third, { status: 500, body: { code: 'INTERNAL' } });
  t.notMatch(JSON.stringify(third), /mistake/);
  t.strictSame(
    logged.map(({ level }) => level),
    ['error', 'info', 'error'],
  );
});

t.test('sockets are counted for each user and in all', async (t) => {
  const { url, open, hub } = await stage(t, { limits: { connectionsPerUser: 2, connections: 3 } });
  const first = await open('ann');
  await open('ann');
  t.match(await refusal(url, { 'x-user': 'ann' }), { status: 429, body: { code: 'TOO_MANY_REQUESTS' } });
  await open('bob');
  t.match(await refusal(url, { 'x-user': 'bob' }), { status: 503 });
  first.ws.close();
  await first.closed;
  for (let i = 0; i < 200 && hub.stats.connections > 2; i++)
    await new Promise((resolve) => setTimeout(resolve, 5));
  await open('bob');
  t.equal(hub.stats.connections, 3);
});

t.test('a handshake that fails gives its place back', async (t) => {
  const made = await stage(t, { limits: { connections: 1 } });
  for (const bad of [{ 'Sec-WebSocket-Key': 'short' }, { 'Sec-WebSocket-Version': '7' }]) {
    t.match(await raw(portOf(made), upgrade('/pubsub', bad)), /^HTTP\/1.1 4\d\d /);
  }
  await (await made.open()).settled();
});

t.test('a session that ends during the handshake gets no socket', async (t) => {
  let ask = () => {};
  const made = await stage(t, {
    upgrades: {
      authenticate: async () => {
        ask();
        return made.accounts.has('ann') ? { userName: 'ann', sessionId: 's' } : undefined;
      },
      principalOf: () => principal('ann'),
    },
  });
  ask = () => {
    made.accounts.delete('ann');
    made.hub.sessionEnded('s');
    ask = () => {};
  };
  made.accounts.set('ann', []);
  const authenticated = made.accounts.has('ann');
  t.ok(authenticated);
  t.match(await refusal(made.url, { 'x-user': 'ann' }), { status: 401 });
});

t.test('the connection of an application is bound to that application', async (t) => {
  const { open, hub } = await stage(t, {
    upgrades: {
      principalOf: (identity) => principal(identity.userName),
      applicationOf: ({ userName }) => (userName.startsWith('app_') ? userName : undefined),
    },
  });
  const heard: string[] = [];
  hub.watch('_internal.lastIndex.event.hdfs://x/app_1/events', (data) => heard.push(data));
  const [one, two, ann] = [await open('app_1'), await open('app_2'), await open('ann')];
  one.subscribe('applications.app_1.events.numSubscribers');
  await one.until(() => one.texts.length > 0);
  t.strictSame(one.messages, [
    { type: 'data', topic: 'applications.app_1.events.numSubscribers', data: '0' },
  ]);
  for (const peer of [two, ann, one]) {
    peer.publish('_internal.lastIndex.event.hdfs://x/app_1/events', peer === one);
    await peer.settled();
  }
  t.strictSame(heard, ['true']);
});

t.test('peers that never log in: only from trusted addresses, only to topics of theirs', async (t) => {
  const { open, url } = await stage(t, {
    upgrades: { trustedPublishers: [{ addresses: ['127.0.0.0/8'], topics: ['widget.', 'settled.'] }] },
  });
  const [operator, ann] = [await open(''), await open('ann')];
  ann.subscribe('widget.a');
  ann.subscribe('other');
  await ann.settled();
  operator.publish('other', 1);
  operator.publish('applications', 1);
  operator.publish('widget.a', 2);
  await ann.until(() => ann.texts.length > 0);
  await ann.settled();
  t.strictSame(ann.messages, [{ type: 'data', topic: 'widget.a', data: 2 }]);
  t.match(
    await refusal(url, { origin: 'https://evil.example' }),
    { status: 403 },
    'no page can use the trust',
  );
});

t.test('only our own path is touched, under any prefix', async (t) => {
  const made = await stage(t, { prefix: '/gw' });
  made.server.on('upgrade', (request, socket) => {
    // Sockets that are not the gateway's are the host's to guard.
    socket.on('error', () => {});
    if (request.url === '/mine') socket.end('HTTP/1.1 418 Mine\r\n\r\n');
  });
  t.match(await raw(portOf(made), upgrade('/mine')), /^HTTP\/1.1 418 Mine/);
  const foreign = net.connect(portOf(made), '127.0.0.1');
  foreign.write(upgrade('/pubsub'));
  let said = '';
  foreign.on('data', (data) => {
    said += data;
  });
  await (await made.open()).settled();
  await (await made.open('ann', { query: '?x=1' })).settled();
  t.equal(said, '', 'an upgrade that nobody owns is left alone');
  foreign.resetAndDestroy();
  await once(foreign, 'close');
  await (await made.open()).settled();
});

t.test('a server without other sockets may refuse what it does not know', async (t) => {
  const made = await stage(t);
  made.detach();
  const pubsub = createUpgradeHandler({
    hub: made.hub,
    logger: { debug() {}, info() {}, warn() {}, error() {} },
    authenticate: async () => undefined,
    principalOf: () => undefined,
  });
  const detach = attachWebSocket(made.server, { pubsub }, { refuseUnknown: true });
  t.match(await raw(portOf(made), upgrade('/else')), /^HTTP\/1.1 404 Not Found/);
  detach();
});

t.test('clients that reset during the handshake do no harm', async (t) => {
  let open = () => {};
  const wait = new Promise<void>((resolve) => {
    open = resolve;
  });
  const made = await stage(t, {
    limits: { connections: 20 },
    upgrades: {
      authenticate: async () => {
        await wait;
        return { userName: 'ann' };
      },
    },
  });
  for (let i = 0; i < 20; i++) {
    const socket = net.connect(portOf(made), '127.0.0.1');
    socket.write(upgrade('/pubsub'));
    await once(socket, 'connect');
    if (i % 2) socket.resetAndDestroy();
    else socket.destroy();
  }
  open();
  for (let i = 0; i < 1000 && made.sockets.size > 0; i++)
    await new Promise((resolve) => setTimeout(resolve, 5));
  t.equal(made.sockets.size, 0);
  await (await made.open()).settled();
  t.equal(made.hub.stats.connections, 1);
});

t.test('no compression, no sub-protocol', async (t) => {
  const made = await stage(t);
  const ws = new WebSocket(made.url, ['a', 'b'], { headers: { 'x-user': 'ann' }, perMessageDeflate: true });
  const [error] = await once(ws, 'error');
  t.match(error, /no subprotocol/i, 'a client that insists on one learns that there is none');
  const plain = new WebSocket(made.url, { headers: { 'x-user': 'ann' }, perMessageDeflate: true });
  await once(plain, 'open');
  t.equal(plain.extensions, '');
  plain.terminate();
});
