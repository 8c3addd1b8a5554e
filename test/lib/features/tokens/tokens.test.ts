import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { WebSocket } from 'ws';
import { firstOf } from '../../../../adapters/auth/first-of.js';
import { fromHost } from '../../../../adapters/auth/from-host.js';
import { type ApiTokensOptions, apiTokens } from '../../../../adapters/auth/tokens.js';
import type { Client } from '../../../../lib/client.js';
import type { CallerRequest, GatewayOptions } from '../../../../lib/index.js';
import { authenticatorContract } from '../../../../packages/contracts/authenticator.js';
import { filesystemStorage } from '../../../../packages/level/index.js';
import { gatewayWithAccounts, refuses } from '../../../helpers/accounts.js';
import { newGateway } from '../../../helpers/gateway.js';
import { until } from '../../../helpers/waiting.js';

const named = ({ headers }: CallerRequest) => {
  const userName = headers['x-user'];
  if (typeof userName !== 'string') return undefined;
  const roles = userName === 'root' ? ['admin'] : headers['x-roles'];
  return { userName, ...(roles === undefined ? {} : { roles: [roles].flat() }) };
};

const gatewayWithTokens = (
  t: Parameters<typeof gatewayWithAccounts>[0],
  more: Partial<GatewayOptions> = {},
  tokens: ApiTokensOptions = {},
) =>
  gatewayWithAccounts(t, {
    auth: firstOf(
      fromHost((_, request) => named(request)),
      apiTokens(tokens),
    ),
    ...more,
  });

const handClock = (wall = 1_800_000_000_000) => {
  const clock = { wall, now: () => clock.wall, monotonic: () => performance.now() };
  return clock;
};

const hour = 60 * 60_000;

const make = (client: Client, body: { permissions?: string[]; validSeconds?: number } = {}) =>
  client.createToken({ body: { name: 'script', ...body } });

t.test('what every authenticator promises', async (t) => {
  await authenticatorContract(t, { create: () => firstOf(apiTokens()) });
});

t.test('a token acts for its user, and is shown once and kept as a digest', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'headgate-tokens-'));
  t.teardown(() => rm(directory, { recursive: true }));
  const storage = await filesystemStorage({ directory });
  const living = await gatewayWithTokens(t, { storage });
  const ada = await living.user('ada', 'developer');
  const { token, id, ...rest } = await make(ada);
  t.match(token, /^hgt_[0-9a-f]{16}_[\w-]{43}$/);
  t.match(rest, { userName: 'ada', name: 'script' });
  const script = living.newClient({ token });
  const { permissions } = await ada.getProfile();
  t.match(await script.getProfile(), {
    userName: 'ada',
    authScheme: 'token',
    roles: ['developer'],
    permissions,
  });
  const { tokens } = await ada.listOwnTokens();
  t.equal(tokens.length, 1);
  t.match(tokens[0], { id, lastUsedAt: Math.floor(Date.now() / hour) * hour });
  t.notOk(JSON.stringify(tokens).includes(token.slice(22)), 'nor is it shown again');

  await living.gateway.close();
  const files = await readdir(directory, { recursive: true, withFileTypes: true });
  for (const file of files.filter((entry) => entry.isFile())) {
    const content = await readFile(join(file.parentPath, file.name), 'latin1');
    t.notOk(content.includes(token.slice(22)), `${file.name} does not hold the secret`);
  }

  const again = await newGateway(t, {
    auth: firstOf(apiTokens()),
    storage: await filesystemStorage({ directory }),
  });
  t.match(await again.newClient({ token }).getProfile(), { userName: 'ada' }, 'it outlives a restart');
});

t.test('rights are those of the user at this moment', async (t) => {
  const living = await gatewayWithTokens(t);
  const ada = await living.user('ada', 'developer');
  const { token } = await make(ada);
  const script = living.newClient({ token });
  await script.getClusterMetrics();
  await living.admin.changeUser({ params: { user: 'ada' }, body: { roles: [] } });
  await refuses(t, script.getClusterMetrics(), { status: 403 });
  await living.admin.changeUser({ params: { user: 'ada' }, body: { roles: ['admin'] } });
  await script.listUsers();
  await living.admin.deleteUser({ params: { user: 'ada' } });
  await refuses(t, script.getProfile(), { status: 401 });
  await living.user('ada', 'admin');
  await refuses(t, script.getProfile(), { status: 401 }, 'a namesake does not bring it back');
  t.strictSame(await living.admin.listTokens(), { tokens: [] });
});

t.test('a scope takes away, also from administrators', async (t) => {
  const living = await gatewayWithTokens(t);
  const { token } = await make(living.admin, { permissions: ['MANAGE_ROLES', 'VIEW_GLOBAL_CONFIG'] });
  const script = living.newClient({ token });
  t.match(await script.getProfile(), { permissions: ['VIEW_GLOBAL_CONFIG', 'MANAGE_ROLES'] });
  await script.getClusterMetrics();
  await script.putRole({ params: { role: 'viewer' }, body: { permissions: [] } });
  await refuses(t, script.listUsers(), { status: 403 });
  await refuses(t, script.deleteUser({ params: { user: 'admin' } }), { status: 403 });
  const ada = await living.user('ada', 'viewer');
  await refuses(t, make(ada, { permissions: ['MANAGE_USERS'] }), {
    status: 400,
    message: /you do not have MANAGE_USERS yourself/,
  });
  await refuses(t, make(ada, { permissions: ['FLY'] }), { status: 400, message: /no permission FLY/ });
  await refuses(t, make(script), { status: 403, message: /makes no tokens/ });
});

t.test('who may list and revoke', async (t) => {
  const living = await gatewayWithTokens(t, { tokens: { perUser: 2, total: 4 } });
  const ada = await living.user('ada', 'developer');
  const eve = await living.user('eve', 'developer');
  const first = await make(ada);
  const second = await make(ada);
  await refuses(t, make(ada), { status: 409, message: /ada has 2 tokens already/ });
  await make(eve);
  await make(eve);
  await refuses(t, make(living.admin), { status: 409, message: /There are 4 tokens/ });

  await refuses(t, eve.listTokens(), { status: 403 });
  await refuses(t, eve.deleteToken({ params: { id: first.id } }), {
    status: 404,
    message: `There is no token "${first.id}"`,
  });
  await living.newClient({ token: first.token }).getProfile();
  await ada.deleteToken({ params: { id: first.id } });
  await refuses(t, living.newClient({ token: first.token }).getProfile(), { status: 401 });
  t.equal((await living.admin.listTokens()).tokens.length, 3);
  t.equal((await living.admin.listTokens({ query: { user: 'eve' } })).tokens.length, 2);
  await living.admin.deleteToken({ params: { id: second.id } });
  await refuses(t, living.newClient({ token: second.token }).getProfile(), { status: 401 });
  await living.admin.deleteTokensOfUser({ params: { user: 'eve' } });
  t.strictSame(await living.admin.listTokens(), { tokens: [] });
});

t.test('forged, foreign, replayed and misplaced ones', async (t) => {
  const clock = handClock();
  const living = await gatewayWithTokens(t, { clock });
  const ada = await living.user('ada', 'developer');
  const { token, id } = await make(ada, { validSeconds: 60 });
  const other = (await make(ada)).token;
  const ask = (headers: Record<string, string>, path = '/ws/v2/profile/user') =>
    fetch(`${living.baseUrl}${path}`, { headers }).then(({ status }) => status);
  const changed = `${token.slice(0, -2)}${token.endsWith('A') ? 'BB' : 'AA'}`;
  const forged = [
    changed,
    token.slice(0, -1),
    `${token}A`,
    token.toUpperCase(),
    `hgt_${id}_${other.slice(21)}`,
    `hgt_${'0'.repeat(16)}_${'A'.repeat(43)}`,
    `hgt_${id}_`,
    id,
    '__proto__',
    'x'.repeat(10_000),
  ];
  for (const text of forged) t.equal(await ask({ authorization: `Bearer ${text}` }), 401, text.slice(0, 40));
  t.equal(await ask({ authorization: `bearer   ${token} ` }), 200, 'the word in any case');
  t.equal(await ask({ authorization: `Basic ${token}` }), 401);
  t.equal(await ask({ cookie: `headgate_session=${token}` }), 401, 'a cookie it is not');
  for (const query of [`access_token=${token}`, `token=${token}`, `x=1&anything=${token}`])
    t.equal(await ask({}, `/ws/v2/profile/user?${query}`), 400, query.slice(0, 20));
  t.equal(
    await ask({ authorization: `Bearer ${token}` }, `/ws/v2/profile/user?access_token=${token}`),
    400,
    'not even together with the right place',
  );
  clock.wall += 60_000;
  t.equal(await ask({ authorization: `Bearer ${token}` }), 401, 'expired');
  t.equal(await ask({ authorization: `Bearer ${other}` }), 200);
  await refuses(t, make(ada, { validSeconds: 1 }), { status: 400 });
  await refuses(t, make(ada, { validSeconds: 1e9 }), { status: 400 });
  await refuses(t, ada.createToken({ body: { name: 'a\u0000b' } }), { status: 400 });
});

t.test('WebSockets: it opens them, and they end with it', async (t) => {
  const living = await gatewayWithTokens(t);
  const ada = await living.user('ada', 'developer');
  const url = `${living.baseUrl.replace('http', 'ws')}/pubsub?errors=true`;
  const open = (token: string, at = url) =>
    new WebSocket(at, { headers: { authorization: `Bearer ${token}` } });
  const refusal = async (socket: WebSocket) => {
    socket.on('error', () => {});
    const [, response] = await once(socket, 'unexpected-response');
    socket.terminate();
    return Number(response.statusCode);
  };
  const scoped = await make(ada, { permissions: [] });
  const whole = await make(ada);
  const socket = open(whole.token);
  await once(socket, 'open');
  const small = open(scoped.token);
  await once(small, 'open');
  small.send('{"type":"subscribe","topic":"cluster.metrics"}');
  const [answer] = await once(small, 'message');
  t.match(String(answer), /"code":"FORBIDDEN"/, 'a scope holds here, too');

  t.equal(await refusal(open(`${whole.token.slice(0, -2)}__`)), 401);
  t.equal(await refusal(new WebSocket(`${url}&access_token=${whole.token}`)), 400);
  const closed = once(socket, 'close');
  await ada.deleteToken({ params: { id: whole.id } });
  const [code] = await closed;
  t.equal(code, 1008);
  t.equal(await refusal(open(whole.token)), 401);
  const gone = once(small, 'close');
  await living.admin.deleteUser({ params: { user: 'ada' } });
  await gone;
});

t.test('users whose roles the host brings', async (t) => {
  const living = await gatewayWithTokens(t);
  await living.user('root2', 'admin');
  const guest = living.newClient({ headers: { 'x-user': 'root2', 'x-roles': 'operator' } });
  await refuses(
    t,
    make(guest),
    { status: 403, message: /Your roles come from elsewhere/ },
    'no namesake gains by it',
  );

  const users = new Map([['max', ['operator']]]);
  const identityOf = async (userName: string) => {
    const roles = users.get(userName);
    return roles && { userName: 'somebody else', roles };
  };
  const host = await gatewayWithTokens(t, {}, { identityOf });
  const { token } = await make(host.newClient({ headers: { 'x-user': 'max', 'x-roles': 'operator' } }));
  const script = host.newClient({ token });
  t.match(await script.getProfile(), { userName: 'max', roles: ['operator'] });
  users.set('max', ['developer']);
  t.match(await script.getProfile(), { roles: ['developer'] });
  users.delete('max');
  await refuses(t, script.getProfile(), { status: 401 });
});

t.test('without apiTokens() there are none', async (t) => {
  const living = await gatewayWithAccounts(t);
  await refuses(t, make(living.admin), { status: 501, message: /apiTokens\(\)/ });
  t.strictSame(await living.admin.listOwnTokens(), { tokens: [] });
});

t.test('the last use is written once an hour, however often it is', async (t) => {
  const clock = handClock();
  const directory = await mkdtemp(join(tmpdir(), 'headgate-tokens-'));
  t.teardown(() => rm(directory, { recursive: true }));
  const inner = await filesystemStorage({ directory });
  let writes = 0;
  const storage = {
    ...inner,
    documents: {
      ...inner.documents,
      write(batch: Parameters<typeof inner.documents.write>[0]) {
        writes += batch.filter(({ collection }) => collection === 'tokens').length;
        return inner.documents.write(batch);
      },
    },
  };
  const living = await gatewayWithTokens(t, { clock, storage });
  const { token } = await make(living.admin);
  const script = living.newClient({ token });
  for (let i = 0; i < 30; i++) await script.getProfile();
  clock.wall += hour;
  await script.getProfile();
  await living.gateway.close();
  t.equal(writes, 2, 'its making and, at the end, its use');
  const reopened = await filesystemStorage({ directory });
  for await (const [, { value }] of reopened.documents.entries('tokens'))
    t.match(value, { lastUsedAt: Math.floor(clock.wall / hour) * hour });
  await reopened.close();
});

t.test('making tokens while the user is deleted leaves none', async (t) => {
  const living = await gatewayWithTokens(t, { tokens: { perUser: 1000 } });
  for (let round = 0; round < 10; round++) {
    const ada = await living.user('ada', 'developer');
    const made = Array.from({ length: 10 }, () => make(ada));
    const deleted = living.admin.deleteUser({ params: { user: 'ada' } });
    await Promise.allSettled([...made, deleted]);
    await until(
      async () => (await living.admin.listTokens({ query: { user: 'ada' } })).tokens.length,
      (count) => count === 0,
    );
  }
});
