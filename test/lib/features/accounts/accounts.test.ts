import { isDeepStrictEqual } from 'node:util';
import t from 'tap';
import { passwordSessions } from '../../../../adapters/auth/password.js';
import { memoryStorage } from '../../../../adapters/storage/memory.js';
import { createOwnDefaults } from '../../../../lib/features/accounts/own-defaults.js';
import { createSettings } from '../../../../lib/features/accounts/settings.js';
import { anonymous } from '../../../../lib/http/principal.js';
import { allPermissions, type Storage } from '../../../../lib/index.js';
import { silent } from '../../../../lib/options.js';
import { gatewayWithAccounts, refuses, statuses } from '../../../helpers/accounts.js';
import { newGateway } from '../../../helpers/gateway.js';

t.test('the profile tells who one is and what one may', async (t) => {
  const { admin, user } = await gatewayWithAccounts(t);
  t.strictSame(await admin.getProfile(), {
    authScheme: 'host',
    userName: 'admin',
    roles: ['admin'],
    permissions: [...allPermissions],
  });
  const ann = await user('ann', 'operator', 'developer');
  const { roles, permissions } = await ann.getProfile();
  t.strictSame(roles, ['operator', 'developer']);
  t.ok(permissions.includes('LAUNCH_APPS') && permissions.includes('VIEW_OTHER_USERS_APPS'));
  t.notOk(permissions.includes('MANAGE_USERS'));
  t.strictSame(
    permissions,
    allPermissions.filter((name) => permissions.includes(name)),
    'once each, in order',
  );
});

t.test('users are created, listed, read, changed and deleted', async (t) => {
  const { admin } = await gatewayWithAccounts(t);
  const params = { user: 'bea@example.org' };
  await admin.createUser({
    params,
    body: { userName: 'bea@example.org', roles: ['operator'] },
  });
  t.match(await admin.listUsers(), {
    users: [{ userName: 'admin' }, { userName: 'bea@example.org', roles: ['operator'], permissions: Array }],
  });
  t.strictSame(await admin.getUser({ params }), { userName: 'bea@example.org', roles: ['operator'] });
  await admin.changeUser({ params, body: { roles: ['developer', 'developer'] } });
  t.strictSame(await admin.getUser({ params }), { userName: 'bea@example.org', roles: ['developer'] });
  await admin.deleteUser({ params });
  await refuses(t, admin.getUser({ params }), { status: 404, code: 'NOT_FOUND' });
  await refuses(t, admin.deleteUser({ params }), { status: 404 });
  await refuses(t, admin.changeUser({ params, body: { roles: [] } }), { status: 404 });
});

t.test('what is wrong with a new user is said, and nothing is kept', async (t) => {
  const { admin } = await gatewayWithAccounts(t);
  const create = (user: string, body: { userName?: string; password?: string; roles?: string[] }) =>
    admin.createUser({ params: { user }, body });
  await refuses(t, create('admin', { password: 'x' }), { status: 409, message: /admin already/ });
  await refuses(t, create('bea', { password: 'x', roles: ['operator', 'pilot'] }), {
    status: 400,
    details: [{ path: 'body.roles.1', message: /pilot/ }],
  });
  await refuses(t, create('bea', { userName: 'ann', password: 'x' }), {
    status: 400,
    details: [{ path: 'body.userName' }],
  });
  await refuses(t, create('bea', { password: '' }), { status: 400, details: [{ path: 'body.password' }] });
  await refuses(t, create('bea', { password: 'ü'.repeat(600) }), { status: 400 });
  for (const name of ['a b', 'a/b', 'ann\u0000', 'änn', 'x'.repeat(65), ' ']) {
    await refuses(t, create(name, {}), { status: 400 }, JSON.stringify(name));
  }
  t.strictSame(
    (await admin.listUsers()).users.map(({ userName }) => userName),
    ['admin'],
  );
});

t.test('names that JavaScript knows are names like others', async (t) => {
  const { admin, user } = await gatewayWithAccounts(t);
  for (const name of ['__proto__', 'constructor', 'toString']) {
    await refuses(t, admin.getUser({ params: { user: name } }), { status: 404 });
    await refuses(t, admin.getRole({ params: { role: name } }), { status: 404 });
    await refuses(t, admin.createUser({ params: { user: 'x' }, body: { password: 'x', roles: [name] } }), {
      status: 400,
    });
    t.strictSame(await admin.putRole({ params: { role: name }, body: { permissions: ['VIEW_LOGS'] } }), {
      permissions: ['VIEW_LOGS'],
    });
    t.match(await (await user(name, name)).getProfile(), { userName: name, permissions: ['VIEW_LOGS'] });
    await refuses(t, admin.putRole({ params: { role: 'x' }, body: { permissions: [name] } }), {
      status: 400,
    });
  }
  t.equal(Object.getPrototypeOf({}), Object.prototype);
  t.equal(({} as { roles?: unknown }).roles, undefined);
});

t.test('nobody gets more rights by MANAGE_USERS, and nobody manages without it', async (t) => {
  const { admin, user } = await gatewayWithAccounts(t);
  await admin.putRole({ params: { role: 'staff' }, body: { permissions: ['MANAGE_USERS'] } });
  const staff = await user('staff', 'staff');
  const ann = await user('ann', 'operator');
  const forbidden = await statuses([
    staff.createUser({ params: { user: 'evil' }, body: { password: 'x', roles: ['admin'] } }),
    staff.changeUser({ params: { user: 'staff' }, body: { roles: ['staff', 'admin'] } }),
    staff.changeUser({ params: { user: 'admin' }, body: { newPassword: 'x' } }),
    staff.changeUser({ params: { user: 'admin' }, body: { roles: ['operator'] } }),
    staff.deleteUser({ params: { user: 'admin' } }),
    ann.changeUser({ params: { user: 'ann' }, body: { roles: ['operator', 'developer'] } }),
    ann.changeUser({ params: { user: 'staff' }, body: { newPassword: 'x' } }),
    ann.getUser({ params: { user: 'staff' } }),
    ann.getUser({ params: { user: 'nobody' } }),
    ann.listUsers(),
    ann.createUser({ params: { user: 'x' }, body: {} }),
    ann.deleteUser({ params: { user: 'staff' } }),
    ann.putRole({ params: { role: 'x' }, body: { permissions: [] } }),
    ann.deleteRole({ params: { role: 'staff' } }),
    ann.restoreDefaultRoles(),
  ]);
  t.strictSame(
    forbidden,
    forbidden.map(() => 403),
  );
  t.strictSame(await ann.getUser({ params: { user: 'ann' } }), { userName: 'ann', roles: ['operator'] });
  await staff.createUser({ params: { user: 'new' }, body: { roles: ['developer'] } });
  await staff.changeUser({ params: { user: 'ann' }, body: { roles: ['developer'] } });
  t.match(await ann.getProfile(), { roles: ['developer'] }, 'at once, without a new login');
});

t.test('there is always an administrator', async (t) => {
  const { admin, user } = await gatewayWithAccounts(t);
  const params = { user: 'admin' };
  await refuses(t, admin.deleteUser({ params }), { status: 409, message: /logged in with/ });
  await refuses(t, admin.changeUser({ params, body: { roles: ['operator'] } }), {
    status: 409,
    message: /last administrator/,
  });
  const second = await user('second', 'admin');
  const mutual = await statuses([
    admin.deleteUser({ params: { user: 'second' } }),
    second.deleteUser({ params: { user: 'admin' } }),
    admin.changeUser({ params: { user: 'second' }, body: { roles: ['operator'] } }),
    second.changeUser({ params: { user: 'admin' }, body: { roles: ['operator'] } }),
  ]);
  t.equal(mutual.filter((status) => status === 200).length, 1, mutual.join());
  const [survivor] = await Promise.all(
    [admin, second].map((client) => client.listUsers().catch(() => undefined)),
  ).then((lists) => lists.filter((list) => list !== undefined));
  t.equal(survivor?.users.filter(({ roles }) => roles.includes('admin')).length, 1);
});

t.test('a deleted user is gone with all settings', async (t) => {
  const { admin, user } = await gatewayWithAccounts(t);
  const ann = await user('ann', 'operator');
  await ann.putSetting({ params: { user: 'ann', key: 'theme' }, body: { value: 'dark' } });
  await admin.putSetting({ params: { user: 'annabel', key: 'theme' }, body: { value: 'light' } });
  await admin.deleteUser({ params: { user: 'ann' } });
  await refuses(t, ann.getProfile(), { status: 403, message: /has no roles here/ });
  const other = await user('ann', 'operator');
  t.strictSame({ ...(await other.listOwnSettings()) }, {});
  t.match(await admin.listSettings({ params: { user: 'annabel' } }), { theme: 'light' });
});

t.test('roles: shipped, changed, deleted, restored', async (t) => {
  const { admin, user } = await gatewayWithAccounts(t);
  const names = async () => (await admin.listRoles()).roles.map(({ name }) => name);
  t.strictSame(await names(), ['admin', 'developer', 'operator']);
  for (const call of [
    admin.putRole({ params: { role: 'admin' }, body: { permissions: [] } }),
    admin.deleteRole({ params: { role: 'admin' } }),
  ]) {
    await refuses(t, call, { status: 403, message: /fixed/ });
  }
  const wrong = { permissions: ['VIEW_LOGS', 'FLY', 'view_logs'] };
  await refuses(t, admin.putRole({ params: { role: 'pilot' }, body: wrong }), {
    status: 400,
    message: /FLY/,
    details: [{ path: 'body.permissions.1' }, { path: 'body.permissions.2' }],
  });
  t.strictSame(
    await admin.putRole({
      params: { role: 'pilot' },
      body: { permissions: ['VIEW_LOGS', 'LAUNCH_APPS', 'VIEW_LOGS'] },
    }),
    { permissions: ['LAUNCH_APPS', 'VIEW_LOGS'] },
  );
  const shipped = await admin.getRole({ params: { role: 'developer' } });
  const ann = await user('ann', 'operator', 'pilot');
  await admin.putRole({ params: { role: 'developer' }, body: { permissions: [] } });
  await admin.deleteRole({ params: { role: 'operator' } });
  t.match(await ann.getProfile(), { roles: ['pilot'], permissions: ['LAUNCH_APPS', 'VIEW_LOGS'] });
  await refuses(t, admin.deleteRole({ params: { role: 'operator' } }), { status: 404 });
  t.strictSame(await names(), ['admin', 'developer', 'pilot']);
  await admin.restoreDefaultRoles();
  t.strictSame(await names(), ['admin', 'developer', 'operator', 'pilot']);
  t.strictSame(await admin.getRole({ params: { role: 'developer' } }), shipped);
  t.match(await ann.getProfile(), { roles: ['pilot'] }, 'who has which role stays');
  t.match(await ann.listPermissions(), { permissions: [{ name: 'VIEW_OTHER_USERS_APPS', adminOnly: true }] });
});

t.test('settings are any JSON value under any key', async (t) => {
  const { admin } = await gatewayWithAccounts(t);
  const values: Record<string, unknown> = {
    'a/b': null,
    ' ': false,
    '%2F': 0,
    '..x': '',
    ключ: 'text with "quotes", \u2028 and 🔑',
    constructor: [],
    toString: {},
    'dashboard.layout': { rows: [[1, -2.5e-7, { constructor: { prototype: 1 } }]] },
    ['k'.repeat(400)]: true,
  };
  for (const [key, value] of Object.entries(values)) {
    await admin.putSetting({ params: { user: 'admin', key }, body: { value } });
    t.ok(isDeepStrictEqual(await admin.getSetting({ params: { user: 'admin', key } }), { value }), key);
  }
  t.ok(isDeepStrictEqual({ ...(await admin.listOwnSettings()) }, values));
  t.ok(isDeepStrictEqual({ ...(await admin.listSettings({ params: { user: 'admin' } })) }, values));
  await refuses(t, admin.getSetting({ params: { user: 'admin', key: 'none' } }), { status: 404 });
});

t.test('the gateway reads settings too: what a user wants for new applications', async (t) => {
  const documents = memoryStorage().documents;
  const settings = createSettings(documents);
  const defaultsOf = createOwnDefaults({ settings, logger: silent });
  const ann = { ...anonymous, userName: 'ann' };
  const permissions = {
    readOnly: { roles: ['developer'], users: [], everyone: false },
    readWrite: { roles: [], users: ['bea'], everyone: false },
  };
  t.equal(await defaultsOf('ann'), undefined);
  await settings.put(ann, 'ann', 'defaultPermissions', { value: permissions });
  t.strictSame(await defaultsOf('ann'), permissions);
  await settings.put(ann, 'ann', 'defaultPermissions', { value: 'everybody' });
  t.equal(await defaultsOf('ann'), undefined);
});

t.test('settings that are refused, with the reason', async (t) => {
  const { admin, baseUrl, user } = await gatewayWithAccounts(t);
  const put = (key: string, value: unknown, of = 'admin') =>
    admin.putSetting({ params: { user: of, key }, body: { value } });
  await refuses(t, put('__proto__', 1), { status: 400, details: [{ path: 'params.key' }] });
  await refuses(t, put('x', undefined), { status: 400, details: [{ path: 'body.value' }] });
  await refuses(t, put('k'.repeat(510), 1), { status: 400, message: /too long/ });
  const ann = await user('ann', 'operator');
  for (const call of [
    ann.listSettings({ params: { user: 'admin' } }),
    ann.getSetting({ params: { user: 'admin', key: 'x' } }),
  ]) {
    await refuses(t, call, { status: 403, details: { permission: 'VIEW_OTHER_USERS_CONFIG' } });
  }
  await refuses(t, ann.putSetting({ params: { user: 'admin', key: 'x' }, body: { value: 1 } }), {
    status: 403,
    details: { permission: 'EDIT_OTHER_USERS_CONFIG' },
  });
  const raw = (body: string) =>
    fetch(`${baseUrl}/ws/v2/profile/settings/admin/x`, {
      method: 'PUT',
      headers: { 'x-user': 'admin', 'content-type': 'application/json' },
      body,
    });
  t.equal((await raw('{"value": {"__proto__": 1}}')).status, 400);
  t.equal((await raw(`{"value": ${'['.repeat(70)}${']'.repeat(70)}}`)).status, 400);
  t.equal((await raw('{"value": 1')).status, 400);
  t.strictSame({ ...(await admin.listOwnSettings()) }, {});
});

t.test('settings: 1 MiB a value, 1000 keys and 16 MiB a user', async (t) => {
  const { admin } = await gatewayWithAccounts(t);
  const put = (user: string, key: string, value: unknown) =>
    admin.putSetting({ params: { user, key }, body: { value } });
  const most = 'x'.repeat(1024 * 1024 - 2);
  await put('ann', 'k', most);
  t.strictSame(await admin.getSetting({ params: { user: 'ann', key: 'k' } }), { value: most });
  await refuses(t, put('ann', 'k', `${most}x`), { status: 413, code: 'TOO_LARGE' });

  const answers: number[] = [];
  for (let first = 0; first < 1010; first += 101) {
    answers.push(
      ...(await statuses(Array.from({ length: 101 }, (_, i) => put('bea', `key ${first + i}`, first + i)))),
    );
  }
  t.equal(answers.filter((status) => status === 200).length, 1000);
  t.equal(answers.filter((status) => status === 409).length, 10);
  await put('bea', 'key 1', 'replaced');
  t.equal(Object.keys(await admin.listSettings({ params: { user: 'bea' } })).length, 1000);

  for (let i = 0; i < 16; i++) await put('cleo', `k${i}`, most);
  await refuses(t, put('cleo', 'one more', 1), { status: 413, message: /All settings of cleo/ });
  await put('cleo', 'k0', 'small');
  await put('cleo', 'one more', 1);
  t.equal(Object.keys(await admin.listSettings({ params: { user: 'cleo' } })).length, 17);
});

t.test('of clients that do the same at the same time one wins; different changes all stay', async (t) => {
  const { admin, as } = await gatewayWithAccounts(t);
  const created = await statuses(
    Array.from({ length: 6 }, () =>
      admin.createUser({
        params: { user: 'ann' },
        body: { password: 'the first word', roles: ['operator'] },
      }),
    ),
  );
  t.strictSame(created.sort(), [200, 409, 409, 409, 409, 409]);
  await Promise.all([
    admin.changeUser({ params: { user: 'ann' }, body: { newPassword: 'a new word' } }),
    admin.changeUser({ params: { user: 'ann' }, body: { roles: ['developer'] } }),
    admin.deleteRole({ params: { role: 'operator' } }),
  ]);
  t.match(await as('ann').getProfile(), { roles: ['developer'] });
  const passwords = await statuses(
    ['one word', 'two words', 'three words'].map((newPassword) =>
      admin.changeUser({ params: { user: 'ann' }, body: { newPassword } }),
    ),
  );
  t.strictSame(passwords.sort(), [200, 409, 409]);
  await Promise.all(
    Array.from({ length: 40 }, (_, i) =>
      admin.putSetting({ params: { user: 'ann', key: 'same' }, body: { value: i } }),
    ),
  );
  t.match(await admin.getSetting({ params: { user: 'ann', key: 'same' } }), { value: Number });
});

t.test('a write that the storage refuses changes nothing, and one behind our back is seen', async (t) => {
  const storage = memoryStorage();
  const broken = { now: false };
  const failing: Storage = {
    ...storage,
    documents: {
      get: (...args) => storage.documents.get(...args),
      entries: (...args) => storage.documents.entries(...args),
      write: (batch) =>
        broken.now ? Promise.reject(new Error('no space left')) : storage.documents.write(batch),
    },
  };
  const { admin, user } = await gatewayWithAccounts(t, { storage: failing });
  const ann = await user('ann', 'operator');
  broken.now = true;
  const failed = await statuses([
    admin.deleteUser({ params: { user: 'ann' } }),
    admin.changeUser({ params: { user: 'ann' }, body: { roles: [] } }),
    admin.restoreDefaultRoles(),
    admin.deleteRole({ params: { role: 'operator' } }),
    admin.putRole({ params: { role: 'pilot' }, body: { permissions: [] } }),
  ]);
  t.strictSame(
    failed,
    failed.map(() => 500),
  );
  broken.now = false;
  t.match(await ann.getProfile(), { roles: ['operator'], permissions: ['VIEW_OTHER_USERS_APPS'] });

  const kept = await storage.documents.get('users', 'ann');
  const value = { ...(kept?.value as object), roles: ['developer'] };
  await storage.documents.write([{ op: 'put', collection: 'users', key: 'ann', value }]);
  await admin.changeUser({ params: { user: 'ann' }, body: { newPassword: 'a new word' } });
  t.strictSame(await admin.getUser({ params: { user: 'ann' } }), { userName: 'ann', roles: ['developer'] });
});

t.test('an account that can not be read is named in the log and costs nothing else', async (t) => {
  const storage = memoryStorage();
  const put = (collection: string, key: string, value: unknown) =>
    storage.documents.write([{ op: 'put', collection, key, value }]);
  await put('users', 'ann', { userName: 'ann', roles: 'operator' });
  await put('users', 'bea', { userName: 'bea', roles: ['operator', 'gone'] });
  await put('roles', 'pilot', { name: 'pilot', permissions: 7 });
  await put('roles', 'later', { name: 'later', permissions: ['VIEW_LOGS', 'OF_A_LATER_VERSION'] });
  const { admin, as, logs } = await gatewayWithAccounts(t, { storage });
  t.match(
    logs.filter(({ level }) => level === 'error').map(({ fields }) => fields),
    [
      { collection: 'users', key: 'ann' },
      { collection: 'roles', key: 'pilot' },
    ],
  );
  await refuses(t, as('ann').getProfile(), { status: 403 });
  t.match(await as('bea').getProfile(), { roles: ['operator', 'gone'] });
  t.strictSame(await admin.getRole({ params: { role: 'later' } }), { permissions: ['VIEW_LOGS'] });
  await admin.createUser({ params: { user: 'ann' }, body: { roles: ['operator'] } });
  t.strictSame(await admin.getUser({ params: { user: 'ann' } }), { userName: 'ann', roles: ['operator'] });
});

t.test('a gateway whose administrator can not be read starts, and says so', async (t) => {
  const storage = memoryStorage();
  await storage.documents.write([{ op: 'put', collection: 'users', key: 'admin', value: 'damaged' }]);
  const { gateway, logs } = await newGateway(t, { storage, auth: passwordSessions() });
  t.equal(gateway.initialAdminPassword, undefined);
  t.match(
    logs.find(({ message }) => message.includes('no administrator')),
    { level: 'error' },
  );
});
