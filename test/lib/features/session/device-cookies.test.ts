import t from 'tap';
import { configuredAuth } from '../../../../adapters/auth/configured.js';
import { passwordSessions } from '../../../../adapters/auth/password.js';
import type { Client } from '../../../../lib/client.js';
import type { GatewayOptions, LoginScheme } from '../../../../lib/index.js';
import { filesystemStorage } from '../../../../packages/level/index.js';
import { adminPassword, passwordOf } from '../../../helpers/accounts.js';
import { testFolder } from '../../../helpers/folder.js';
import { newGateway } from '../../../helpers/gateway.js';
import { makeHashesCheap, watchHashes } from '../../../helpers/hashes.js';
import { restarted } from '../../../helpers/restart.js';
import { untilTrue } from '../../../helpers/waiting.js';

makeHashesCheap();

// Who comes in while others guess. The counters alone: test/lib/features/accounts/passwords.test.ts.

/** Whoever is locked out stays so. */
const standing = { now: () => Date.now(), monotonic: () => 0 };

interface From {
  /** As the proxy of this machine says it. Default: the proxy itself. */
  readonly address?: string;
  readonly cookie?: string;
}

async function guarded(
  t: { teardown(end: () => Promise<void>): unknown },
  options: Partial<GatewayOptions> = {},
) {
  const living = await newGateway(t, {
    auth: passwordSessions(),
    initialAdmin: { password: adminPassword },
    trustProxy: 'loopback',
    clock: standing,
    ...options,
  });
  const headersOf = ({ address, cookie }: From): Record<string, string> => ({
    ...(address === undefined ? {} : { 'x-forwarded-for': address }),
    ...(cookie === undefined ? {} : { cookie }),
  });
  const login = async (userName: string, password: string, from: From = {}) => {
    const answer = await fetch(`${living.baseUrl}/ws/v2/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headersOf(from) },
      body: JSON.stringify({ userName, password }),
    });
    await answer.text();
    const set = answer.headers.getSetCookie().find((one) => one.startsWith('headgate_device='));
    return { status: answer.status, set, cookie: set?.split(';', 1)[0] ?? '' };
  };
  const status = async (...args: Parameters<typeof login>) => (await login(...args)).status;
  const clientOf = (from: From): Client => living.newClient({ headers: headersOf(from) });
  return { ...living, login, status, clientOf };
}

type Guarded = Awaited<ReturnType<typeof guarded>>;

/** So many wrong logins that everybody without a device cookie is locked out at this address. */
async function flood({ status }: Guarded, from: From = {}): Promise<void> {
  for (let i = 0; i < 110; i++) await status(`made up ${i}`, 'guess', from);
}

t.test(
  'whoever has logged in with this browser gets in behind a proxy where a hundred logins were wrong',
  async (t) => {
    // No proxy is trusted, so all share one address.
    const gateway = await guarded(t, { trustProxy: false });
    const { login, status } = gateway;
    const { set, cookie } = await login('admin', adminPassword);
    t.match(
      set,
      /^headgate_device=[\w-]{12}\.[\da-z]+\.[\w-]{43}; Max-Age=7776000; Path=\/; HttpOnly; SameSite=Lax$/,
    );
    await flood(gateway);
    for (let i = 0; i < 6; i++) await status('admin', 'guess');
    t.equal(await status('admin', adminPassword), 429, 'without it');
    t.equal(await status('admin', adminPassword, { cookie }), 200, 'with it');
    t.equal(
      await status('admin', adminPassword, { cookie: `other=1; ${cookie}; more=2` }),
      200,
      'among others',
    );
    t.equal(await status('admin', adminPassword, { cookie: `headgate_device=planted; ${cookie}` }), 200);
    t.equal(await status('admin', 'guess', { cookie }), 401, 'and a wrong one is wrong');
    t.equal(await status('admin', adminPassword), 429);
  },
);

t.test('a failed login gets no device cookie', async (t) => {
  const { login } = await guarded(t);
  t.equal((await login('admin', 'wrong')).set, undefined);
  t.equal((await login('nobody', adminPassword)).set, undefined);
});

t.test('it is good for one user, as it was given, and for its time', async (t) => {
  const clock = { ...standing, ahead: 0, now: () => Date.now() + clock.ahead };
  const gateway = await guarded(t, { clock });
  const { login, status, clientOf } = gateway;
  const { cookie } = await login('admin', adminPassword);
  const admin = clientOf({});
  await admin.login({ body: { userName: 'admin', password: adminPassword } });
  await admin.createUser({
    params: { user: 'ann' },
    body: { password: passwordOf('ann'), roles: ['operator'] },
  });
  const { cookie: anns } = await login('ann', passwordOf('ann'), { address: '203.0.113.1' });
  const [there, elsewhere] = [{ address: '203.0.113.9' }, { address: '203.0.113.10' }];
  await flood(gateway, there);
  await flood(gateway, elsewhere);
  t.equal(await status('ann', passwordOf('ann'), { ...there, cookie }), 429, 'that of another user');
  t.equal(await status('ann', passwordOf('ann'), { ...elsewhere, cookie: anns }), 200);
  const [, device = '', until = '', signature = ''] = /=([^.]+)\.([^.]+)\.(.+)$/.exec(anns) ?? [];
  const forged = [
    '',
    'headgate_device=',
    `headgate_device=${device}.${until}`,
    `headgate_device=${device}.zzzzzzz.${signature}`,
    `headgate_device=AAAAAAAAAAAA.${until}.${signature}`,
    `headgate_device=${device}.${until}.${'A'.repeat(43)}`,
    `headgate_device=${'~'.repeat(300)}`,
    `headgate_device=${'x'.repeat(8000)}`,
    anns.replace('headgate_device', 'headgate_devices'),
  ];
  for (const cookie of forged)
    t.equal(await status('ann', passwordOf('ann'), { ...there, cookie }), 429, cookie.slice(0, 80));
  clock.ahead = 90 * 24 * 60 * 60_000 + 1000;
  t.equal(await status('ann', passwordOf('ann'), { ...there, cookie: anns }), 429, 'after ninety days');
});

t.test('each login prolongs it, and it holds four users at most', async (t) => {
  const clock = { ...standing, ahead: 0, now: () => Date.now() + clock.ahead };
  const gateway = await guarded(t, { clock });
  const { login, status, clientOf } = gateway;
  const admin = clientOf({});
  await admin.login({ body: { userName: 'admin', password: adminPassword } });
  const names = ['ann', 'bob', 'cid', 'dee', 'eve'];
  for (const user of names)
    await admin.createUser({ params: { user }, body: { password: passwordOf(user), roles: ['operator'] } });
  let cookie = '';
  for (const user of names) {
    const before = cookie;
    cookie = (await login(user, passwordOf(user), { cookie: before })).cookie;
    t.ok(cookie.length < 300, `${cookie.length} characters`);
  }
  const first = cookie;
  clock.ahead = 60 * 24 * 60 * 60_000;
  cookie = (await login('dee', passwordOf('dee'), { cookie })).cookie;
  t.equal(/=([^.]+)/.exec(cookie)?.[1], first.split('~')[1]?.split('.')[0], 'the same device');
  await flood(gateway, { address: '203.0.113.9' });
  await flood(gateway, { address: '203.0.113.10' });
  const there = async (user: string, address = '203.0.113.9') =>
    status(user, passwordOf(user), { address, cookie });
  t.equal(await there('ann'), 429, 'the one who was there first');
  for (const user of names.slice(1)) t.equal(await there(user), 200, user);
  clock.ahead = 120 * 24 * 60 * 60_000;
  t.equal(await there('bob', '203.0.113.10'), 429, 'four months ago');
  t.equal(await there('dee', '203.0.113.10'), 200, 'two months ago');
});

t.test('wrong passwords with a device cookie lock out that device', async (t) => {
  const { login, status } = await guarded(t);
  const { cookie } = await login('admin', adminPassword);
  const { cookie: other } = await login('admin', adminPassword);
  for (let i = 0; i < 5; i++) t.equal(await status('admin', `guess ${i}`, { cookie }), 401);
  t.equal(await status('admin', adminPassword, { cookie }), 429);
  t.equal(await status('admin', adminPassword, { cookie: other }), 200, 'another device');
  t.equal(await status('admin', adminPassword), 200, 'and who comes without one');
});

t.test('it counts wherever a password is taken', async (t) => {
  const gateway = await guarded(t);
  const { login, status, clientOf, baseUrl } = gateway;
  const there = { address: '203.0.113.9' };
  const { cookie } = await login('admin', adminPassword);
  const session = clientOf(there);
  await session.login({ body: { userName: 'admin', password: adminPassword } });
  for (let i = 0; i < 6; i++) await status('admin', 'guess', there);
  const basic = (headers: Record<string, string>) =>
    fetch(`${baseUrl}/ws/v2/profile/user`, {
      headers: {
        authorization: `Basic ${Buffer.from(`admin:${adminPassword}`).toString('base64')}`,
        'x-forwarded-for': there.address,
        ...headers,
      },
    });
  t.equal((await basic({})).status, 429);
  t.equal((await basic({ cookie })).status, 200);
  await session.changeUser({
    params: { user: 'admin' },
    body: { oldPassword: adminPassword, newPassword: 'another gate' },
  });
  t.equal(await status('admin', 'another gate', { ...there, cookie }), 200, 'a new password is as good');
});

t.test('devices are known after a restart of the host', async (t) => {
  const directory = testFolder(t);
  const start = async (end: (close: () => Promise<void>) => void) =>
    guarded({ teardown: end }, { storage: await filesystemStorage({ directory }) });
  const ends: (() => Promise<void>)[] = [];
  const before = await start((close) => ends.push(close));
  const { cookie } = await before.login('admin', adminPassword);
  for (const end of ends) await end();
  const after = await start((close) => t.teardown(close));
  await flood(after);
  t.equal(await after.status('admin', adminPassword), 429);
  t.equal(await after.status('admin', adminPassword, { cookie }), 200);
});

t.test('without its key nobody is kept out, and the log says so', async (t) => {
  const storage = await filesystemStorage({ directory: testFolder(t) });
  const broken = { ...storage, secretKey: () => Promise.reject(new Error('gone')) };
  const { login, logs } = await guarded(t, { storage: broken });
  t.match(await login('admin', adminPassword), { status: 200, set: undefined });
  t.equal((await login('admin', adminPassword, { cookie: 'headgate_device=x' })).status, 200);
  t.match(
    logs.filter(({ level }) => level === 'error'),
    [{ fields: { event: 'accounts.device_key_unreadable' } }],
  );
});

t.test('an address without failures is let through, whatever others do to the name', async (t) => {
  const { status } = await guarded(t);
  for (let i = 0; i < 60; i++) await status('admin', 'guess', { address: `198.51.100.${i}` });
  t.equal(
    await status('admin', adminPassword, { address: '198.51.100.1' }),
    429,
    'where somebody has guessed',
  );
  t.equal(await status('admin', adminPassword, { address: '203.0.113.9' }), 200);
});

t.test('directories: the same, for any spelling of a name', async (t) => {
  let asked = 0;
  const scheme: LoginScheme = {
    name: 'ldap',
    async login({ userName, password }) {
      asked++;
      return password === 'right' ? { userName: userName.toLowerCase(), groups: ['staff'] } : undefined;
    },
  };
  const gateway = await guarded(t, {
    auth: configuredAuth({ schemes: { ldap: async () => scheme } }),
    trustProxy: false,
  });
  const { login, status, clientOf } = gateway;
  const admin = clientOf({});
  await admin.login({ body: { userName: 'admin', password: adminPassword } });
  await admin.putGroupMapping({ body: { groupMapping: [{ group: 'staff', roles: ['operator'] }] } });
  const configuration = { server: 'ldap.example.org', userBaseDn: 'ou=people,dc=example' };
  await admin.putAuthConfig({ body: { type: 'ldap', configuration } });
  await restarted(admin);
  const { cookie } = await login('ada', 'right');
  for (let i = 0; i < 5; i++) t.equal(await status('ADA', 'guess'), 401);
  const before = asked;
  t.equal(await status('Ada', 'right'), 429);
  t.equal(asked, before, 'nobody asks the directory');
  t.equal(await status('Ada', 'right', { cookie }), 200);
});

t.test('a flood of made-up names takes no turns from real users', async (t) => {
  const hashes = watchHashes(t);
  const { login, status, server } = await guarded(t);
  const { cookie } = await login('admin', adminPassword);
  hashes.hold();
  let refused = 0;
  const guess = async (i: number, address: string) => {
    if ((await status(`made up ${i}`, 'guess', { address })) === 503) refused++;
  };
  const flooding = Array.from({ length: 300 }, (_, i) => guess(i, '198.51.100.1'));
  await untilTrue(() => refused > 200);
  // The line is full, and nobody in it has more than one place.
  const spread = Array.from({ length: 200 }, (_, i) => guess(i, `198.51.100.${i + 2}`));
  await untilTrue(() => refused > 400);
  let arrived = 0;
  server.on('request', ({ headers }) => {
    if (headers.cookie !== undefined) arrived++;
  });
  const real = [
    status('admin', adminPassword, { address: '198.51.100.1', cookie }),
    status('admin', adminPassword, { address: '203.0.113.9', cookie }),
  ];
  await untilTrue(() => arrived === real.length);
  hashes.release();
  t.strictSame(await Promise.all(real), [200, 200], 'on a device that is known');
  await Promise.all([...flooding, ...spread]);
  t.equal(await status('admin', adminPassword, { address: '203.0.113.10' }), 200, 'from a new address');
});
