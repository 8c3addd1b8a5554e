import assert from 'node:assert/strict';
import { checkedDrivers } from 'headgate/driver-answers';
import type { AuthContext, Authenticator, CallerRequest, Credentials, Sessions } from 'headgate/driver-kit';
import { given, offered, skippable } from './skipping.js';
import type { Suite } from './suite.js';
import { type Closing, closingAfter, inTime, refuseAnswer } from './using.js';

export interface AuthenticatorUnderTest extends Closing {
  /** A fresh one that nobody opened; the suite opens and closes it. */
  create(): Promise<Authenticator> | Authenticator;
  /**
   * What opens a session, for authenticators that have sessions: the gateway's own account of this name has this
   * password while the suite runs.
   */
  readonly credentials?: Credentials;
  /** A request that is known without a login, and whose it is. */
  readonly known?: { readonly request: CallerRequest; readonly userName: string };
}

const request = (headers: CallerRequest['headers'] = {}, raw: unknown = {}): CallerRequest => ({
  headers,
  remoteAddress: '127.0.0.1',
  raw,
});

/** What may come from anywhere, and must mean nothing. */
const strayHeaders: readonly CallerRequest['headers'][] = [
  {},
  { cookie: '' },
  { cookie: ';;;=;==;a;b=' },
  { cookie: 'session=; token=deleted; __proto__=1; constructor=1' },
  { cookie: `a=${'x'.repeat(100_000)}` },
  { authorization: '' },
  { authorization: 'Basic' },
  { authorization: 'Basic !!!' },
  { authorization: `Basic ${Buffer.from('no colon').toString('base64')}` },
  { authorization: `Basic ${Buffer.from('nobody:').toString('base64')}` },
  { authorization: `Basic ${Buffer.from(':').toString('base64')}` },
  { authorization: `Basic ${'QUJD'.repeat(50_000)}` },
  { authorization: 'Bearer garbage' },
  { authorization: 'Negotiate garbage' },
];

/** Everything that `Authenticator` promises, for authors of drivers: register it in any test runner. */
export async function authenticatorContract(suite: Suite, subject: AuthenticatorUnderTest): Promise<void> {
  const test = (name: string, run: (authenticator: Authenticator, clock: TestClock) => Promise<void>) =>
    suite.test(
      `authenticator: ${name}`,
      skippable(`authenticator: ${name}`, async () => {
        const clock = testClock();
        const authenticator = checkedDrivers.authenticator(await subject.create(), refuseAnswer);
        await closingAfter(
          async () => {
            const context = contextOf(subject.credentials, clock);
            await inTime('open() of the authenticator', subject, () => authenticator.open?.(context));
            await run(authenticator, clock);
          },
          async () => inTime('close() of the authenticator', subject, () => authenticator.close?.()),
        );
      }),
    );

  await test('stray cookies and headers are nobody, and no error', async (authenticator) => {
    for (const headers of strayHeaders) {
      assert.equal(await authenticator.authenticate(request(headers)), undefined, JSON.stringify(headers));
    }
  });

  await test('close may be called again, and forget for anybody', async (authenticator) => {
    authenticator.forget?.('nobody', 'no session');
    authenticator.forget?.('__proto__');
    await authenticator.close?.();
    await authenticator.close?.();
  });

  await test('it can be opened again after it was closed', async (authenticator, clock) => {
    await authenticator.close?.();
    await authenticator.open?.(contextOf(subject.credentials, clock));
    assert.equal(await authenticator.authenticate(request()), undefined);
  });

  await test('somebody known is known by a name', async (authenticator) => {
    const known = given('known', subject.known);
    const identity = await authenticator.authenticate(known.request);
    assert.equal(identity?.userName, known.userName);
  });
  const { credentials } = subject;
  if (credentials) {
    await sessionContract(credentials, (name, run) =>
      test(`sessions: ${name}`, async (authenticator, clock) => {
        assert.ok(authenticator.sessions, 'an authenticator with credentials has sessions');
        await run(authenticator, authenticator.sessions, clock);
      }),
    );
  } else {
    await test('sessions', async (authenticator) => {
      offered('sessions', authenticator.sessions);
      given('credentials', credentials);
    });
  }
}

type SessionTest = (
  name: string,
  run: (authenticator: Authenticator, sessions: Sessions, clock: TestClock) => Promise<void>,
) => unknown;

async function sessionContract(credentials: Credentials, test: SessionTest): Promise<void> {
  await loginTests(credentials, test);
  await sessionEndTests(credentials, test);
}

const loginAs =
  (credentials: Credentials) =>
  async (sessions: Sessions, from = request()) => {
    const identity = await sessions.verify(credentials, from);
    assert.ok(identity, 'the right credentials are right');
    const opened = sessions.open(identity, from);
    return { ...opened, caller: request({ cookie: cookieOf(opened.setCookie) }) };
  };

/** The ids of sessions that end from now on. */
const ends = (sessions: Sessions): string[] => {
  const ended: string[] = [];
  sessions.onEnd((id) => ended.push(id));
  return ended;
};

async function loginTests(credentials: Credentials, test: SessionTest): Promise<void> {
  const login = loginAs(credentials);

  await test('wrong credentials are nobody', async (_, sessions) => {
    const { userName, password } = credentials;
    const wrong = [
      { userName, password: `${password}x` },
      { userName, password: password.slice(1) },
      { userName, password: '' },
      { userName: '', password },
      { userName: 'nobody', password },
      { userName: '__proto__', password },
    ];
    for (const each of wrong) {
      assert.equal(await sessions.verify(each, request()), undefined, JSON.stringify(each));
    }
  });

  await test('the cookie is the session, and out of reach for scripts and other sites', async (authenticator, sessions) => {
    const { identity, setCookie, caller } = await login(sessions);
    assert.equal(identity.userName, credentials.userName);
    assert.ok(identity.sessionId, 'an opened session has an id');
    assert.deepEqual(await authenticator.authenticate(caller), identity);
    assert.match(setCookie, /; ?HttpOnly(;|$)/i);
    assert.match(setCookie, /; ?SameSite=(Strict|Lax|None; ?Secure)(;|$)/i);
    const [, value = ''] = cookieOf(setCookie).split('=');
    assert.ok(value.length >= 22, 'the secret has at least 128 bits');
    assert.ok(!setCookie.includes(identity.sessionId), 'the id of a session is not its secret');
    assert.equal(await authenticator.authenticate(request({ cookie: `${cookieOf(setCookie)}x` })), undefined);
  });

  await test('each login is a session of its own', async (authenticator, sessions) => {
    const [one, other] = [await login(sessions), await login(sessions)];
    assert.notEqual(one.identity.sessionId, other.identity.sessionId);
    assert.notEqual(cookieOf(one.setCookie), cookieOf(other.setCookie));
    assert.deepEqual(await authenticator.authenticate(one.caller), one.identity);
  });

  await test('login ends the session it came with and takes over no value of the client', async (authenticator, sessions) => {
    const ended = ends(sessions);
    const before = await login(sessions);
    const after = await login(sessions, before.caller);
    assert.notEqual(cookieOf(after.setCookie), cookieOf(before.setCookie));
    assert.equal(await authenticator.authenticate(before.caller), undefined);
    assert.deepEqual(ended, [before.identity.sessionId]);

    const name = cookieOf(after.setCookie).split('=', 1)[0];
    const planted = `${name}=${'A'.repeat(43)}`;
    const victim = await login(sessions, request({ cookie: planted }));
    assert.notEqual(cookieOf(victim.setCookie), planted);
    assert.equal(await authenticator.authenticate(request({ cookie: planted })), undefined);
  });
}

async function sessionEndTests(credentials: Credentials, test: SessionTest): Promise<void> {
  const login = loginAs(credentials);

  await test('logout ends it once, clears the cookie, and is harmless for nobody', async (authenticator, sessions) => {
    const ended = ends(sessions);
    const { identity, caller } = await login(sessions);
    assert.match(sessions.end(caller).setCookie, /Max-Age=0|Expires=Thu, 01 Jan 1970/i);
    assert.equal(await authenticator.authenticate(caller), undefined);
    sessions.end(caller);
    for (const headers of strayHeaders) sessions.end(request(headers));
    assert.deepEqual(ended, [identity.sessionId]);
  });

  await test('a user who is forgotten has no sessions but the one excepted', async (authenticator, sessions) => {
    assert.ok(authenticator.forget, 'an authenticator with sessions can forget');
    const ended = ends(sessions);
    const [kept, one, other] = [await login(sessions), await login(sessions), await login(sessions)];
    authenticator.forget('somebody else');
    assert.deepEqual(ended, []);
    authenticator.forget(credentials.userName, kept.identity.sessionId);
    assert.deepEqual(ended.sort(), [one.identity.sessionId, other.identity.sessionId].sort());
    assert.equal(await authenticator.authenticate(one.caller), undefined);
    assert.deepEqual(await authenticator.authenticate(kept.caller), kept.identity);
    authenticator.forget(credentials.userName);
    assert.equal(await authenticator.authenticate(kept.caller), undefined);
  });

  await test('a session ends by time, whatever the wall clock says', async (authenticator, sessions, clock) => {
    const ended = ends(sessions);
    const { identity, caller } = await login(sessions);
    clock.wall += 365 * day;
    assert.deepEqual(await authenticator.authenticate(caller), identity);
    assert.equal(sessions.touch(identity.sessionId ?? ''), true);
    assert.equal(sessions.touch('no session'), false);
    clock.elapsed += 30 * day;
    assert.equal(await authenticator.authenticate(caller), undefined);
    assert.deepEqual(ended, [identity.sessionId]);
  });

  await test('who no longer listens is not told', async (_, sessions) => {
    const told: string[] = [];
    const stop = sessions.onEnd((id) => told.push(id));
    stop();
    sessions.end((await login(sessions)).caller);
    assert.deepEqual(told, []);
  });

  await test('closing ends all of them', async (authenticator, sessions) => {
    const ended = ends(sessions);
    const { identity } = await login(sessions);
    await authenticator.close?.();
    assert.deepEqual(ended, [identity.sessionId]);
  });
}

const day = 24 * 60 * 60_000;

/** The name and the value of a `Set-Cookie` header, as a browser sends them back. */
const cookieOf = (setCookie: string): string => setCookie.split(';', 1)[0] ?? '';

interface TestClock {
  wall: number;
  elapsed: number;
}

const testClock = (): TestClock => ({ wall: Date.now(), elapsed: 1000 });

/** A gateway with one account, or none. */
const contextOf = (account: Credentials | undefined, clock: TestClock): AuthContext => ({
  verifyPassword: async ({ userName, password }) =>
    account !== undefined &&
    password !== '' &&
    userName === account.userName &&
    password === account.password,
  verifyToken: () => undefined,
  hasLocalPassword: (userName) => userName === account?.userName,
  verifyBy: async ({ scheme }, credentials) => {
    const user = await scheme.login?.(credentials, { signal: new AbortController().signal });
    return user && { ...user, scheme: scheme.name };
  },
  negotiateBy: async () => undefined,
  configuration: { type: 'password' },
  reportProblem: () => {},
  logger: { debug() {}, info() {}, warn() {}, error() {} },
  clock: { now: () => clock.wall, monotonic: () => clock.elapsed },
});
