import type { AuthContext, Authenticator, CallerRequest, Credentials, Identity } from '../../lib/index.js';
import { basicCredentials, createCredentialCache } from './basic.js';
import { type CookieOptions, createCookie } from './cookie.js';
import { createSessionStore, type Session } from './session-store.js';

export type { CookieOptions } from './cookie.js';

export interface PasswordSessionsOptions {
  readonly cookie?: CookieOptions;
  /** A session ends after so many milliseconds without a request. Default: 30 minutes. */
  readonly idleMillis?: number;
  /** A session ends so many milliseconds after login, used or not. Default: 12 hours. */
  readonly absoluteMillis?: number;
  /** Sessions of one user; one more ends the one that was unused for longest. Default: 50. */
  readonly maxPerUser?: number;
  /** Sessions in all; one more login is answered with 503. Default: 20,000. */
  readonly max?: number;
  /** Whether `Authorization: Basic` counts too, for scripts. Default: true. */
  readonly basic?: boolean;
}

const scheme = 'password';
/** How long a right password is believed without another slow check. */
const basicKeepMillis = 60_000;
const maxBasicKept = 1000;
/** Sessions that ran out are noticed at their next request, or by a look at all of them this often. */
const maxSweepMillis = 30_000;

/**
 * Accounts that the gateway keeps, with passwords; sessions in a cookie, kept in this process. Everybody logs in again
 * after a restart.
 */
export function passwordSessions(options: PasswordSessionsOptions = {}): Authenticator {
  const limits = {
    idleMillis: options.idleMillis ?? 30 * 60_000,
    absoluteMillis: options.absoluteMillis ?? 12 * 60 * 60_000,
    maxPerUser: options.maxPerUser ?? 50,
    max: options.max ?? 20_000,
  };
  for (const [name, value] of Object.entries(limits)) {
    if (!(value >= 1)) throw new TypeError(`passwordSessions: ${name} must be at least 1, not ${value}`);
  }
  const cookie = createCookie(options.cookie);
  const listeners = new Set<{ readonly listener: (sessionId: string) => void }>();
  let context: AuthContext | undefined;
  let sweeper: NodeJS.Timeout | undefined;

  const opened = (): AuthContext => {
    if (!context) throw new Error('passwordSessions: the gateway has not opened it, or has closed it');
    return context;
  };
  const now = () => opened().clock.monotonic();
  const store = createSessionStore({
    limits,
    now,
    onEnd(id) {
      for (const { listener } of [...listeners]) listener(id);
    },
  });
  const cache = createCredentialCache({ now, keepMillis: basicKeepMillis, max: maxBasicKept });

  const sessionOf = ({ headers }: CallerRequest): Session | undefined => {
    for (const secret of cookie.valuesOf(headers)) {
      const session = store.find(secret);
      if (session) return session;
    }
    return undefined;
  };
  const identityOf = ({ userName, id }: Session): Identity => ({ userName, scheme, sessionId: id });
  const verify = (credentials: Credentials, { remoteAddress }: CallerRequest) =>
    opened().verifyPassword(credentials, remoteAddress);

  return {
    usesLocalPasswords: true,

    open(given) {
      if (context) throw new Error('passwordSessions: in use by another gateway; make one for each');
      context = given;
      const every = Math.min(maxSweepMillis, limits.idleMillis, limits.absoluteMillis);
      sweeper = setInterval(store.sweep, every).unref();
    },

    async authenticate(request) {
      const session = sessionOf(request);
      if (session) return identityOf(session);
      const credentials = options.basic === false ? undefined : basicCredentials(request.headers);
      if (!credentials) return undefined;
      const right = await cache.check(credentials, () => verify(credentials, request));
      return right ? { userName: credentials.userName, scheme } : undefined;
    },

    sessions: {
      async verify(credentials, request) {
        const { userName } = credentials;
        return (await verify(credentials, request)) ? { userName, scheme } : undefined;
      },
      open({ userName }, request) {
        const { session, secret } = store.open(userName);
        // A cookie that was there before login says nothing about who logs in now.
        for (const old of cookie.valuesOf(request.headers)) {
          const before = store.find(old);
          if (before) store.end(before.id);
        }
        return { identity: identityOf(session), setCookie: cookie.set(secret) };
      },
      end(request) {
        for (const secret of cookie.valuesOf(request.headers)) {
          const session = store.find(secret);
          if (session) store.end(session.id);
        }
        return { setCookie: cookie.clear() };
      },
      touch: store.touch,
      onEnd(listener) {
        const entry = { listener };
        listeners.add(entry);
        return () => {
          listeners.delete(entry);
        };
      },
    },

    forget(userName, exceptSessionId) {
      cache.forget(userName);
      store.endAllOf(userName, exceptSessionId);
    },

    close() {
      clearInterval(sweeper);
      store.clear();
      cache.clear();
      context = undefined;
    },
  };
}
