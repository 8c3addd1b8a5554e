import type {
  AuthContext,
  Authenticator,
  CallerRequest,
  Credentials,
  Identity,
} from '../../lib/driver-kit.js';
import { basicCredentials, createCredentialCache } from './basic.js';
import { createCookie } from './cookie.js';
import { createCookieSessions, type SessionOptions, sessionLimits } from './cookie-sessions.js';

export type { CookieOptions } from './cookie.js';
export type { SessionOptions } from './cookie-sessions.js';

export interface PasswordSessionsOptions extends SessionOptions {
  /** Whether `Authorization: Basic` counts too, for scripts. Default: true. */
  readonly basic?: boolean;
}

/**
 * Accounts that the gateway keeps, with passwords; sessions in a cookie, kept in this process. Everybody logs in again
 * after a restart. For directories besides: `configuredAuth`.
 */
export function passwordSessions(options: PasswordSessionsOptions = {}): Authenticator {
  return loginSessions('passwordSessions', options, async (context) => localVerifier(context));
}

/** How people are known, from one opening of the authenticator to its close. */
export interface CredentialVerifier {
  verify(credentials: Credentials, request: CallerRequest): Promise<Identity | undefined>;
  /** Somebody without session and without password; `open` gives them a session. */
  know?(request: CallerRequest, open: (identity: Identity) => Identity): Promise<Identity | undefined>;
  /** What differs from the options. */
  readonly sessions?: SessionOptions & { readonly signatureSecret?: Buffer };
  close?(): Promise<void> | void;
}

/** Passwords of accounts that the gateway keeps. */
export const localVerifier = ({
  verifyPassword,
}: Pick<AuthContext, 'verifyPassword'>): CredentialVerifier => ({
  async verify(credentials, { remoteAddress, signal }) {
    const { userName } = credentials;
    const isRight = await verifyPassword(credentials, remoteAddress, signal);
    return isRight ? { userName, scheme: 'password' } : undefined;
  },
});

/** How long right credentials are believed without another slow check. */
const basicKeepMillis = 60_000;
const maxBasicKept = 1000;

/** Everything about sessions and Basic, whoever checks the passwords. */
export function loginSessions(
  name: string,
  options: PasswordSessionsOptions,
  verifierFor: (context: AuthContext) => Promise<CredentialVerifier>,
): Authenticator & { readonly sessions: NonNullable<Authenticator['sessions']> } {
  // Now, so that a wrong option is told to whoever wrote it.
  sessionLimits(options);
  createCookie(options.cookie);
  const listeners = new Set<{ readonly listener: (sessionId: string) => void }>();
  const onEnd = (id: string) => {
    for (const { listener } of [...listeners]) listener(id);
  };
  let isTaken = false;
  let opened: Awaited<ReturnType<typeof open>> | undefined;

  async function open(context: AuthContext) {
    const verifier = await verifierFor(context);
    const { monotonic } = context.clock;
    return {
      verifier,
      sessions: createCookieSessions({ ...options, ...verifier.sessions }, context.clock, onEnd),
      cache: createCredentialCache({ now: monotonic, keepMillis: basicKeepMillis, max: maxBasicKept }),
    };
  }
  /** A door may ask twice about one request, when rights changed meanwhile; a ticket is good for once. */
  const openedBy = new WeakMap<CallerRequest, string>();
  const now = () => {
    if (!opened) throw new Error(`${name}: the gateway has not opened it, or has closed it`);
    return opened;
  };

  return {
    cookies: [options.cookie?.name ?? 'headgate_session'],
    usesLocalPasswords: true,

    open(context) {
      if (isTaken) throw new Error(`${name}: in use by another gateway; make one for each`);
      isTaken = true;
      return open(context).then(
        (all) => {
          opened = all;
        },
        (error: unknown) => {
          isTaken = false;
          throw error;
        },
      );
    },

    async authenticate(request) {
      const { verifier, sessions, cache } = now();
      const own = openedBy.get(request);
      if (own !== undefined) return sessions.find({ ...request, headers: { cookie: own } });
      const known = sessions.find(request);
      if (known) return known;
      const credentials = options.basic === false ? undefined : basicCredentials(request.headers);
      if (credentials) {
        const { signal } = request;
        return cache.check(credentials, signal, (whileWaiting) =>
          verifier.verify(credentials, { ...request, signal: whileWaiting }),
        );
      }
      return verifier.know?.(request, (identity) => {
        const { setCookie, identity: opened } = sessions.open(identity, request);
        openedBy.set(request, setCookie.split(';', 1)[0] ?? '');
        request.setHeader?.('set-cookie', setCookie);
        return opened;
      });
    },

    sessions: {
      get secure() {
        return (opened?.verifier.sessions?.cookie ?? options.cookie)?.secure;
      },
      verify: (credentials, request) => now().verifier.verify(credentials, request),
      open: (identity, request) => now().sessions.open(identity, request),
      end: (request) => now().sessions.end(request),
      touch: (sessionId) => opened?.sessions.touch(sessionId),
      onEnd(listener) {
        const entry = { listener };
        listeners.add(entry);
        return () => {
          listeners.delete(entry);
        };
      },
    },

    forget(userName, exceptSessionId) {
      opened?.cache.forget(userName);
      opened?.sessions.endAllOf(userName, exceptSessionId);
    },

    async close() {
      const closing = opened;
      opened = undefined;
      isTaken = false;
      closing?.sessions.close();
      closing?.cache.clear();
      await closing?.verifier.close?.();
    },
  };
}
