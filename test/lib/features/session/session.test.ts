import { once } from 'node:events';
import { createServer, request } from 'node:https';
import type { AddressInfo } from 'node:net';
import t from 'tap';
import { WebSocket } from 'ws';
import { fromHost } from '../../../../adapters/auth/from-host.js';
import { passwordSessions } from '../../../../adapters/auth/password.js';
import { httpHandler } from '../../../../adapters/host/http.js';
import { memoryStorage } from '../../../../adapters/storage/memory.js';
import { authentication } from '../../../../lib/http/authentication.js';
import { allPermissions, type Storage } from '../../../../lib/index.js';
import { filesystemStorage } from '../../../../packages/level/index.js';
import {
  adminPassword,
  gatewayWithPasswords,
  passwordOf,
  refuses,
  statuses,
} from '../../../helpers/accounts.js';
import { emptyCluster } from '../../../helpers/empty-cluster.js';
import { testFolder } from '../../../helpers/folder.js';
import { newGateway } from '../../../helpers/gateway.js';
import { certificate, key } from '../../../helpers/tls-front.js';
import { untilTrue } from '../../../helpers/waiting.js';

// Real password hashes, on a machine that has other things to do.
const basic = (userName: string, password: string) => ({
  authorization: `Basic ${Buffer.from(`${userName}:${password}`).toString('base64')}`,
});

/** Login without the client: status, headers and body as they are. */
async function post(baseUrl: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
  const response = await fetch(`${baseUrl}${path}`, {
    method: 'POST',
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const answer: Record<string, unknown> = JSON.parse(await response.text());
  return { status: response.status, headers: response.headers, answer };
}
const cookieOf = (headers: Headers) => headers.get('set-cookie')?.split(';', 1)[0] ?? '';

t.test('login opens a session and tells the profile; logout ends it, as often as one likes', async (t) => {
  const { baseUrl, newClient } = await newGateway(t, {
    auth: passwordSessions(),
    initialAdmin: { password: adminPassword },
  });
  const login = await post(baseUrl, '/ws/v2/login', { userName: 'admin', password: adminPassword });
  t.equal(login.status, 200);
  t.strictSame(login.answer, {
    authScheme: 'password',
    userName: 'admin',
    roles: ['admin'],
    permissions: [...allPermissions],
  });
  t.match(
    login.headers.getSetCookie()[0],
    /^headgate_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/,
  );
  const cookie = cookieOf(login.headers);
  t.match(await newClient({ headers: { cookie } }).getProfile(), { userName: 'admin' });

  const again = await post(
    baseUrl,
    '/ws/v2/login',
    { userName: 'admin', password: adminPassword },
    { cookie },
  );
  const next = cookieOf(again.headers);
  t.not(next, cookie, 'another one');
  await refuses(t, newClient({ headers: { cookie } }).getProfile(), { status: 401 }, 'instead of the first');

  for (const sent of [next, next, '', 'headgate_session=', 'headgate_session=nonsense']) {
    const logout = await post(baseUrl, '/ws/v2/logout', undefined, { cookie: sent });
    t.equal(logout.status, 200);
    t.strictSame(logout.answer, {});
    t.match(logout.headers.get('set-cookie'), /^headgate_session=; Max-Age=0; Path=\/; HttpOnly/);
  }
  await refuses(t, newClient({ headers: { cookie: next } }).getProfile(), {
    status: 401,
    code: 'NOT_LOGGED_IN',
  });
});

t.test('over TLS that ends here the cookie is for TLS only, unless the host says otherwise', async (t) => {
  for (const [cookie, secure] of [
    [{}, '; Secure'],
    [{ secure: false }, ''],
  ] as const) {
    const { gateway } = await newGateway(t, {
      auth: passwordSessions({ cookie }),
      initialAdmin: { password: adminPassword },
    });
    const handle = httpHandler(gateway);
    const server = createServer({ key, cert: certificate }, (req, res) => void handle(req, res));
    t.teardown(() => server.close());
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const setCookie = async (path: string, body = '') => {
      const asked = request({ host: '127.0.0.1', port, path, method: 'POST', ca: certificate, agent: false });
      const [answer] = await once(asked.end(body), 'response');
      answer.resume();
      return String(answer.headers['set-cookie']?.[0]);
    };
    const admin = JSON.stringify({ userName: 'admin', password: adminPassword });
    t.match(await setCookie('/ws/v2/login', admin), new RegExp(`SameSite=Strict${secure}$`));
    t.match(await setCookie('/ws/v2/logout'), new RegExp(`Max-Age=0; .*SameSite=Strict${secure}$`));
  }
});

t.test('a failed login says the same whatever was wrong, and opens nothing', async (t) => {
  const { baseUrl } = await newGateway(t, {
    auth: passwordSessions(),
    initialAdmin: { password: adminPassword },
  });
  const login = (userName: unknown, password: unknown) =>
    post(baseUrl, '/ws/v2/login', { userName, password });
  const failures = [
    await login('admin', 'wrong'),
    await login('nobody', 'wrong'),
    await login('admin', ''),
    await login('__proto__', 'x'),
  ];
  for (const { status, headers, answer } of failures) {
    t.equal(status, 401);
    t.equal(headers.get('set-cookie'), null);
    t.equal(headers.get('www-authenticate'), null, 'no browser asks for a password by itself');
    const { requestId, ...rest } = answer;
    t.strictSame(rest, {
      message: 'Login failed: the user name or the password is wrong',
      code: 'LOGIN_FAILED',
    });
  }
  t.equal((await login('admin', 7)).status, 400);
  t.equal((await login(undefined, 'x')).status, 400);
  t.equal((await login('admin', 'x'.repeat(2000))).status, 400);
  t.equal((await login('admin', 'x'.repeat(5000))).status, 413);
  const foreign = { origin: 'https://evil.example' };
  const crossSite = await post(
    baseUrl,
    '/ws/v2/login',
    { userName: 'admin', password: adminPassword },
    foreign,
  );
  t.equal(crossSite.status, 403);
  t.equal(crossSite.answer['code'], 'FOREIGN_ORIGIN');
});

t.test('after five failures every door is shut for a while, also for the right password', async (t) => {
  // Time stands still, however busy the machine is.
  const elapsed = { millis: 0 };
  const clock = { now: () => Date.now(), monotonic: () => elapsed.millis };
  const { admin, baseUrl, login, newClient, user } = await gatewayWithPasswords(t, { clock });
  await user('ann', 'operator');
  const session = await post(baseUrl, '/ws/v2/login', { userName: 'ann', password: passwordOf('ann') });
  // Without the device cookie, which has failures of its own.
  const ann = newClient({ headers: { cookie: cookieOf(session.headers) } });
  const params = { user: 'ann' };
  await refuses(t, ann.changeUser({ params, body: { oldPassword: 'wrong', newPassword: 'x' } }), {
    status: 403,
  });
  await refuses(t, newClient({ headers: basic('ann', 'wrong') }).getProfile(), { status: 401 });
  const logins = await statuses(
    Array.from({ length: 20 }, () => newClient().login({ body: { userName: 'ann', password: 'wrong' } })),
  );
  t.equal(logins.filter((status) => status === 401).length, 3, logins.join());
  t.equal(logins.filter((status) => status === 429).length, 17);

  const locked = await post(baseUrl, '/ws/v2/login', { userName: 'ann', password: passwordOf('ann') });
  t.equal(locked.status, 429);
  t.equal(locked.headers.get('retry-after'), '1');
  t.match(locked.answer, { code: 'TOO_MANY_REQUESTS', message: /try again in 1 s/ });
  const otherDoors = await statuses([
    newClient({ headers: basic('ann', passwordOf('ann')) }).getProfile(),
    ann.changeUser({ params, body: { oldPassword: passwordOf('ann'), newPassword: 'x' } }),
  ]);
  t.strictSame(otherDoors, [429, 429]);
  t.ok(await ann.getProfile(), 'a session that is open stays');
  t.ok(await admin.getProfile());
  elapsed.millis += 1000;
  t.ok(await login('ann'));
});

t.test('Basic is for scripts, with the same rights', async (t) => {
  const { admin, newClient, user } = await gatewayWithPasswords(t);
  await user('ann', 'operator');
  const script = newClient({ headers: basic('ann', passwordOf('ann')) });
  t.match(await script.getProfile(), { authScheme: 'password', userName: 'ann', roles: ['operator'] });
  await refuses(t, script.listUsers(), { status: 403, details: { permission: 'MANAGE_USERS' } });
  await admin.changeUser({ params: { user: 'ann' }, body: { newPassword: 'a new word' } });
  await refuses(t, script.getProfile(), { status: 401 }, 'no longer, though it was right a moment ago');
  t.ok(await newClient({ headers: basic('ann', 'a new word') }).getProfile());
  await admin.deleteUser({ params: { user: 'ann' } });
  await refuses(t, newClient({ headers: basic('ann', 'a new word') }).getProfile(), { status: 401 });
});

t.test('passwords: one’s own needs the old one, an administrator’s reset does not', async (t) => {
  const { admin, login, user } = await gatewayWithPasswords(t);
  const ann = await user('ann', 'operator');
  const elsewhere = await login('ann');
  const params = { user: 'ann' };
  await refuses(t, admin.createUser({ params: { user: 'bea' }, body: {} }), {
    status: 400,
    details: [{ path: 'body.password' }],
  });
  await refuses(t, ann.changeUser({ params, body: { newPassword: 'a new word' } }), {
    status: 400,
    details: [{ path: 'body.oldPassword' }],
  });
  await refuses(t, ann.changeUser({ params, body: { oldPassword: '', newPassword: 'a new word' } }), {
    status: 403,
  });
  await refuses(t, ann.changeUser({ params, body: {} }), { status: 400 });
  t.ok(await elsewhere.getProfile());
  await ann.changeUser({
    params,
    body: { oldPassword: passwordOf('ann'), newPassword: 'a new word', roles: ['operator'] },
  });
  t.ok(await ann.getProfile(), 'the session that did it stays');
  await refuses(t, elsewhere.getProfile(), { status: 401 }, 'the others end');
  await refuses(t, login('ann', passwordOf('ann')), { status: 401 });

  await admin.changeUser({ params, body: { newPassword: 'a third word' } });
  await refuses(t, ann.getProfile(), { status: 401 }, 'a reset ends all of them');
  t.ok(await login('ann', 'a third word'));
  await refuses(
    t,
    admin.changeUser({ params: { user: 'admin' }, body: { newPassword: 'x' } }),
    { status: 400, details: [{ path: 'body.oldPassword' }] },
    'not for one’s own',
  );
});

t.test('a deleted user is out at once, and stays out when the name is given again', async (t) => {
  const { admin, user } = await gatewayWithPasswords(t);
  const ann = await user('ann', 'operator');
  await admin.deleteUser({ params: { user: 'ann' } });
  await refuses(t, ann.getProfile(), { status: 401 });
  await admin.createUser({
    params: { user: 'ann' },
    body: { password: passwordOf('ann'), roles: ['operator'] },
  });
  await refuses(t, ann.getProfile(), { status: 401 });
});

t.test('who has no roles may not come in, and who loses them is out, but may log out', async (t) => {
  const { admin, baseUrl, user } = await gatewayWithPasswords(t);
  await admin.createUser({ params: { user: 'bea' }, body: { password: passwordOf('bea') } });
  const refused = await post(baseUrl, '/ws/v2/login', { userName: 'bea', password: passwordOf('bea') });
  t.equal(refused.status, 403);
  t.match(refused.answer, { code: 'FORBIDDEN', message: /bea has no roles/ });
  t.equal(refused.headers.get('set-cookie'), null);

  const ann = await user('ann', 'operator');
  await admin.changeUser({ params: { user: 'ann' }, body: { roles: [] } });
  await refuses(t, ann.getProfile(), { status: 403, message: /no roles/ });
  t.ok(await ann.getHealth());
  await ann.logout();
  await refuses(t, ann.getProfile(), { status: 401 });
});

interface Listener {
  readonly socket: WebSocket;
  readonly heard: string[];
}

async function openSocket(
  t: { teardown(end: () => void): unknown },
  baseUrl: string,
  headers: Record<string, string>,
): Promise<Listener> {
  const socket = new WebSocket(`${baseUrl.replace('http', 'ws')}/pubsub?errors=true`, { headers });
  const heard: string[] = [];
  socket.on('message', (data) => heard.push(String(data)));
  await once(socket, 'open');
  t.teardown(() => socket.terminate());
  return { socket, heard };
}

t.test('open sockets obey: rights that change, sessions that end', async (t) => {
  const { admin, baseUrl, user } = await gatewayWithPasswords(t);
  await user('ann', 'operator');
  const open = (headers: Record<string, string>) => openSocket(t, baseUrl, headers);
  const session = async (userName: string) =>
    cookieOf((await post(baseUrl, '/ws/v2/login', { userName, password: passwordOf(userName) })).headers);
  const cookie = await session('ann');
  const listener = await open({ cookie });
  const other = await open({ cookie: await session('ann') });
  listener.socket.send(JSON.stringify({ type: 'subscribe', topic: 'cluster.metrics' }));
  await untilTrue(() => listener.heard.some((text) => text.includes('"cluster.metrics"')));

  await admin.putRole({ params: { role: 'operator' }, body: { permissions: ['VIEW_LOGS'] } });
  await untilTrue(() => listener.heard.some((text) => text.includes('"error"')));
  t.equal(listener.socket.readyState, WebSocket.OPEN);

  const closed = once(listener.socket, 'close');
  await post(baseUrl, '/ws/v2/logout', undefined, { cookie });
  t.equal((await closed)[0], 1008);
  t.equal(other.socket.readyState, WebSocket.OPEN, 'only the session that ended');

  const script = await open(basic('ann', passwordOf('ann')));
  const bothClosed = Promise.all([once(other.socket, 'close'), once(script.socket, 'close')]);
  await admin.deleteUser({ params: { user: 'ann' } });
  await bothClosed;
});

t.test('a session ends by itself, but not while its socket sends', async (t) => {
  const elapsed = { millis: 0 };
  const clock = { now: () => Date.now(), monotonic: () => elapsed.millis };
  const { baseUrl, newClient } = await newGateway(t, {
    clock,
    auth: passwordSessions({ idleMillis: 30 * 60_000 }),
    initialAdmin: { password: adminPassword },
  });
  const login = await post(baseUrl, '/ws/v2/login', { userName: 'admin', password: adminPassword });
  const headers = { cookie: cookieOf(login.headers) };
  const { socket, heard } = await openSocket(t, baseUrl, headers);
  for (let i = 1; i <= 3; i++) {
    elapsed.millis += 29 * 60_000;
    socket.send(JSON.stringify({ type: 'subscribe', topic: 'news' }));
    socket.send(JSON.stringify({ type: 'publish', topic: 'news', data: { round: i } }));
    await untilTrue(() => heard.some((text) => text.includes(`"round":${i}`)));
  }
  t.ok(await newClient({ headers }).getProfile());
  elapsed.millis += 30 * 60_000;
  const closed = once(socket, 'close');
  await refuses(t, newClient({ headers }).getProfile(), { status: 401 });
  t.equal((await closed)[0], 1008);
});

t.test('login where the gateway opens no sessions', async (t) => {
  const body = { userName: 'ann', password: 'x' };
  const off = await newGateway(t);
  const { authScheme, userName, roles, permissions } = await off.client.login({ body });
  t.equal(authScheme, undefined);
  t.strictSame([roles, permissions], [['admin'], [...allPermissions]]);
  t.strictSame(await off.client.getProfile(), { userName, roles, permissions });
  t.strictSame((await post(off.baseUrl, '/ws/v2/logout')).answer, {});

  const host = await newGateway(t, { auth: fromHost(() => ({ userName: 'ann', roles: ['operator'] })) });
  await refuses(t, host.client.login({ body }), { status: 501, code: 'NOT_SUPPORTED', message: /host/ });
  t.match(await host.client.getProfile(), { authScheme: 'host', userName: 'ann', roles: ['operator'] });
  t.strictSame((await post(host.baseUrl, '/ws/v2/logout')).answer, {});

  const nobody = authentication(undefined)({ headers: {}, remoteAddress: '', raw: undefined });
  await refuses(t, nobody, { status: 401, message: /pass `auth` to createGateway/ });
});

t.test('names that a host brings have limits, and a host that fails is not our failure', async (t) => {
  const { newClient } = await newGateway(t, {
    auth: fromHost((_, { headers }) => {
      if (headers['x-fail']) throw new Error('the session database is down');
      return { userName: decodeURIComponent(String(headers['x-user'])), roles: ['operator'] };
    }),
  });
  const as = (userName: string) => newClient({ headers: { 'x-user': encodeURIComponent(userName) } });
  for (const name of ['x'.repeat(129), 'line\nbreak', 'nul\u0000']) {
    await refuses(t, as(name).getProfile(), { status: 403, message: /128 characters/ });
  }
  for (const name of ['DOMAIN\\ann', 'a/b', 'ann (external)', '%', '__proto__']) {
    const client = as(name);
    t.match(await client.getProfile(), { userName: name });
    await client.putSetting({ params: { user: name, key: 'k' }, body: { value: name } });
    t.strictSame({ ...(await client.listOwnSettings()) }, { k: name });
  }
  t.strictSame({ ...(await as('a').listOwnSettings()) }, {}, 'a and a/b are different people');
  const failing = newClient({ headers: { 'x-fail': '1' } });
  await refuses(t, failing.getProfile(), { status: 502, code: 'UNREACHABLE' });
  t.ok(await failing.getHealth(), 'what is public goes on');
});

t.test('after a restart accounts, roles and settings are there, and sessions are not', async (t) => {
  const directory = testFolder(t);
  const first = await gatewayWithPasswords(t, { storage: await filesystemStorage({ directory }) });
  const ann = await first.user('ann', 'operator');
  await first.admin.putRole({ params: { role: 'pilot' }, body: { permissions: ['LAUNCH_APPS'] } });
  await first.admin.deleteRole({ params: { role: 'developer' } });
  await ann.putSetting({ params: { user: 'ann', key: 'theme' }, body: { value: ['dark'] } });
  const login = await post(first.baseUrl, '/ws/v2/login', { userName: 'ann', password: passwordOf('ann') });
  const cookie = cookieOf(login.headers);
  await first.gateway.close();

  const second = await gatewayWithPasswords(t, { storage: await filesystemStorage({ directory }) });
  t.equal(second.gateway.initialAdminPassword, undefined);
  t.strictSame(
    (await second.admin.listRoles()).roles.map(({ name }) => name),
    ['admin', 'operator', 'pilot'],
  );
  await refuses(t, second.newClient({ headers: { cookie } }).getProfile(), { status: 401 });
  t.match(await (await second.login('ann')).listOwnSettings(), { theme: ['dark'] });
});

t.test('the first administrator', async (t) => {
  const storage = memoryStorage();
  const keptOpen: Storage = { ...storage, close: async () => {} };
  const generated = await newGateway(t, { storage: keptOpen, auth: passwordSessions() });
  const password = generated.gateway.initialAdminPassword ?? '';
  t.match(password, /^[\w-]{20}$/);
  t.match(await generated.newClient().login({ body: { userName: 'admin', password } }), { roles: ['admin'] });

  const again = await newGateway(t, {
    storage: keptOpen,
    auth: passwordSessions(),
    initialAdmin: { password: 'ignored' },
  });
  t.equal(again.gateway.initialAdminPassword, undefined);
  await refuses(t, again.newClient().login({ body: { userName: 'admin', password: 'ignored' } }), {
    status: 401,
  });
  t.ok(await again.newClient().login({ body: { userName: 'admin', password } }));

  const given = await newGateway(t, { auth: passwordSessions(), initialAdmin: { password: 'a given word' } });
  t.equal(given.gateway.initialAdminPassword, undefined, 'the host knows it');
  t.ok(await given.newClient().login({ body: { userName: 'admin', password: 'a given word' } }));
  await refuses(t, newGateway(t, { auth: passwordSessions(), initialAdmin: { password: '' } }), {
    message: /initialAdmin.password/,
  });
  const off = await newGateway(t);
  t.equal(off.gateway.initialAdminPassword, undefined);
  t.strictSame(await off.client.listUsers(), { users: [] }, 'nobody is made where no password is asked for');
});

t.test(
  'a start that fails leaves nothing open, and no administrator whose password nobody knows',
  async (t) => {
    const directory = testFolder(t);
    const failing = { ...emptyCluster(), open: () => Promise.reject(new Error('no cluster')) };
    for (const _ of [1, 2]) {
      const storage = await filesystemStorage({ directory });
      await refuses(t, newGateway(t, { storage, cluster: failing, auth: passwordSessions() }), {
        message: 'no cluster',
      });
    }
    const { gateway } = await newGateway(t, {
      storage: await filesystemStorage({ directory }),
      auth: passwordSessions(),
    });
    t.type(gateway.initialAdminPassword, 'string');
  },
);

t.test('no secret reaches the log or the storage', async (t) => {
  const storage = memoryStorage();
  const { baseUrl, login, logs, newClient, user } = await gatewayWithPasswords(t, { storage });
  const ann = await user('ann-the-secret', 'operator');
  await ann.changeUser({
    params: { user: 'ann-the-secret' },
    body: { oldPassword: passwordOf('ann-the-secret'), newPassword: 'second secret' },
  });
  const answer = await post(baseUrl, '/ws/v2/login', {
    userName: 'ann-the-secret',
    password: 'second secret',
  });
  const [, cookie = ''] = cookieOf(answer.headers).split('=');
  await statuses([
    login('ann-the-secret', 'third secret'),
    newClient({ headers: basic('ann-the-secret', 'third secret') }).getProfile(),
  ]);
  const kept: unknown[] = [];
  for (const collection of ['users', 'roles', 'settings', 'settings-use']) {
    for await (const entry of storage.documents.entries(collection)) kept.push(entry);
  }
  const logged = JSON.stringify(logs);
  const written = JSON.stringify(kept);
  t.match(written, 'ann-the-secret');
  t.match(logged, '/ws/v2/login');
  for (const secret of [
    adminPassword,
    passwordOf('ann-the-secret'),
    'second secret',
    'third secret',
    cookie,
    basic('ann-the-secret', 'third secret').authorization.slice(6),
  ]) {
    t.notOk(logged.includes(secret), 'log');
    t.notOk(written.includes(secret), 'storage');
  }
});

t.test('everybody sees their own sessions, and ends them one by one', async (t) => {
  const living = await gatewayWithPasswords(t);
  const { admin, login } = living;
  const ana = await living.user('ana', 'operator');
  const elsewhere = await login('ana', passwordOf('ana'));
  const { sessions } = await ana.listOwnSessions();
  t.strictSame(
    sessions.map(({ isCurrent }) => isCurrent),
    [true, false],
    'the one used last first',
  );
  const [here, there] = sessions;
  t.match(here, { remoteAddress: /127\.0\.0\.1/, userAgent: String });
  t.ok(here && Math.abs(here.createdAt - Date.now()) < 60_000 && here.lastUsedAt >= here.createdAt);

  const id = there?.id ?? '';
  await refuses(t, admin.endSession({ params: { id } }), { status: 404 }, 'others’ sessions are not there');
  await elsewhere.getProfile();
  await ana.endSession({ params: { id } });
  await refuses(t, elsewhere.getProfile(), { status: 401 });
  t.equal((await ana.listOwnSessions()).sessions.length, 1);
  await refuses(t, ana.endSession({ params: { id } }), { status: 404 });
  await ana.endSession({ params: { id: here?.id ?? '' } });
  await refuses(t, ana.getProfile(), { status: 401 }, 'the session that asks is one as any');
});

t.test('a host’s own sessions are not ours to list', async (t) => {
  const { newClient } = await newGateway(t, {
    auth: fromHost(() => ({ userName: 'ana', roles: ['admin'] })),
  });
  const client = newClient();
  await refuses(t, client.listOwnSessions(), { status: 501 });
  await refuses(t, client.endSession({ params: { id: 'x' } }), { status: 501 });
});
