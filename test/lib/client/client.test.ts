import { createServer } from 'node:http';
import { Readable } from 'node:stream';
import t from 'tap';
import { httpHandler } from '../../../adapters/host/http.js';
import { createCookies } from '../../../lib/client/cookies.js';
import { checkReplies } from '../../../lib/client/replies.js';
import { callOperation } from '../../../lib/client/rest.js';
import { ClientError, createClient } from '../../../lib/client.js';
import { createProbe } from '../../../lib/host-probe.js';
import { operationOf } from '../../../scripts/operation-table.js';
import { adminPassword, gatewayWithPasswords } from '../../helpers/accounts.js';
import { newGateway } from '../../helpers/gateway.js';
import { listening } from '../../helpers/listening.js';

const failure = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => new Error('It did not fail'),
    (error: unknown) => error,
  );

t.test('an operation is a function', async (t) => {
  const { client, logs } = await newGateway(t);
  t.same(await client.getHealth(), { status: 'ok', reasons: [] });
  t.match(logs, [{ level: 'info', fields: { route: 'getHealth', status: 200 } }]);
});

t.test('parameters, query and body go and come back whatever they hold', async (t) => {
  const { client } = await newGateway(t);
  const { userName: user = '' } = await client.getProfile();
  for (const key of ['plain', 'a/b', '100%', '%2F', 'two words', 'grüße 👋', '?#&=;+', "'()*", '...']) {
    const body = { value: { [key]: [1, 'ü', null, { nested: true }] } };
    t.equal(await client.putSetting({ params: { user, key }, body }), undefined);
    t.same(await client.getSetting({ params: { user, key } }), body, key);
  }
});

t.test('the address of a call is where it goes', async (t) => {
  const { baseUrl } = await newGateway(t);
  const asked: string[] = [];
  const client = createClient({
    baseUrl,
    fetch: async (url, init) => {
      asked.push(url);
      return fetch(url, init);
    },
  });
  const call = { params: { user: 'ann', key: 'a/b ?' } };
  await failure(client.getSetting(call));
  t.strictSame(asked, [client.urlOf('getSetting', call)]);
  t.equal(client.urlOf('getSetting', call), `${baseUrl}/ws/v2/profile/settings/ann/a%2Fb%20%3F`);
  const log = { appid: 'a', containerId: 'c', logName: 'l' };
  t.match(client.urlOf('readLog', { params: log, query: { start: 5 } }), /logs\/l\?start=5$/);
  t.throws(() => client.urlOf('getSetting', { params: { user: 'ann', key: '..' } }), {
    code: 'INVALID_CALL',
  });
});

t.test('what can’t be sent is refused before it is', async (t) => {
  const { client, logs } = await newGateway(t);
  for (const key of ['', '.', '..', '\ud800']) {
    const error = await failure(client.getSetting({ params: { user: 'ann', key } }));
    t.match(error, { name: 'ClientError', status: 0, code: 'INVALID_CALL', message: /key/ });
  }
  t.strictSame(logs, []);
});

t.test('an error tells code, status, details and the request of the log', async (t) => {
  const { newClient, logs } = await newGateway(t, { auth: { authenticate: async () => undefined } });
  const error = await failure(newClient().getCapabilities());
  t.type(error, ClientError);
  t.match(error, { status: 401, code: 'NOT_LOGGED_IN', requestId: String(logs[0]?.fields['requestId']) });
  const { client } = await newGateway(t);
  t.match(await failure(client.getApplication({ params: { appid: 'application_1_1' } })), {
    status: 404,
    code: 'NOT_FOUND',
    message: /application_1_1/,
  });
});

t.test('answers that are not the gateway’s are said to be so', async (t) => {
  const { baseUrl } = await newGateway(t);
  const elsewhere = createClient({ baseUrl: `${baseUrl}/elsewhere` });
  t.match(await failure(elsewhere.getHealth()), {
    status: 404,
    code: 'UNEXPECTED_REPLY',
    message: /GET \/ws\/v2\/health was answered with 404, and not by the gateway/,
    details: 'not the gateway',
  });
  const odd = createClient({
    baseUrl,
    checkReplies,
    fetch: async () => Response.json({ status: 'odd' }),
  });
  t.match(await failure(odd.getHealth()), { code: 'UNEXPECTED_REPLY', message: /status/ });
  const page = createClient({ baseUrl, fetch: async () => new Response('<html>') });
  t.match(await failure(page.getHealth()), { code: 'UNEXPECTED_REPLY', message: /not JSON/ });
});

t.test('an answer as it was sent: its text, or with its headers', async (t) => {
  const { client } = await newGateway(t);
  const response = await client.responseOf('getHealth');
  t.ok(response.headers.get('x-request-id'));
  t.equal(await response.text(), await client.textOf('getHealth'));
  t.same(JSON.parse(await client.textOf('getHealth')), { status: 'ok', reasons: [] });
  const call = { params: { appid: 'application_1_1' } };
  t.match(await failure(client.responseOf('getApplication', call)), { status: 404, code: 'NOT_FOUND' });
});

t.test('a gateway that is not there, and a call that is given up', async (t) => {
  const { baseUrl, close } = await listening(createServer());
  await close();
  t.match(await failure(createClient({ baseUrl }).getHealth()), {
    status: 0,
    code: 'UNREACHABLE',
    message: new RegExp(`no answer from ${baseUrl}: .*ECONNREFUSED`),
  });
  const { client } = await newGateway(t);
  const reason = new Error('no longer needed');
  t.equal(await failure(client.getHealth({ signal: AbortSignal.abort(reason) })), reason);
});

t.test('the session stays with the client that logged in', async (t) => {
  const { newClient } = await gatewayWithPasswords(t);
  const [one, two] = [newClient(), newClient()];
  await one.login({ body: { userName: 'admin', password: adminPassword } });
  t.match(await one.getProfile(), { userName: 'admin' });
  t.match(await failure(two.getProfile()), { status: 401 });
  await one.logout();
  t.match(await failure(one.getProfile()), { status: 401 });
});

t.test('cookies are kept by name until they are over', async (t) => {
  const cookies = createCookies();
  const set = (...lines: string[]) =>
    cookies.store(new Headers(lines.map((line): [string, string] => ['set-cookie', line])));
  t.equal(cookies.header(), undefined);
  set('a=1; Path=/; HttpOnly', 'b=x=y==');
  t.equal(cookies.header(), 'a=1; b=x=y==');
  set('a=2', 'odd');
  t.equal(cookies.header(), 'a=2; b=x=y==');
  set('a=; Max-Age=0', 'b=; Expires=Thu, 01 Jan 1970 00:00:00 GMT');
  t.equal(cookies.header(), undefined);
});

t.test('a token and headers go with every call', async (t) => {
  const seen: unknown[] = [];
  const { baseUrl } = await newGateway(t, {
    auth: {
      async authenticate({ headers }) {
        seen.push([headers.authorization, headers['x-a'], headers['x-b']]);
        return { userName: 'ann', roles: ['admin'] };
      },
    },
  });
  let n = 0;
  const client = createClient({ baseUrl, token: 'secret', headers: () => ({ 'x-a': String(++n) }) });
  await client.getCapabilities();
  await client.getCapabilities({ headers: { 'x-b': 'b' } });
  t.strictSame(seen, [
    ['Bearer secret', '1', undefined],
    ['Bearer secret', '2', 'b'],
  ]);
});

t.test('who knows methods and paths is told what is allowed without them', async (t) => {
  const { client } = await newGateway(t);
  const { operations, ...whole } = await client.getCapabilities();
  t.match(
    operations.find(({ id }) => id === 'getAbout'),
    { method: 'GET', path: '/ws/v2/about', allowed: true },
  );
  t.strictSame(await client.getCapabilities({ query: { paths: false } }), {
    ...whole,
    operations: operations.map(({ method: _, path: __, ...allowed }) => allowed),
  });
});

t.test('bytes go and come as streams', async (t) => {
  const { gateway, routes } = createProbe();
  const handle = httpHandler(gateway);
  const { baseUrl, close } = await listening(createServer((req, res) => void handle(req, res)));
  t.teardown(close);
  const routeOf = (id: string) => {
    const found = routes.find((listed) => listed.id === id);
    if (!found) throw new Error(`There is no ${id}`);
    return found.route;
  };
  const options = {
    baseUrl,
    headers: () => ({}),
    cookies: createCookies(),
    fetch: (url: string, init: RequestInit) => fetch(url, init),
    checkReplies: (id: string, answer: unknown) =>
      routeOf(id).reply.schema?.safeParse(answer).error?.issues ?? [],
  };
  const call = (id: string, call: object) => callOperation(options, id, operationOf(routeOf(id)), call);
  async function* pieces() {
    for (let i = 0; i < 50; i++) yield Buffer.alloc(100_000, 'x');
  }
  const whole = Buffer.alloc(5_000_000, 'x');
  for (const body of [whole, whole.toString(), new Blob([whole]), pieces(), Readable.from(pieces())]) {
    t.match(await call('upload', { body }), { size: 5_000_000 });
  }
  t.match(await call('upload', { body: Readable.toWeb(Readable.from(pieces())) }), { size: 5_000_000 });
  t.match(await failure(call('upload', { body: 7 })), { code: 'INVALID_CALL' });

  const download = await call('download', { params: { name: 'a.zip' }, query: { size: 100_000 } });
  if (!(download instanceof Response)) throw new Error('A file comes as a Response');
  t.equal((await download.arrayBuffer()).byteLength, 100_000);
  t.equal(download.headers.get('content-type'), 'application/zip');
  const text = await call('getText', { params: { name: 'a' } });
  t.equal(text instanceof Response && (await text.text()), 'first line\ngrüße\n');
  t.same(await call('getRest', { params: { rest: 'a%2Fb/c' } }), { rest: 'a%2Fb/c' });
});

t.test('an answer comes as its text, with every digit', async (t) => {
  const { client } = await newGateway(t);
  const { userName: user = '' } = await client.getProfile();
  const params = { user, key: 'wide' };
  await client.putSetting({ params, body: { value: 'x' } });
  t.equal(await client.textOf('getSetting', { params }), '{"value":"x"}');
  t.match(await failure(client.textOf('getSetting', { params: { user, key: 'none' } })), {
    name: 'ClientError',
    status: 404,
  });
});
