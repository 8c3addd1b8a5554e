import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { WebSocket } from 'ws';
import type { Client } from '../lib/client.js';
import { localCluster } from '../packages/engine/index.js';
import { filesystemStorage } from '../packages/level/index.js';
import { adminPassword, gatewayWithPasswords, refuses } from './helpers/accounts.js';
import { dial, frame, rawExchange, rawWebSocket } from './helpers/raw.js';
import { until } from './helpers/waiting.js';

// Bad input, through a living gateway with files of its own. What hosts do to requests is in `packages/contracts/host*`.

const basic = `authorization: Basic ${btoa(`admin:${adminPassword}`)}`;
const asJson = 'content-type: application/json';
const bait = 'swallowed';

async function stage(t: { teardown(close: () => Promise<void>): unknown }) {
  const directory = await mkdtemp(join(tmpdir(), 'headgate-bad-'));
  mkdirSync(join(directory, bait));
  writeFileSync(join(directory, bait, 'application.json'), `{"bait":"${bait}"}`);
  const data = join(directory, 'data');
  const teardown = (close: () => Promise<void>) =>
    t.teardown(async () => {
      await close();
      await rm(directory, { recursive: true });
    });
  const living = await gatewayWithPasswords(
    { teardown },
    {
      storage: await filesystemStorage({ directory: join(data, 'storage') }),
      cluster: localCluster({ directory: join(data, 'engine') }),
      pubsub: { limits: { messagesPerSecond: 100_000, messageBurst: 100_000 } },
    },
  );
  /** All names below, but for those that LevelDB gives its own files. */
  const files = () =>
    readdirSync(directory, { recursive: true })
      .map(String)
      .filter((name) => !name.startsWith('data/storage/documents/'))
      .sort();
  const put = (key: string, body: string, headers: readonly string[] = []) =>
    rawExchange(
      living.baseUrl,
      `PUT /ws/v2/profile/settings/admin/${key}`,
      [basic, asJson, `content-length: ${Buffer.byteLength(body)}`, ...headers],
      body,
    );
  return { ...living, files, put };
}

const hostile = [
  '..',
  '%2e%2e',
  '.%2E',
  '%2F',
  'a%2Fb',
  `..%2F..%2F..%2F${bait}`,
  `%2e%2e%2f%2e%2e%2f%2e%2e%2f${bait}`,
  `..%5C..%5C..%5C${bait}`,
  '%2Fetc%2Fpasswd',
  '%00',
  `a%00.json`,
  '%FF',
  '%C3',
  '%ED%A0%80',
  '\xff\xfe',
  'a%0d%0aset-cookie:x=1',
  '%F0%9F%91%8B',
  'x'.repeat(5000),
];

t.test('no path parameter reaches the name of a file', async (t) => {
  const { gateway, baseUrl, admin, files } = await stage(t);
  await admin.putSetting({ params: { user: 'admin', key: 'before' }, body: { value: 1 } });
  const before = files();
  const odd: string[] = [];
  for (const { route } of gateway.routes.filter(({ route }) => route.path.includes('{'))) {
    const body = route.method === 'GET' ? '' : '{}';
    await Promise.all(
      hostile.map(async (name) => {
        const path = route.path.replaceAll(/\{[^}]*\}/g, () => name);
        const headers = [basic, asJson, `content-length: ${body.length}`];
        const { status, text } = await rawExchange(baseUrl, `${route.method} ${path}`, headers, body);
        // What the embedded engine does not have is refused before anything is looked up.
        const isOffered = !text.includes('"NOT_SUPPORTED"');
        if (status < 200 || (status >= 500 && isOffered) || text.includes(`"bait"`))
          odd.push(`${route.method} ${path} -> ${status} ${text}`);
      }),
    );
  }
  t.strictSame(odd, []);

  for (const name of hostile.slice(2, 9)) {
    const key = decodeURIComponent(name);
    if (key === '..') continue;
    await admin.putSetting({ params: { user: 'admin', key }, body: { value: name } });
    t.same(await admin.getSetting({ params: { user: 'admin', key } }), { value: name }, 'a key is a key');
  }
  t.strictSame(files(), before);
});

t.test('clients that hang up in the middle leave nothing behind', async (t) => {
  const { baseUrl, admin, files, logs } = await stage(t);
  const before = files();
  const heads = ['content-length: 500000', 'transfer-encoding: chunked'];
  const sockets = await Promise.all(
    Array.from({ length: 60 }, async (_, i) => {
      const socket = await dial(baseUrl);
      const body = i % 2 === 0 ? `{"value":"${'x'.repeat(i * 2000)}` : `a\r\n{"value":"\r\n`;
      const head = [
        `PUT /ws/v2/profile/settings/admin/k${i} HTTP/1.1`,
        'host: a',
        basic,
        asJson,
        heads[i % 2],
      ];
      socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
      return socket;
    }),
  );
  await admin.getProfile();
  for (const socket of sockets) socket.destroy();
  await until(
    async () => logs.filter(({ fields }) => fields['status'] === 499).length,
    (count) => count === sockets.length,
  );
  t.strictSame(await admin.listOwnSettings(), {});
  t.strictSame(files(), before);
  t.strictSame(
    logs.filter(({ level }) => level === 'error' || level === 'warn'),
    [],
  );
});

t.test('what is too deep or too large is refused with its place, what is just allowed is kept', async (t) => {
  const { put, admin, baseUrl } = await stage(t);
  const nested = (levels: number) => `{"value":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;
  /** The limit is that of the value. */
  const sized = (bytes: number) => `{"value":"${'x'.repeat(bytes - 2)}"}`;
  t.equal((await put('deep', nested(64))).status, 200);
  const deeper = await put('deeper', nested(65));
  t.match(deeper, { status: 400, text: /"details":\[\{"path":"body/ });
  t.equal((await put('deepest', nested(500_000))).status, 400);
  t.equal((await put('large', sized(1024 * 1024))).status, 200);
  t.match(await put('larger', sized(1024 * 1024 + 1)), { status: 413, text: /"limitBytes":1048576/ });
  t.match(await put('huge', sized(2 * 1024 * 1024)), { status: 413, text: /"limitBytes":\d+/ });
  for (const [what, body] of Object.entries({
    'not UTF-8': '{"value":"\xff"}',
    'two documents': '{"value":1}{}',
    'not a number': '{"value":NaN}',
    'wrong type': '[]',
    nothing: '{}',
  })) {
    const headers = [basic, asJson, `content-length: ${body.length}`];
    const target = 'PUT /ws/v2/profile/settings/admin/bad';
    const { status, text } = await rawExchange(baseUrl, target, headers, body);
    t.match({ status, text }, { status: 400, text: /"path":"body/ }, what);
  }
  t.strictSame(Object.keys(await admin.listOwnSettings()).sort(), ['deep', 'large']);
});

/** What every object in this process has in common. */
const prototypes = () =>
  [Object, Array, Function, String, Number, Map].map(({ prototype }) =>
    Reflect.ownKeys(prototype).map((key) => Object.getOwnPropertyDescriptor(prototype, key)),
  );

t.test('keys that reach for prototypes change nothing', async (t) => {
  const { put, admin, baseUrl } = await stage(t);
  const before = prototypes();
  const status = async (path: string, method = 'GET') =>
    (await rawExchange(baseUrl, `${method} ${path}`, [basic])).status;
  for (const body of [
    '{"__proto__":{"polluted":1}}',
    '{"value":{"__proto__":{"polluted":1}}}',
    '{"value":[{"\\u005f\\u005fproto__":{"polluted":1}}]}',
  ])
    t.match(await put('a', body), { status: 400, text: /__proto__/ });
  const value = { constructor: { prototype: { polluted: 1 } }, toString: 1, hasOwnProperty: null };
  for (const key of ['constructor', 'toString', 'hasOwnProperty', 'prototype']) {
    t.equal((await put(key, JSON.stringify({ value }))).status, 200);
    t.same(await admin.getSetting({ params: { user: 'admin', key } }), { value });
    t.equal(await status(`/ws/v2/auth/users/${key}`), 404);
    t.equal(await status(`/ws/v2/auth/roles/${key}`), 404);
    t.equal(await status(`/ws/v2/applications/${key}`), 404);
    const body = { roles: [key] };
    await refuses(t, admin.changeUser({ params: { user: 'admin' }, body }), { status: 400 });
    const newRole = { params: { role: key }, body: { permissions: [key] } };
    await refuses(t, admin.putRole(newRole), { status: 400 });
  }
  t.equal((await put('__proto__', '{"value":1}')).status, 400);
  t.equal(await status('/ws/v2/auth/users/__proto__'), 404);
  t.equal(await status('/ws/v2/auth/roles/__proto__'), 404);
  t.equal(await status('/ws/v2/applications/__proto__'), 404);
  for (const query of ['__proto__=1', '__proto__[polluted]=1', 'constructor=1', 'constructor.prototype.a=1'])
    t.equal(await status(`/ws/v2/applications?${query}`), 200, query);
  t.equal(await status('/ws/v2/applications?__proto__=1&__proto__=2'), 400, 'given twice');
  t.strictSame(prototypes(), before);
  t.notOk('polluted' in {});
});

t.test('queries and headers', async (t) => {
  const { baseUrl } = await stage(t);
  const ask = (query: string, headers: readonly string[] = []) =>
    rawExchange(baseUrl, `GET /ws/v2/applications${query}`, headers);
  const many = (count: number) => `?${Array.from({ length: count }, (_, i) => `p${i}=`).join('&')}`;
  t.equal((await ask(many(1000), [basic])).status, 200);
  t.match(await ask(many(1500), [basic]), { status: 400, text: /The query is longer/ });
  // Node may reset the connection before its 431 is read.
  t.ok([431, 0].includes((await ask(many(30_000), [basic])).status), 'refused by Node');
  t.equal((await ask('?states=%ff%zz&firstUser=', [basic])).status < 500, true);

  const nobody = (await ask('')).status;
  t.equal(nobody, 401);
  const garbage = [
    'Basic',
    'Basic ',
    'Basic %%%%',
    `Basic ${btoa('no colon')}`,
    `Basic ${btoa(':')}`,
    `Basic ${btoa('\xff\xfe:\xff')}`,
    `Basic ${btoa('a\0b:c')}`,
    `Basic ${btoa('__proto__:x')}`,
    `Basic ${btoa(`x:${'y'.repeat(8000)}`)}`,
    'Bearer',
    'Bearer  ',
    `Bearer ${'x'.repeat(8000)}`,
    'Bearer \xff\xfe',
    'Digest username="x"',
    '\t',
    ', ,',
  ].map((value) => [`authorization: ${value}`]);
  const cookies = [
    'headgate_session',
    'headgate_session=',
    'headgate_session=%%%',
    'headgate_session="\\"',
    'headgate_session=\xff\xfe',
    `headgate_session=${'x'.repeat(8000)}`,
    '__proto__=1; constructor=2; =; ;;;',
    Array.from({ length: 500 }, (_, i) => `headgate_session=${i}`).join('; '),
  ].map((value) => [`cookie: ${value}`]);
  const twice = [
    ['cookie: headgate_session=a', 'cookie: headgate_session=b'],
    ['authorization: Bearer a', 'authorization: Bearer b'],
    ['content-type: application/json', 'content-type: text/plain'],
    ['origin: https://a.example', 'origin: https://b.example'],
  ];
  for (const headers of [...garbage, ...cookies, ...twice]) {
    const { status, text } = await ask('', headers);
    t.match(
      { status, text },
      { status: /^(401|429)$/, text: /"code":"[A-Z_]+"/ },
      headers.join().slice(0, 60),
    );
  }
  for (const headers of [
    ['content-length: 1', 'content-length: 2'],
    ['content-length: 1', 'transfer-encoding: chunked'],
    ['content-length: -1'],
  ])
    t.equal((await ask('', headers)).status, 400, 'refused by Node');
  t.equal((await ask('', [basic])).status, 200, 'and the next is answered');
});

/** Whether somebody else still gets through, there and back. */
async function echo(client: Client, text: string): Promise<void> {
  await new Promise<void>((resolve) => {
    const stop = client.subscribe('echo', (data) => {
      if (data !== text) return;
      stop();
      resolve();
    });
    client.publish('echo', text);
  });
}

t.test('what is no message of a WebSocket is ignored', async (t) => {
  const { baseUrl, admin, logs } = await stage(t);
  const text = (value: string) => Buffer.from(value);
  const ignored = await rawWebSocket(baseUrl, [basic]);
  const whatever = ['', 'null', '[]', '{', '{"type":"__proto__"}', '{"type":"constructor","topic":"x"}'];
  for (const one of whatever) ignored.write(frame(0x81, text(one)));
  ignored.write(frame(0x82, Buffer.from([0, 255])));
  ignored.write(frame(0x81, text('{"type":"subscribe","topic":"applications.__proto__"}')));
  await echo(admin, 'the end');
  t.notOk(ignored.destroyed);
  ignored.destroy();
  t.strictSame(
    logs.filter(({ level }) => level === 'error'),
    [],
  );
});

t.test('ten thousand subscriptions are no load for others', async (t) => {
  const { baseUrl, admin } = await stage(t);
  const socket = new WebSocket(`${baseUrl.replace('http', 'ws')}/pubsub?errors=true`, {
    headers: { authorization: basic.slice(15) },
  });
  t.teardown(() => socket.terminate());
  let refused = 0;
  socket.on('message', (data) => {
    if (String(data).includes('"TOO_MANY"')) refused++;
  });
  await new Promise((resolve) => socket.once('open', resolve));
  for (let i = 0; i < 10_000; i++) socket.send(`{"type":"subscribe","topic":"t${i}"}`);
  let echoes = 0;
  for (; refused < 9500; echoes++) await echo(admin, `${echoes}`);
  t.equal(refused, 9500, 'the first 500 are heard');
  t.equal(socket.readyState, WebSocket.OPEN);
});
