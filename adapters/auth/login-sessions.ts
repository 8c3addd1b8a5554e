import {
  type AuthContext,
  type Authenticator,
  type CallerRequest,
  type Credentials,
  type Identity,
  type OptionChecks,
  option,
} from '../../lib/driver-kit.js';
import { basicCredentials, createCredentialCache } from './basic.js';
import { createCookie } from './cookie.js';
import { createCookieSessions, type SessionOptions, sessionOptions } from './cookie-sessions.js';
import { openedByOne } from './opened-by-one.js';

export interface PasswordSessionsOptions extends SessionOptions {
  /** Whether `Authorization: Basic` counts too, for scripts. Default: true. */
  readonly basic?: boolean;
}

export const passwordSessionsOptions: OptionChecks<PasswordSessionsOptions> = {
  ...sessionOptions,
  basic: option.flag,
};

/** How people are known, from one opening of the authenticator to its close. */
export interface CredentialVerifier {
  verify(credentials: Credentials, request: CallerRequest): Promise<Identity | undefined>;
  /** Somebody without session and without password; `open` gives them a session. */
  know?(request: CallerRequest, open: (identity: Identity) => Identity): Promise<Identity | undefined>;
  /** What differs from the options. */
  readonly sessions?: SessionOptions & { readonly signatureSecret?: Buffer };
  close?(): Promise<void> | void;
}

/** What one opening of the authenticator has. */
interface Opened {
  readonly verifier: CredentialVerifier;
  readonly sessions: ReturnType<typeof createCookieSessions>;
  readonly cache: ReturnType<typeof createCredentialCache>;
}

/** How long right credentials are believed without another slow check. */
const basicKeepMillis = 60_000;
const maxBasicKept = 1000;

/** Everything about sessions and Basic, whoever checks the passwords. `options`: read already. */
export function loginSessions(
  name: string,
  options: PasswordSessionsOptions,
  verifierFor: (context: AuthContext) => Promise<CredentialVerifier>,
): Authenticator & { readonly sessions: NonNullable<Authenticator['sessions']> } {
  // Now, so that a wrong option is told to whoever wrote it.
  createCookie(options.cookie);
  const ends = sessionEnds();
  const opened = openedByOne(name, async (context: AuthContext): Promise<Opened> => {
    const verifier = await verifierFor(context);
    const { monotonic } = context.clock;
    return {
      verifier,
      sessions: createCookieSessions({ ...options, ...verifier.sessions }, context.clock, ends.tell),
      cache: createCredentialCache({ now: monotonic, keepMillis: basicKeepMillis, max: maxBasicKept }),
    };
  });
  const authenticate = callerLookup(opened.now, options.basic ?? true);

  return {
    cookies: [options.cookie?.name ?? 'headgate_session'],
    usesLocalPasswords: true,
    open: opened.open,
    authenticate,

    sessions: {
      get secure() {
        return (opened.ifOpen()?.verifier.sessions?.cookie ?? options.cookie)?.secure;
      },
      verify: (credentials, request) => opened.now().verifier.verify(credentials, request),
      open: (identity, request) => opened.now().sessions.open(identity, request),
      end: (request) => opened.now().sessions.end(request),
      touch: (sessionId) => opened.ifOpen()?.sessions.touch(sessionId) ?? false,
      onEnd: ends.add,
      list: (userName) => opened.ifOpen()?.sessions.list(userName) ?? [],
      endOne: (sessionId) => opened.ifOpen()?.sessions.endOne(sessionId),
    },

    forget(userName, exceptSessionId) {
      opened.ifOpen()?.cache.forget(userName);
      opened.ifOpen()?.sessions.endAllOf(userName, exceptSessionId);
    },

    async close() {
      const closing = opened.release();
      closing?.sessions.close();
      closing?.cache.clear();
      await closing?.verifier.close?.();
    },
  };
}

/** Who calls, by a session, by Basic, or by what the verifier knows of them. */
function callerLookup(openedNow: () => Opened, basic: boolean) {
  /** The gateway may ask twice about one request, when rights changed meanwhile; a ticket is good for once. */
  const cookieOf = new WeakMap<CallerRequest, string>();

  return async (request: CallerRequest): Promise<Identity | undefined> => {
    const { verifier, sessions, cache } = openedNow();
    const own = cookieOf.get(request);
    if (own !== undefined) return sessions.find({ ...request, headers: { cookie: own } });
    const known = sessions.find(request);
    if (known) return known;
    const credentials = basic ? basicCredentials(request.headers) : undefined;
    if (credentials) {
      return cache.check(credentials, request.signal, (whileWaiting) =>
        verifier.verify(credentials, { ...request, signal: whileWaiting }),
      );
    }
    return verifier.know?.(request, (identity) => {
      const { setCookie, identity: withSession } = sessions.open(identity, request);
      cookieOf.set(request, setCookie.split(';', 1)[0] ?? '');
      request.setHeader?.('set-cookie', setCookie);
      return withSession;
    });
  };
}

/** Who is told of sessions that end, whatever opening of the authenticator they are of. */
function sessionEnds() {
  const listeners = new Set<{ readonly listener: (sessionId: string) => void }>();
  return {
    tell(sessionId: string): void {
      for (const { listener } of [...listeners]) listener(sessionId);
    },
    /** Returns the function that stops telling. */
    add(listener: (sessionId: string) => void): () => void {
      const entry = { listener };
      listeners.add(entry);
      return () => {
        listeners.delete(entry);
      };
    },
  };
}
