import { once } from 'node:events';
import { createServer } from 'node:net';
import t from 'tap';
import { WebSocket } from 'ws';
import { type ConfiguredAuthOptions, configuredAuth } from '../../../../adapters/auth/configured.js';
import { firstOf } from '../../../../adapters/auth/first-of.js';
import { apiTokens } from '../../../../adapters/auth/tokens.js';
import { memoryStorage } from '../../../../adapters/storage/memory.js';
import { readConfiguration } from '../../../../lib/features/configuration/auth-keys.js';
import { AuthConfig } from '../../../../lib/features/configuration/schema.js';
import type {
  ClusterContext,
  Credentials,
  GatewayOptions,
  LoginScheme,
  Storage,
} from '../../../../lib/index.js';
import { directorySchemes } from '../../../../packages/directory/index.js';
import {
  adminPassword,
  gatewayWithAccounts,
  gatewayWithPasswords,
  passwordOf,
  refuses,
} from '../../../helpers/accounts.js';
import { emptyCluster } from '../../../helpers/empty-cluster.js';
import { newGateway } from '../../../helpers/gateway.js';
import { dial, toTheEnd } from '../../../helpers/raw.js';
import { until } from '../../../helpers/waiting.js';

// Who comes in, as it is configured through the API, and what is wrong with it.

type Teardown = { teardown(close: () => Promise<void>): unknown };

/** A host's own directory: everybody's password is `passwordOf` their name, and groups are what it says at this moment. */
function directoryOf(groups?: Record<string, readonly string[]>): LoginScheme {
  return {
    name: 'ldap',
    async login({ userName, password }: Credentials) {
      const name = userName.toLowerCase();
      if (password !== passwordOf(name)) return undefined;
      return { userName: name, ...(groups ? { groups: groups[name] ?? [] } : {}) };
    },
  };
}

const ldap = { server: 'ldap.example.org', userBaseDn: 'ou=people,dc=example' };
const bound = { ...ldap, bindDn: 'cn=gate', bindPassword: 'open sesame' };

async function configured(t: Teardown, auth: ConfiguredAuthOptions = {}, more: Partial<GatewayOptions> = {}) {
  const living = await gatewayWithPasswords(t, {
    auth: firstOf(
      configuredAuth({ ...auth, schemes: { ...directorySchemes(), ...auth.schemes } }),
      apiTokens(),
    ),
    ...more,
  });
  const about = () => living.client.getAbout();
  let present = living.admin;
  return {
    ...living,
    /** Resolves the client of the administrator, who has logged in again. */
    async restart() {
      const { jvmName } = await about();
      await present.restartGateway();
      await until(about, (now) => now.jvmName !== jvmName);
      present = await living.login('admin', adminPassword);
      return present;
    },
  };
}

const issueKeys = async (admin: Awaited<ReturnType<typeof configured>>['admin']) =>
  (await admin.listConfigIssues()).issues.map(({ key }) => key);

t.setTimeout(300_000);

t.test('what a configuration needs, by mechanism', async (t) => {
  const problems = (type: string, configuration: object, groupMapping?: object) => {
    try {
      readConfiguration(AuthConfig.parse({ type, configuration, groupMapping }));
      return [];
    } catch (error) {
      if (!(error instanceof Error && 'issues' in error && Array.isArray(error.issues))) throw error;
      return error.issues.map(({ path, message }) => `${path.replace('body.', '')}: ${message}`);
    }
  };
  const mapping = [{ group: 'staff', roles: ['operator'] }];
  const rows: readonly [
    type: string,
    configuration: object,
    expected: readonly string[],
    mapping?: object,
  ][] = [
    ['password', {}, []],
    ['none', {}, []],
    ['password', { server: 'a' }, ['configuration.server: is no key of password; there are none']],
    ['kerberos', {}, ['configuration: kerberosPrincipal, kerberosKeytab are missing']],
    [
      'kerberos',
      { kerberosPrincipal: 'gate@R', kerberosKeytab: '/k' },
      ['configuration.kerberosPrincipal: begins with HTTP/'],
    ],
    ['kerberos', { KERBEROSPRINCIPAL: 'HTTP/gate@R', kerberoskeytab: '/k', tokenValidity: '3600' }, []],
    ['pam', {}, ['configuration: serviceName is missing']],
    ['pam', { serviceName: '../login' }, ['configuration.serviceName: is no name of a PAM service']],
    ['ldap', {}, ['configuration: userBaseDn, authIdentity, userSearchFilter or bindDn, server are missing']],
    ['ldap', { Server: 'a', Port: '389', authIdentity: 'uid={USERNAME}' }, []],
    [
      'ldap',
      { server: 'a', port: 70000, userBaseDn: 'b' },
      ['configuration.Port: Too big: expected number to be <=65535'],
    ],
    [
      'ldap',
      { Server: 'a', server: 'b', userBaseDn: 'b' },
      ['configuration.server: is there twice, in different case'],
    ],
    ['ldap', { server: 'a', bindDn: 'b' }, ['configuration: userBaseDn, bindPassword are missing']],
    ['ldap', { ...bound, groupSupport: 'true' }, ['configuration: roleBaseDn is missing'], mapping],
    [
      'ldap',
      { ...bound, groupSupport: 'true', roleBaseDn: 'g' },
      ['groupMapping: groupSupport true needs roles for at least one group'],
    ],
    ['ldap', { ...bound, groupSupport: true, roleBaseDn: 'g' }, [], mapping],
    ['ldap', { ...ldap, groupSupport: 'perhaps' }, ['configuration.groupSupport: true or false']],
    ['ad', { ...ldap, userDomain: 'example.org' }, []],
    ['ldap', { ...ldap, userDomain: 'example.org' }, [/is no key of ldap; there are groupSupport/.source]],
  ];
  for (const [type, configuration, expected, groups] of rows) {
    const found = problems(type, configuration, groups);
    const name = `${type} ${JSON.stringify(configuration)}`;
    if (expected[0]?.startsWith('is no key')) t.match(found[0], new RegExp(expected[0]), name);
    else t.strictSame(found, expected, name);
  }
});

t.test('what was put comes back as it was sent, without secrets, and waits for a restart', async (t) => {
  const storage = memoryStorage();
  const { admin, restart } = await configured(
    t,
    { schemes: { ldap: async () => directoryOf() } },
    { storage },
  );
  t.strictSame(await admin.getAuthConfig(), { type: 'password', configuration: {} });
  t.strictSame(await issueKeys(admin), []);

  const body = {
    type: 'ldap' as const,
    configuration: { Server: 'ldap.example.org', userBaseDN: 'b', bindDn: 'cn=gate' },
  };
  await refuses(t, admin.putAuthConfig({ body }), { status: 400, message: /bindPassword is missing/ });
  await admin.putAuthConfig({
    body: { ...body, configuration: { ...body.configuration, bindPassword: 'open sesame' } },
  });
  t.strictSame(await admin.getAuthConfig(), body);
  for (const name of ['configuration', 'group-mapping']) {
    for await (const [, { value }] of storage.documents.entries(name)) {
      t.notMatch(JSON.stringify(value), 'sesame', 'secrets are sealed');
    }
  }
  const again = { ...body, configuration: { ...body.configuration, Port: 636 } };
  await admin.putAuthConfig({ body: again });
  t.strictSame(await admin.getAuthConfig(), again, 'a PUT without the secret keeps it');

  t.strictSame(await issueKeys(admin), ['RESTART_NEEDED']);
  const after = await restart();
  t.strictSame(await issueKeys(after), []);
  t.strictSame(await after.getAuthConfig(), again);

  const anonymous = { type: 'ldap' as const, configuration: { server: 'ldap.example.org', userBaseDn: 'b' } };
  await after.putAuthConfig({ body: anonymous });
  t.strictSame(await after.getAuthConfig(), anonymous, 'without bindDn the kept password is of no use');
  await refuses(t, after.putAuthConfig({ body: again }), { message: /bindPassword is missing/ }, 'and gone');
  await after.putAuthConfig({
    body: { ...again, configuration: { ...again.configuration, BINDPASSWORD: 'open sesame' } },
  });
  const emptied = { ...anonymous.configuration, bindPassword: '' };
  await after.putAuthConfig({ body: { type: 'ldap', configuration: emptied } });
  t.strictSame(await after.getAuthConfig(), anonymous, 'an empty secret is none');
  await refuses(
    t,
    after.putAuthConfig({ body: { type: 'ad', configuration: { ...ldap, bindDn: 'cn=gate' } } }),
    { status: 400, message: /bindPassword is missing/ },
    'a secret is not taken over by another mechanism',
  );
});

t.test('what is put as it was changes nothing, and asks for no restart', async (t) => {
  const storage = memoryStorage();
  const { admin, restart } = await configured(
    t,
    { schemes: { ldap: async () => directoryOf() } },
    { storage },
  );
  const etag = async () => (await storage.documents.get('configuration', 'auth'))?.etag;
  await admin.putAuthConfig({ body: await admin.getAuthConfig() });
  t.strictSame(await issueKeys(admin), [], 'nothing was ever put');

  const groupMapping = [{ group: 'staff', roles: ['operator'] }];
  const body = { type: 'ldap' as const, configuration: bound, groupMapping };
  await admin.putAuthConfig({ body });
  t.strictSame(await issueKeys(admin), ['RESTART_NEEDED']);
  const after = await restart();
  const before = await etag();
  await after.putAuthConfig({ body: await after.getAuthConfig() });
  await after.putAuthConfig({ body });
  t.strictSame(await issueKeys(after), []);
  t.equal(await etag(), before);

  const changes: readonly (typeof body)[] = [
    { ...body, configuration: { ...bound, bindPassword: 'another' } },
    { ...body, groupMapping: [{ group: 'staff', roles: ['developer'] }] },
  ];
  let present = after;
  for (const change of changes) {
    await present.putAuthConfig({ body: change });
    t.strictSame(await issueKeys(present), ['RESTART_NEEDED'], JSON.stringify(change));
    await present.putAuthConfig({ body: change });
    t.strictSame(await issueKeys(present), ['RESTART_NEEDED'], 'also when it is said twice');
    present = await restart();
    t.strictSame(await issueKeys(present), []);
  }
  await present.putGroupMapping({ body: { groupMapping } });
  await present.putAuthConfig({ body: changes[1] ?? body });
  t.strictSame(await issueKeys(present), ['RESTART_NEEDED'], 'its mapping is another one by now');
});

t.test('what is put while a restart reads the configuration waits for the next one', async (t) => {
  const { documents, ...rest } = memoryStorage();
  let slipsIn = false;
  const storage: Storage = {
    ...rest,
    documents: {
      ...documents,
      async get(collection, key) {
        const found = await documents.get(collection, key);
        if (!slipsIn || !found || collection !== 'configuration' || key !== 'auth') return found;
        slipsIn = false;
        await documents.write([{ op: 'put', collection, key, value: found.value }]);
        return found;
      },
    },
  };
  const { admin, restart } = await configured(
    t,
    { schemes: { ldap: async () => directoryOf() } },
    { storage },
  );
  await admin.putAuthConfig({ body: { type: 'ldap', configuration: ldap } });
  slipsIn = true;
  const after = await restart();
  t.equal(slipsIn, false);
  t.strictSame(await issueKeys(after), ['RESTART_NEEDED']);
});

t.test('bad bodies, and who may send them', async (t) => {
  const { admin, user, newClient } = await configured(t, { schemes: { ldap: async () => directoryOf() } });
  const put = (body: Parameters<typeof admin.putAuthConfig>[0]['body']) => admin.putAuthConfig({ body });
  await refuses(
    t,
    put({ type: 'ldap', configuration: ldap, groupMapping: [{ group: 'staff', roles: ['chief'] }] }),
    { status: 400, message: /there is no role chief/ },
  );
  await refuses(t, put({ type: 'ldap', configuration: { ...ldap, userDefaultRole: 'chief' } }), {
    status: 400,
    message: /there is no role chief/,
  });
  await refuses(t, admin.putGroupMapping({ body: { groupMapping: [{ group: 'a', role: [], roles: [] }] } }), {
    status: 400,
    message: /either roles or role/,
  });
  await refuses(
    t,
    put({ type: 'kerberos', configuration: { kerberosPrincipal: 'HTTP/a@B', kerberosKeytab: '/nowhere' } }),
    {
      code: /AUTH_FILE_NOT_USABLE|MISSING_PACKAGE/,
    },
  );
  t.strictSame(await admin.getAuthConfig(), { type: 'password', configuration: {} }, 'nothing was kept');

  await admin.putRole({
    params: { role: 'editor' },
    body: { permissions: ['VIEW_GLOBAL_CONFIG', 'EDIT_GLOBAL_CONFIG'] },
  });
  const editor = await user('eve', 'editor');
  const body = { type: 'none' as const };
  await refuses(t, editor.putAuthConfig({ body }), { status: 403 }, 'who says who comes in could be anybody');
  await refuses(t, editor.putGroupMapping({ body: { groupMapping: [] } }), { status: 403 });
  await refuses(t, newClient().restartGateway(), { status: 401 });
});

t.test('a host that knows everybody itself has nothing to configure', async (t) => {
  const { as } = await gatewayWithAccounts(t);
  await refuses(t, as('root').getAuthConfig(), { status: 501, message: /the host decides who comes in/ });
  await refuses(t, as('root').putAuthConfig({ body: { type: 'password' } }), { status: 501 });
});

t.test('without groups: the first is administrator, later ones wait for roles', async (t) => {
  const { admin, restart, login, newClient } = await configured(t, {
    schemes: { ldap: async () => directoryOf() },
  });
  const early = newClient();
  await refuses(t, early.login({ body: { userName: 'ada', password: passwordOf('ada') } }), { status: 401 });
  await admin.putAuthConfig({ body: { type: 'ldap', configuration: ldap } });
  await refuses(t, login('ada'), { status: 401 }, 'until the restart all is as it was');
  const after = await restart();

  const ada = await login('Ada', passwordOf('ada'));
  t.match(await ada.getProfile(), { userName: 'ada', authScheme: 'ldap', roles: ['admin'] });
  t.match(
    await after.getProfile(),
    { userName: 'admin', authScheme: 'password' },
    'local accounts go on working',
  );
  await refuses(t, login('bob'), { status: 403, message: /has no roles here/ });
  await after.changeUser({ params: { user: 'bob' }, body: { roles: ['operator'] } });
  t.match(await (await login('bob')).getProfile(), { roles: ['operator'] });
  await refuses(t, login('bob', 'wrong'), { status: 401, code: 'LOGIN_FAILED' });
  await refuses(t, login('bob', ''), { status: 401, code: 'LOGIN_FAILED' });

  await after.deleteUser({ params: { user: 'ada' } });
  await refuses(t, ada.getProfile(), { status: 401 });
  await refuses(t, login('cleo'), { status: 403 }, 'nobody becomes the first again');
});

t.test('no directory speaks for the name of a local account', async (t) => {
  const { admin, restart, login } = await configured(t, { schemes: { ldap: async () => directoryOf() } });
  await admin.createUser({ params: { user: 'dan' }, body: { password: 'a local one', roles: ['operator'] } });
  await admin.putAuthConfig({
    body: { type: 'ldap', configuration: { ...ldap, userDefaultRole: 'developer' } },
  });
  await restart();
  await refuses(t, login('dan', passwordOf('dan')), { status: 401 });
  await refuses(t, login('DAN', passwordOf('dan')), { status: 403, message: /local account dan/ });
  t.match(await (await login('dan', 'a local one')).getProfile(), {
    authScheme: 'password',
    roles: ['operator'],
  });
  await login('ada');
  t.match(await (await login('bob')).getProfile(), { roles: ['developer'] }, 'the default role');
});

t.test('groups: only mapped ones come in, and a new mapping counts at once', async (t) => {
  const groups: Record<string, string[]> = { ada: ['chiefs', 'staff'], bob: ['staff'], cleo: ['guests'] };
  const { admin, restart, login } = await configured(t, {
    schemes: { ldap: async () => directoryOf(groups) },
  });
  const mapping = [
    { group: 'chiefs', roles: ['admin'] },
    { group: 'staff', role: ['developer'] },
  ];
  const configuration = { ...bound, groupSupport: 'true', roleBaseDn: 'ou=groups' };
  await admin.putAuthConfig({ body: { type: 'ldap', configuration, groupMapping: mapping } });
  t.strictSame(
    await admin.getGroupMapping(),
    { groupMapping: [] },
    'it comes with the mechanism, at the restart',
  );
  const after = await restart();
  t.strictSame(await after.getGroupMapping(), { groupMapping: mapping }, 'as it was sent, in both spellings');

  const ada = await login('ada');
  const bob = await login('bob');
  t.match(await ada.getProfile(), { roles: ['admin', 'developer'] });
  t.match(await bob.getProfile(), { roles: ['developer'] });
  await refuses(t, login('cleo'), { status: 403 });

  await after.putGroupMapping({ body: { groupMapping: [{ group: 'staff', role: ['operator'] }] } });
  t.match(await bob.getProfile(), { roles: ['operator'] }, 'who is logged in too');
  t.match(await ada.getProfile(), { roles: ['operator'] });

  groups['bob'] = [];
  t.match(await bob.getProfile(), { roles: ['operator'] }, 'the directory is asked at each login');
  await refuses(t, login('bob'), { status: 403 });
  await after.deleteRole({ params: { role: 'operator' } });
  await refuses(t, bob.getProfile(), { status: 403 }, 'a role that is gone gives nothing');
});

t.test(
  'a configuration that stops working shuts no local account out, and rescue is the way back',
  async (t) => {
    const storage = memoryStorage();
    let isBroken = false;
    const schemes = {
      ldap: async () => {
        if (isBroken) throw new TypeError('the library is gone');
        return directoryOf();
      },
    };
    const { admin, restart, login } = await configured(t, { schemes }, { storage });
    await admin.putAuthConfig({ body: { type: 'ldap', configuration: ldap } });
    isBroken = true;
    const after = await restart();
    t.match((await after.listConfigIssues()).issues, [
      {
        key: 'AUTH_NOT_WORKING',
        severity: 'error',
        description: /Only local accounts can log in: ldap can not be set up/,
      },
    ]);
    await refuses(t, login('ada'), { status: 401 });
    await refuses(t, after.putAuthConfig({ body: { type: 'ldap', configuration: ldap } }), { status: 500 });

    isBroken = false;
    await restart();
    await login('ada');
  },
);

t.test('rescue: local accounts only, whatever is configured', async (t) => {
  const { admin, restart, login } = await configured(t, {
    rescue: true,
    schemes: { ldap: async () => directoryOf() },
  });
  await admin.putAuthConfig({ body: { type: 'none' } });
  const after = await restart();
  t.match(await after.getAuthConfig(), { type: 'none' });
  await after.putAuthConfig({ body: { type: 'ldap', configuration: ldap } });
  await restart();
  await refuses(t, login('ada'), { status: 401 });
});

t.test('type none lets everybody in', async (t) => {
  const { admin, restart, newClient } = await configured(t);
  await admin.putAuthConfig({ body: { type: 'none' } });
  await restart();
  const profile = await newClient().getProfile();
  t.match(profile, { roles: ['admin'] });
  t.notOk('authScheme' in profile);
});

t.test('a mechanism that the host did not give is refused with the package that has it', async (t) => {
  const { admin } = await gatewayWithPasswords(t, { auth: configuredAuth() });
  await t.rejects(admin.putAuthConfig({ body: { type: 'ldap', configuration: ldap } }), {
    status: 400,
    message: /no mechanism for ldap: .*directorySchemes\(\) of @headgate\/directory/,
  });
  t.match(await admin.getAuthConfig(), { type: 'password' });
});

t.test('a directory that never answers: sessions go on, logins get 502 in time', async (t) => {
  const silent = createServer(() => {});
  silent.listen(0, '127.0.0.1');
  await once(silent, 'listening');
  t.teardown(() => silent.close());
  const address = silent.address();
  if (address === null || typeof address === 'string') throw new Error('no port');

  const { admin, restart, login } = await configured(t, {}, { timeouts: { loginMillis: 300 } });
  await admin.putAuthConfig({
    body: { type: 'ldap', configuration: { ...ldap, server: '127.0.0.1', Port: address.port } },
  });
  const after = await restart();
  const logins = ['ada', 'bob', 'cleo'].map((name) =>
    refuses(t, login(name), { status: 502, code: 'UNREACHABLE', message: /ldap logins can't be reached/ }),
  );
  t.match(await after.getProfile(), { userName: 'admin' }, 'meanwhile');
  await Promise.all(logins);
  t.match(await after.getProfile(), { userName: 'admin' });
  await login('admin', adminPassword);
});

t.test('wrong logins at a directory are counted like others', async (t) => {
  let asked = 0;
  const scheme: LoginScheme = {
    name: 'ldap',
    login: async () => {
      asked++;
      return undefined;
    },
  };
  const { admin, restart, login } = await configured(t, { schemes: { ldap: async () => scheme } });
  await admin.putAuthConfig({ body: { type: 'ldap', configuration: ldap } });
  await restart();
  for (let i = 0; i < 5; i++) await refuses(t, login(i % 2 ? 'ada' : 'ADA', 'wrong'), { status: 401 });
  await refuses(t, login('Ada', 'wrong'), { status: 429 });
  t.equal(asked, 5, 'our lock comes before the directory’s');
});

t.test('tickets: a challenge, an answer for the client, and a signed session', async (t) => {
  const scheme: LoginScheme = {
    name: 'kerberos',
    negotiate: async (token) =>
      token === Buffer.from('ticket').toString('base64')
        ? { user: { userName: 'ada' }, reply: 'b3VycyE=' }
        : undefined,
    sessions: {
      absoluteMillis: 60_000,
      cookiePath: '/ws',
      signatureSecret: Buffer.from('sixteen bytes or more'),
    },
  };
  const { admin, restart, baseUrl } = await configured(t, { schemes: { kerberos: async () => scheme } });
  const configuration = { kerberosPrincipal: 'HTTP/gate@EXAMPLE', kerberosKeytab: '/keytab' };
  await admin.putAuthConfig({ body: { type: 'kerberos', configuration } });
  await restart();
  const profile = (headers: Record<string, string>) => fetch(`${baseUrl}/ws/v2/profile/user`, { headers });

  const nobody = await profile({});
  t.equal(nobody.status, 401);
  t.equal(nobody.headers.get('www-authenticate'), 'Negotiate');
  t.equal((await profile({ authorization: 'Negotiate Z2FyYmFnZQ==' })).status, 401);

  const known = await profile({ authorization: `Negotiate ${Buffer.from('ticket').toString('base64')}` });
  t.match(await known.json(), { userName: 'ada', authScheme: 'kerberos' });
  t.equal(known.headers.get('www-authenticate'), 'Negotiate b3VycyE=');
  const cookie = known.headers.get('set-cookie') ?? '';
  t.match(cookie, /^headgate_session=[\w-]{43}\.[\w-]{43}; Path=\/ws; HttpOnly; SameSite=Strict$/);
  const [value = ''] = cookie.split(';');
  t.equal((await profile({ cookie: value })).status, 200);
  t.equal((await profile({ cookie: value.slice(0, -44) })).status, 401, 'without its signature');
  const last = value.at(-5) === 'A' ? 'B' : 'A';
  t.equal(
    (await profile({ cookie: value.slice(0, -5) + last + value.slice(-4) })).status,
    401,
    'with another',
  );
  const passwordless = await fetch(`${baseUrl}/ws/v2/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ userName: 'ada', password: passwordOf('ada') }),
  });
  t.equal(passwordless.status, 401);

  const upgrade = (headers: Record<string, string>) => {
    const socket = new WebSocket(`${baseUrl.replace('http', 'ws')}/pubsub`, { headers });
    socket.on('error', () => {});
    t.teardown(() => socket.terminate());
    return socket;
  };
  const [, refused] = await once(upgrade({}), 'unexpected-response');
  t.match([refused.statusCode, refused.headers['www-authenticate']], [401, 'Negotiate']);
  const socket = upgrade({ authorization: `Negotiate ${Buffer.from('ticket').toString('base64')}` });
  const [{ headers }] = await once(socket, 'upgrade');
  t.equal(headers['www-authenticate'], 'Negotiate b3VycyE=');
  const [second = ''] = String(headers['set-cookie']).split(';');
  t.equal((await profile({ cookie: second })).status, 200, 'a session of its own');
  const closed = once(socket, 'close');
  const logout = await fetch(`${baseUrl}/ws/v2/logout`, { method: 'POST', headers: { cookie: second } });
  t.equal(logout.status, 200);
  t.equal((await closed)[0], 1008, 'which ends the socket');
});

t.test('a restart ends sessions and sockets, and nothing that is under way', async (t) => {
  const opened: ClusterContext[] = [];
  const cluster = { ...emptyCluster(), open: async (context: ClusterContext) => void opened.push(context) };
  const { admin, restart, baseUrl } = await configured(t, {}, { cluster });
  const heard: string[] = [];
  opened[0]?.subscribe('news', (data) => heard.push(data));

  const login = await fetch(`${baseUrl}/ws/v2/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ userName: 'admin', password: adminPassword }),
  });
  const cookie = login.headers.get('set-cookie')?.split(';')[0] ?? '';
  const socket = new WebSocket(`${baseUrl.replace('http', 'ws')}/pubsub`, { headers: { cookie } });
  await once(socket, 'open');
  const closed = once(socket, 'close');

  const half = await dial(baseUrl);
  const answered = toTheEnd(half);
  half.write(
    `PUT /ws/v2/profile/settings/admin/layout HTTP/1.1\r\nhost: a\r\nconnection: close\r\ncookie: ${cookie}\r\n` +
      'content-type: application/json\r\ncontent-length: 13\r\n\r\n{"value"',
  );
  await admin.getProfile();

  const after = await restart();
  t.equal((await closed)[0], 1012, 'the close code says: come back');
  await refuses(t, admin.getProfile(), { status: 401 });
  half.write(':"x"}');
  t.match(await answered, /^HTTP\/1\.1 200 /, 'a request that was under way is answered');
  t.match(await after.getSetting({ params: { user: 'admin', key: 'layout' } }), { value: 'x' });

  t.equal(opened.length, 1, 'the cluster is not opened again');
  after.publish('news', { of: 'today' });
  await until(
    async () => heard,
    ({ length }) => length > 0,
  );
  t.strictSame(heard, ['{"of":"today"}'], 'who listens for an application listens on');
});

t.test('requests that come in between wait, and many restarts at once are one', async (t) => {
  const { admin, client, login } = await configured(t);
  const before = (await client.getAbout()).jvmName;
  const answers: Promise<unknown>[] = [];
  let isOver = false;
  const calls = (async () => {
    while (!isOver) {
      const call = client.getAbout();
      answers.push(call);
      await call;
    }
  })();
  await Promise.all([admin.restartGateway(), admin.restartGateway(), admin.restartGateway()]);
  await until(
    () => client.getAbout(),
    ({ jvmName }) => jvmName !== before,
  );
  isOver = true;
  await calls;
  t.equal((await Promise.allSettled(answers)).filter(({ status }) => status === 'rejected').length, 0);
  t.match((await (await login('admin', adminPassword)).getAbout()).jvmName, /^\d+-2@/);
});

t.test(
  'a host that restarts by itself is asked after the answer, and sessions go on until then',
  async (t) => {
    let asked = 0;
    const { admin } = await configured(t, {}, { lifecycle: { restart: () => void asked++ } });
    await admin.restartGateway();
    t.equal(asked, 0);
    await until(
      async () => asked,
      (count) => count === 1,
    );
    t.match(await admin.getProfile(), { userName: 'admin' });
  },
);

t.test('health: a directory that is silent, and one that answers again', async (t) => {
  let isSilent = true;
  const scheme: LoginScheme = {
    ...directoryOf(),
    async login({ userName }) {
      if (isSilent) throw new Error('connect ECONNREFUSED 10.0.0.7:389');
      return { userName };
    },
  };
  const { admin, restart, login, client } = await configured(t, { schemes: { ldap: async () => scheme } });
  await admin.putAuthConfig({ body: { type: 'ldap', configuration: ldap } });
  await restart();
  t.strictSame(await client.getHealth(), { status: 'ok', reasons: [] }, 'nobody has asked it yet');
  await refuses(t, login('ada'), { status: 502 });
  const { status, reasons } = await client.getHealth();
  t.equal(status, 'degraded');
  t.match(reasons, [{ part: 'authentication' }]);
  t.notMatch(JSON.stringify(reasons), /ldap|10\.0/, 'everybody may ask');
  const local = await login('admin', adminPassword);
  t.match((await local.listConfigIssues()).issues, [{ key: 'AUTH_NOT_ANSWERING', description: /ldap/ }]);

  isSilent = false;
  await login('ada');
  t.match(await client.getHealth(), { status: 'ok' });
});

t.test('health: a cluster that hangs is asked once, and not for ever', async (t) => {
  let asked = 0;
  const cluster = emptyCluster();
  const { resourceManager } = cluster;
  const { client } = await newGateway(t, {
    cluster: {
      ...cluster,
      resourceManager: {
        ...resourceManager,
        about() {
          asked++;
          return new Promise(() => {});
        },
      },
    },
  });
  const answers = await Promise.all(Array.from({ length: 20 }, () => client.getHealth()));
  for (const answer of answers) t.match(answer, { status: 'degraded', reasons: [{ part: 'cluster' }] });
  t.equal(asked, 1);
});

t.test('settings are tried with somebody real before they are put, and nothing is kept of it', async (t) => {
  const scheme = directoryOf({ ana: ['staff'], cleo: ['guests'] });
  let closed = 0;
  const living = await configured(t, {
    schemes: { ldap: () => ({ ...scheme, close: () => void closed++ }) },
  });
  const { admin, client } = living;
  const settings = {
    type: 'ldap' as const,
    configuration: { ...bound, groupSupport: true, roleBaseDn: 'ou=g' },
  };
  const groupMapping = [{ group: 'staff', roles: ['operator'] }];
  const tried = (userName: string, password = passwordOf(userName), more: object = {}) =>
    admin.testAuthConfig({ body: { ...settings, groupMapping, userName, password, ...more } });

  t.strictSame(await tried('Ana', passwordOf('ana')), {
    succeeds: true,
    message: 'ana is let in',
    userName: 'ana',
    groups: ['staff'],
    roles: ['operator'],
  });
  t.match(await tried('ana', 'wrong'), {
    succeeds: false,
    message: 'ldap knows nobody with this name and password',
  });
  t.match(await tried('cleo'), { succeeds: false, message: /none of their groups has a role/, roles: [] });
  t.match(
    await tried('admin', adminPassword),
    { succeeds: true, roles: ['admin'] },
    'a local account comes first',
  );
  t.match(await tried('admin', 'wrong'), { succeeds: false, message: /no local account/ });
  t.match(await admin.testAuthConfig({ body: { type: 'none', userName: 'x', password: 'y' } }), {
    succeeds: true,
  });
  t.equal(closed, 3, 'each scheme that was made is closed again');

  t.strictSame(await admin.getAuthConfig(), { type: 'password', configuration: {} }, 'nothing was put');
  await refuses(t, client.login({ body: { userName: 'ana', password: passwordOf('ana') } }), { status: 401 });
  t.strictSame(
    (await admin.listUsers()).users.map(({ userName }) => userName),
    ['admin'],
    'nobody has an account of it',
  );
  const [record] = (await admin.listAudit({ query: { operation: 'testAuthConfig', limit: 1 } })).records;
  t.match(record?.input, { body: { userName: 'x', password: '***' } }, 'the password is in no log');
});

t.test('what is wrong with settings is told by a test, and only to administrators', async (t) => {
  const port = await refusingPort();
  const living = await configured(t);
  const { admin } = living;
  const body = { userName: 'ana', password: 'word' };
  t.match(
    await admin.testAuthConfig({
      body: { type: 'ldap', configuration: { ...ldap, server: '127.0.0.1', Port: port }, ...body },
    }),
    { succeeds: false, message: /can't be reached|did not answer/ },
  );
  t.match(
    await admin.testAuthConfig({
      body: { type: 'ldap', configuration: { ...ldap, authIdentity: 'no name in here' }, ...body },
    }),
    { succeeds: false, message: /\{USERNAME\}/ },
  );
  await refuses(t, admin.testAuthConfig({ body: { type: 'ldap', configuration: {}, ...body } }), {
    status: 400,
  });
  await refuses(
    t,
    admin.testAuthConfig({
      body: { type: 'ldap', configuration: { ...ldap, userDefaultRole: 'nobody' }, ...body },
    }),
    { status: 400 },
  );
  await admin.putRole({ params: { role: 'settings' }, body: { permissions: ['EDIT_GLOBAL_CONFIG'] } });
  const editor = await living.user('eddy', 'settings');
  await refuses(t, editor.testAuthConfig({ body: { type: 'password', ...body } }), { status: 403 });
});

/** Nobody listens there any more. */
async function refusingPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address ? address.port : 0;
}
