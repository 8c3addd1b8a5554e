import t from 'tap';
import { configuredAuth } from '../../../adapters/auth/configured.js';
import { firstOf } from '../../../adapters/auth/first-of.js';
import { fromHost } from '../../../adapters/auth/from-host.js';
import { type PasswordSessionsOptions, passwordSessions } from '../../../adapters/auth/password.js';
import {
  type Authenticator,
  type CallerRequest,
  type Credentials,
  NotReady,
  type Sessions,
  TooManyRequests,
  Unreachable,
} from '../../../lib/index.js';
import { authenticatorContract } from '../../../packages/contracts/index.js';
import { authContext } from './auth-context.js';

const credentials = { userName: 'ann', password: 'sesame: opens/ü' };

const caller = (headers: CallerRequest['headers'] = {}, raw: unknown = {}): CallerRequest => ({
  headers,
  remoteAddress: '192.0.2.7',
  raw,
});
const basic = ({ userName, password }: Credentials) =>
  caller({ authorization: `Basic ${Buffer.from(`${userName}:${password}`).toString('base64')}` });
const cookieOf = (setCookie: string) => setCookie.split(';', 1)[0] ?? '';

interface Host {
  user?: { name: string };
}
const hostSession = () => fromHost<Host>(({ user }) => user && { userName: user.name, roles: ['operator'] });

t.test('passwordSessions', (t) =>
  authenticatorContract(t, { create: () => passwordSessions(), credentials }),
);

t.test('configuredAuth, before anything is configured', (t) =>
  authenticatorContract(t, { create: () => configuredAuth(), credentials }),
);

t.test('fromHost', (t) =>
  authenticatorContract(t, {
    create: hostSession,
    known: { request: caller({}, { user: { name: 'host/ann' } }), userName: 'host/ann' },
  }),
);

t.test('firstOf', (t) =>
  authenticatorContract(t, {
    create: () =>
      firstOf(hostSession(), passwordSessions(), passwordSessions({ cookie: { name: 'second' } })),
    credentials,
    known: { request: caller({}, { user: { name: 'bea' } }), userName: 'bea' },
  }),
);

/** An opened one, with one account, a clock that is moved by hand and a record of the slow checks. */
async function opened(t: { teardown(close: () => unknown): unknown }, options?: PasswordSessionsOptions) {
  const clock = { elapsed: 5 };
  const checks: string[] = [];
  const answers: { next?: Promise<boolean> | undefined } = {};
  const authenticator = passwordSessions(options);
  const context = authContext({
    clock: { now: () => 0, monotonic: () => clock.elapsed },
    async verifyPassword({ userName, password }, { remoteAddress: address }) {
      checks.push(`${userName} from ${address}`);
      if (answers.next) return answers.next;
      return password === credentials.password;
    },
  });
  await authenticator.open?.(context);
  t.teardown(async () => authenticator.close?.());
  const { sessions } = authenticator;
  if (!sessions) throw new Error('no sessions');
  return { authenticator, sessions, clock, checks, answers };
}

const open = (sessions: Sessions, userName = 'ann', from = caller()) => {
  const { setCookie, identity } = sessions.open({ userName }, from);
  return { caller: caller({ cookie: cookieOf(setCookie) }), identity };
};

t.test('the cookie is what the options say', async (t) => {
  const cookies: readonly [PasswordSessionsOptions['cookie'], RegExp][] = [
    [undefined, /^headgate_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/],
    [
      { name: 'sid', domain: 'example.org', path: '/console', secure: true, sameSite: 'lax' },
      /^sid=[\w-]{43}; Path=\/console; Domain=example.org; HttpOnly; SameSite=Lax; Secure$/,
    ],
    [
      { name: '__Host-sid', secure: true },
      /^__Host-sid=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Secure$/,
    ],
  ];
  for (const [cookie, expected] of cookies) {
    const { sessions } = await opened(t, cookie ? { cookie } : {});
    t.match(sessions.open({ userName: 'ann' }, caller()).setCookie, expected);
  }
  const refused: readonly PasswordSessionsOptions[] = [
    { cookie: { name: 'a b' } },
    { cookie: { name: 'a=b' } },
    { cookie: { path: 'console' } },
    { cookie: { path: '/;x' } },
    { cookie: { domain: 'a;b' } },
    { cookie: { sameSite: 'none' } },
    { cookie: { name: '__Host-sid' } },
    { cookie: { name: '__Host-sid', secure: true, domain: 'example.org' } },
    { cookie: { name: '__Secure-sid' } },
    { idleMillis: 0 },
    { max: Number.NaN },
  ];
  for (const options of refused)
    t.throws(() => passwordSessions(options), TypeError, JSON.stringify(options));
});

t.test('a session ends when it is idle, and when it is old', async (t) => {
  const { authenticator, sessions, clock } = await opened(t, { idleMillis: 100, absoluteMillis: 250 });
  const idle = open(sessions);
  const used = open(sessions);
  const touched = open(sessions);
  for (const elapsed of [90, 180, 240]) {
    clock.elapsed = 5 + elapsed;
    t.ok(await authenticator.authenticate(used.caller), `used session after ${elapsed}`);
    sessions.touch(touched.identity.sessionId ?? '');
  }
  t.equal(await authenticator.authenticate(idle.caller), undefined, 'idle');
  t.ok(await authenticator.authenticate(touched.caller), 'touched');
  clock.elapsed = 5 + 250;
  t.equal(await authenticator.authenticate(used.caller), undefined, 'old, though used');
});

t.test('a session that nobody uses any more is told about all the same', async (t) => {
  const authenticator = passwordSessions({ idleMillis: 30 });
  await authenticator.open?.(
    authContext({ clock: { now: () => Date.now(), monotonic: () => performance.now() } }),
  );
  t.teardown(async () => authenticator.close?.());
  await new Promise<void>((resolve) => {
    authenticator.sessions?.onEnd(() => resolve());
    authenticator.sessions?.open({ userName: 'ann' }, caller());
    // The look at all sessions keeps no process alive by itself.
    const alive = setTimeout(() => {}, 10_000);
    t.teardown(() => clearTimeout(alive));
  });
});

t.test('one session more ends the one that was unused for longest', async (t) => {
  const { authenticator, sessions, clock } = await opened(t, { maxPerUser: 3 });
  const [first, second, third] = [open(sessions), open(sessions), open(sessions)];
  const other = open(sessions, 'bea');
  clock.elapsed += 10;
  await authenticator.authenticate(first.caller);
  const fourth = open(sessions);
  t.equal(await authenticator.authenticate(second.caller), undefined);
  for (const { caller } of [first, third, fourth, other]) t.ok(await authenticator.authenticate(caller));
});

t.test('no room for more sessions is an error until some are over', async (t) => {
  const { sessions, clock } = await opened(t, { max: 2, idleMillis: 100 });
  open(sessions, 'ann');
  open(sessions, 'bea');
  t.throws(() => open(sessions, 'cleo'), NotReady);
  clock.elapsed += 100;
  t.ok(open(sessions, 'cleo'));
});

t.test('one authenticator serves one gateway', async (t) => {
  const { authenticator } = await opened(t);
  t.throws(() => authenticator.open?.(authContext()), /another gateway/);
});

t.test('a cookie planted beside the real one logs nobody out', async (t) => {
  const { authenticator, sessions } = await opened(t);
  const { caller: real, identity } = open(sessions);
  const planted = `headgate_session=${'x'.repeat(43)}; other=1; ${real.headers.cookie}`;
  t.strictSame(await authenticator.authenticate(caller({ cookie: planted })), identity);
});

t.test('Basic is checked once for many requests, and anew after a while', async (t) => {
  const { authenticator, clock, checks } = await opened(t);
  const all = await Promise.all(
    Array.from({ length: 50 }, () => authenticator.authenticate(basic(credentials))),
  );
  t.strictSame(all[49], { userName: 'ann', scheme: 'password' });
  await authenticator.authenticate(basic(credentials));
  t.strictSame(checks, ['ann from 192.0.2.7']);
  clock.elapsed += 60_000;
  await authenticator.authenticate(basic(credentials));
  t.equal(checks.length, 2);
});

t.test('a wrong Basic password is checked every time', async (t) => {
  const { authenticator, checks } = await opened(t);
  const wrong = basic({ userName: 'ann', password: 'wrong' });
  await authenticator.authenticate(basic(credentials));
  for (const _ of [1, 2]) t.equal(await authenticator.authenticate(wrong), undefined);
  t.equal(checks.length, 3);
});

t.test('Basic of a forgotten user is checked anew, also when the check was under way', async (t) => {
  const { authenticator, checks, answers } = await opened(t);
  await authenticator.authenticate(basic(credentials));
  authenticator.forget?.('ann');
  let answer = (_: boolean) => {};
  answers.next = new Promise((resolve) => {
    answer = resolve;
  });
  const underWay = authenticator.authenticate(basic(credentials));
  t.equal(checks.length, 2);
  authenticator.forget?.('ann');
  answer(true);
  await underWay;
  answers.next = undefined;
  await authenticator.authenticate(basic(credentials));
  t.equal(checks.length, 3);
});

t.test('one ticket asked about twice opens one session', async (t) => {
  let used = 0;
  const scheme = { name: 'kerberos', negotiate: async () => undefined } as const;
  const tickets = configuredAuth({ schemes: { kerberos: () => scheme } });
  await tickets.open?.(
    authContext({
      configuration: {
        type: 'kerberos',
        groupSupport: false,
        kerberosPrincipal: 'HTTP/x',
        kerberosKeytab: '/k',
      },
      negotiateBy: async () => (used++ === 0 ? { identity: { userName: 'ann' } } : undefined),
    }),
  );
  t.teardown(async () => tickets.close?.());
  const set: string[] = [];
  const upgrade: CallerRequest = {
    ...caller({ authorization: 'Negotiate dGlja2V0' }),
    setHeader: (name, value) => set.push(`${name}: ${value}`),
  };
  const first = await tickets.authenticate(upgrade);
  t.match(first, { userName: 'ann', sessionId: /^[\w-]{43}$/ });
  t.equal(await tickets.authenticate(upgrade), first);
  t.equal(used, 1);
  t.match(set, [/^set-cookie: headgate_session=/]);
  tickets.sessions?.end(caller({ cookie: cookieOf(set[0]?.slice(12) ?? '') }));
  t.equal(await tickets.authenticate(upgrade), undefined, 'nor does it open another when that is over');
});

t.test('Basic can be switched off, and a session goes before it', async (t) => {
  const off = await opened(t, { basic: false });
  t.equal(await off.authenticator.authenticate(basic(credentials)), undefined);
  t.strictSame(off.checks, []);
  const on = await opened(t);
  const { caller: withCookie, identity } = open(on.sessions, 'bea');
  const both = { ...withCookie, headers: { ...withCookie.headers, ...basic(credentials).headers } };
  t.strictSame(await on.authenticator.authenticate(both), identity);
  t.strictSame(on.checks, []);
});

t.test('fromHost: nobody, a name of its own, and a host that fails', async (t) => {
  for (const nobody of [undefined, null, false, '', 0] as const) {
    t.equal(await fromHost(() => nobody).authenticate(caller()), undefined);
  }
  t.strictSame(await fromHost(() => ({ userName: 'ann' })).authenticate(caller()), {
    userName: 'ann',
    scheme: 'host',
  });
  t.strictSame(
    await fromHost(async (_, { headers }) => ({
      userName: `${headers['x-user']}`,
      scheme: 'sso',
    })).authenticate(caller({ 'x-user': 'ann' })),
    { userName: 'ann', scheme: 'sso' },
  );
  const broken = fromHost(() => {
    throw new Error('the session database is down');
  });
  await t.rejects(broken.authenticate(caller()), Unreachable);
});

t.test('firstOf: the first that knows decides, and a failure only when nobody knows', async (t) => {
  const asked: string[] = [];
  const as = (name: string, answer: () => string | undefined): Authenticator => ({
    async authenticate() {
      asked.push(name);
      const userName = answer();
      return userName === undefined ? undefined : { userName };
    },
  });
  const nobody = as('nobody', () => undefined);
  const known = as('known', () => 'ann');
  const locked = as('locked', () => {
    throw new TooManyRequests('wait', 3);
  });
  t.strictSame(await firstOf(nobody, known, locked).authenticate(caller()), { userName: 'ann' });
  t.strictSame(asked, ['nobody', 'known']);
  t.strictSame(await firstOf(locked, known).authenticate(caller()), { userName: 'ann' });
  await t.rejects(firstOf(locked, nobody).authenticate(caller()), TooManyRequests);
  t.equal(await firstOf().authenticate(caller()), undefined);
  t.equal(firstOf(nobody, known).sessions, undefined);
  t.equal(firstOf(nobody).usesLocalPasswords, false);
  t.equal(firstOf(nobody, passwordSessions()).usesLocalPasswords, true);
});
