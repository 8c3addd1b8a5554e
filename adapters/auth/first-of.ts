import {
  type Authenticator,
  type CallerRequest,
  type Identity,
  option,
  requireArgument,
  type Sessions,
} from '../../lib/driver-kit.js';

const oneAuthenticator = option.instance(['authenticate'], 'an authenticator: firstOf(one, other)');

/**
 * Asks one after the other; the first that knows the caller decides. One that can't find out keeps no later one from
 * knowing. `POST /ws/v2/login` opens sessions of the first one that has sessions.
 */
export function firstOf(...authenticators: readonly Authenticator[]): Authenticator {
  for (const [index, one] of authenticators.entries())
    requireArgument('firstOf', `argument ${index + 1}`, one, oneAuthenticator);
  const sessions = sessionsOf(authenticators);
  return {
    authenticate: (request) => firstKnown(authenticators, request),
    usesLocalPasswords: authenticators.some(({ usesLocalPasswords }) => usesLocalPasswords),
    ...cookiesOf(authenticators),
    headers: authenticators.flatMap(({ headers = [] }) => headers),
    ...tokenUsersOf(authenticators),
    ...(sessions ? { sessions } : {}),
    ...configurableOf(authenticators),
    challenge() {
      for (const authenticator of authenticators) {
        const challenge = authenticator.challenge?.();
        if (challenge !== undefined) return challenge;
      }
      return undefined;
    },
    async open(context) {
      for (const authenticator of authenticators) await authenticator.open?.(context);
    },
    forget(userName, exceptSessionId) {
      for (const authenticator of authenticators) authenticator.forget?.(userName, exceptSessionId);
    },
    async close() {
      for (const authenticator of authenticators) await authenticator.close?.();
    },
  };
}

/** All are opened with the configuration, so all of those that go by it must take it. */
function configurableOf(
  authenticators: readonly Authenticator[],
): Pick<Authenticator, 'checkConfiguration' | 'tryConfiguration'> {
  if (!authenticators.some(({ checkConfiguration }) => checkConfiguration)) return {};
  const trying = authenticators.find(({ tryConfiguration }) => tryConfiguration);
  return {
    ...(trying?.tryConfiguration ? { tryConfiguration: trying.tryConfiguration.bind(trying) } : {}),
    async checkConfiguration(configuration) {
      for (const authenticator of authenticators) await authenticator.checkConfiguration?.(configuration);
    },
  };
}

/** Known when all of them say. */
function cookiesOf(authenticators: readonly Authenticator[]): Pick<Authenticator, 'cookies'> {
  if (authenticators.some(({ cookies }) => cookies === undefined)) return {};
  return { cookies: authenticators.flatMap(({ cookies = [] }) => cookies) };
}

function tokenUsersOf(authenticators: readonly Authenticator[]): Pick<Authenticator, 'tokenUsers'> {
  const all = authenticators.flatMap(({ tokenUsers }) => tokenUsers ?? []);
  const [first] = all;
  if (first === undefined) return {};
  return { tokenUsers: all.includes('everybody') ? 'everybody' : first };
}

async function firstKnown(
  authenticators: readonly Authenticator[],
  request: CallerRequest,
): Promise<Identity | undefined> {
  const failures: unknown[] = [];
  for (const authenticator of authenticators) {
    try {
      const identity = await authenticator.authenticate(request);
      if (identity) return identity;
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
  return undefined;
}

function sessionsOf(authenticators: readonly Authenticator[]): Sessions | undefined {
  const all = authenticators.flatMap(({ sessions }) => sessions ?? []);
  const [first] = all;
  if (!first || all.length === 1) return first;
  return {
    get secure() {
      return first.secure;
    },
    verify: (credentials, request) => first.verify(credentials, request),
    open: (identity, request) => first.open(identity, request),
    end(request) {
      const ended = all.map((sessions) => sessions.end(request));
      return ended[0] ?? first.end(request);
    },
    touch: (sessionId) => all.map((sessions) => sessions.touch(sessionId)).includes(true),
    list: (userName) => all.flatMap((sessions) => sessions.list?.(userName) ?? []),
    endOne(sessionId) {
      for (const sessions of all) sessions.endOne?.(sessionId);
    },
    onEnd(listener) {
      const stops = all.map((sessions) => sessions.onEnd(listener));
      return () => {
        for (const stop of stops) stop();
      };
    },
  };
}
