import type { IncomingHttpHeaders } from 'node:http';
import type { AuthConfiguration } from '../model/auth-configuration.js';
import type { Clock } from './clock.js';
import type { Logger } from './logger.js';
import type { Credentials, LoginScheme, SchemeCall, SchemeUser } from './login-scheme.js';

/** Who the authenticator says is calling. What they may do is the gateway's business. */
export interface Identity {
  /** 1 to 128 characters, no control characters. */
  readonly userName: string;
  /** Groups of the mechanism, mapped to roles by the group mapping. */
  readonly groups?: readonly string[];
  /** Roles that the host itself gives; replaces the roles kept by the gateway for this user. */
  readonly roles?: readonly string[];
  /** Shown as `authScheme` in the profile. */
  readonly scheme?: string;
  /** The session that the call came with, when the gateway opened it. Not the secret of the cookie: it may be logged. */
  readonly sessionId?: string;
  /** Permissions that this call may use at most, of those that the user has: an API token's. Default: all of them. */
  readonly scope?: readonly string[];
}

/** What an authenticator may look at. */
export interface CallerRequest {
  readonly headers: IncomingHttpHeaders;
  /** Of the peer of the socket, or what the host's `trustProxy` believes of a header. */
  readonly remoteAddress: string;
  /** Whether it came over TLS that ends in this process, or in a proxy of the host's `trustProxy`. Default: false. */
  readonly isSecure?: boolean;
  /** The host's own request object: `IncomingMessage`, Express `req`, Koa `ctx`. */
  readonly raw: unknown;
  /** Adds a header to the answer, whatever it will be: to that of a WebSocket upgrade too. */
  readonly setHeader?: (name: string, value: string) => void;
  /**
   * Aborted when the client has gone before it was answered: pass it on to `AuthContext`, so that slow checks that nobody
   * waits for are left out. Absent when the host can't tell.
   */
  readonly signal?: AbortSignal | undefined;
}

/** Asked once for every request and every WebSocket upgrade. */
export interface Authenticator {
  /**
   * Resolves `undefined` when nobody is known: bad, old and missing credentials are the same, and so are headers of any form
   * and length that mean nothing. Rejects with `TooManyRequests` while locked out, and with another error only when it can't
   * find out (answered with 502).
   */
  authenticate(request: CallerRequest): Promise<Identity | undefined>;
  /** Present when the gateway itself opens sessions; without it `POST /ws/v2/login` answers 501. */
  readonly sessions?: Sessions;
  /**
   * Names of the cookies that it reads: they never go along to proxied services, and those can't set them. Absent: nobody
   * knows, so no cookie goes to a service or comes from one.
   */
  readonly cookies?: readonly string[];
  /**
   * Names of the headers that it reads besides `Authorization` and `Cookie`, in any case: they never go along to proxied
   * servers. Default: none.
   */
  readonly headers?: readonly string[];
  /**
   * `true` when it checks passwords of the accounts that the gateway keeps. Then new users need a password, and an
   * administrator is made at the first start.
   */
  readonly usesLocalPasswords?: boolean;
  /**
   * Present when it takes API tokens (`AuthContext.verifyToken`): of users with an account of the gateway, or of
   * everybody whose rights it can tell by name. Without it nobody can make one.
   */
  readonly tokenUsers?: 'accounts' | 'everybody';
  /** What answers with 401 say in `WWW-Authenticate`: `Negotiate`. Asked at each of them. */
  challenge?(): string | undefined;
  /**
   * Present when it goes by what `PUT config/auth` says (`AuthContext.configuration`). Rejects, in a sentence for the
   * administrator, for a configuration that can't work; nothing is connected to. Without it that operation answers 501.
   */
  checkConfiguration?(configuration: AuthConfiguration): Promise<void>;
  /**
   * Present with `checkConfiguration` where a configuration can be tried: asks its mechanism whether it knows somebody. Nothing is
   * kept of it: no session, no account, no failure that is counted. Resolves `undefined` for wrong credentials; rejects, in a
   * sentence for the administrator, when it can't find out. Never called for `password` and `none`.
   */
  tryConfiguration?(
    configuration: AuthConfiguration,
    credentials: Credentials,
    options: SchemeCall,
  ): Promise<SchemeUser | undefined>;
  /** Called before the first request, and again after `close` when the gateway is rebuilt: then it works as before. */
  open?(context: AuthContext): Promise<void> | void;
  /**
   * The user was deleted or has a new password: before this returns, their sessions (but for `exceptSessionId`) are over
   * and nothing remembered of their credentials counts any more. Called for anybody, known or not. One with `sessions` has it.
   */
  forget?(userName: string, exceptSessionId?: string): void;
  /** Idempotent. All sessions are over, and who listens to their ends is told. */
  close?(): Promise<void> | void;
}

/** What tells one attempt to log in from others: a whole `CallerRequest`, or this of it. */
export type LoginRequest = Pick<CallerRequest, 'headers' | 'remoteAddress' | 'signal'>;

/** What the gateway gives its authenticator. */
export interface AuthContext {
  /**
   * Checks the password of an account that the gateway keeps. Slow on purpose, and as slow for users that do not
   * exist. Counts failures, by the address and the device cookie of the request: rejects with `TooManyRequests` while
   * locked out. Checks wait in turn by address: rejects with `NotReady` when too many wait or one has waited too long, and with
   * `ClientHungUp` when the request's `signal` aborts before its turn.
   */
  verifyPassword(credentials: Credentials, request: LoginRequest): Promise<boolean>;
  /** Whose API token this is; `undefined` for one that is forged, expired or revoked. Counts as use of it. */
  verifyToken(token: string): Identity | undefined;
  /** Whether somebody has an account here with a password: then no directory may speak for that name. */
  hasLocalPassword(userName: string): boolean;
  /**
   * Asks a scheme, under the same lock-out and in the same turns as `verifyPassword`. Resolves `undefined` when the credentials are wrong,
   * rejects with `Unreachable` when the scheme can't find out in time, with `Forbidden` for the name of a local account.
   * Users without groups get an account here at their first login.
   */
  verifyBy(used: SchemeInUse, credentials: Credentials, request: LoginRequest): Promise<Identity | undefined>;
  /** The same for what came after `Authorization: Negotiate`. */
  negotiateBy(
    used: SchemeInUse,
    token: string,
    request: LoginRequest,
  ): Promise<NegotiatedIdentity | undefined>;
  /** What `PUT config/auth` said before this start; `{ type: 'password' }` when it never did. */
  readonly configuration: AuthConfiguration;
  /** Says that only local accounts can log in, and why: administrators see it as an issue. */
  reportProblem(message: string): void;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface NegotiatedIdentity {
  readonly identity: Identity;
  /** As in `Negotiated`. */
  readonly reply?: string;
}

export interface SchemeInUse {
  readonly scheme: LoginScheme;
  /** Given to users without groups at their first login. Default: none, so an administrator must give them one. */
  readonly defaultRole?: string;
  /** Whether the first of all its users becomes administrator. Default: true. */
  readonly firstUserIsAdmin?: boolean;
}

/**
 * Sessions that the gateway opens, told by something that the client sends along: a cookie. They end by time, measured by
 * `clock.monotonic()` alone, and after 30 days without use at the latest.
 */
export interface Sessions {
  /** Whether all cookies are for TLS only; those that the gateway itself sets are then too. Default: those set over TLS. */
  readonly secure?: boolean | undefined;
  /** Resolves `undefined` when the credentials are wrong, an empty name or password included; rejects like `authenticate`. */
  verify(credentials: Credentials, request: CallerRequest): Promise<Identity | undefined>;
  /**
   * Opens a session for somebody verified, and ends the one that the request came with. `setCookie` is the whole value of the
   * `Set-Cookie` header, with `HttpOnly` and `SameSite`; what the cookie holds is new, never a value that the request came with,
   * and can't be guessed (128 bits or more, 22 characters in base64). `authenticate` then resolves an equal identity for the
   * cookie. Throws `NotReady` when too many are open.
   */
  open(identity: Identity, request: CallerRequest): OpenedSession;
  /** Ends the caller's session, if any; `setCookie` clears the cookie: `Max-Age=0`. Bears any headers, as `authenticate` does. */
  end(request: CallerRequest): { readonly setCookie: string };
  /** Counts as use of the session: it will not be ended for idleness now. `false` when there is none of this id any more. */
  touch(sessionId: string): boolean;
  /** Told once for each session that ended, by logout, time or force. Returns the function that stops telling. */
  onEnd(listener: (sessionId: string) => void): () => void;
  /** The open sessions of a user, in any order; no use of them. Absent: nobody can see theirs. */
  list?(userName: string): readonly SessionEntry[];
  /** Ends one session, as a logout from elsewhere; one that is not there any more is left alone. There is one with `list`. */
  endOne?(sessionId: string): void;
}

/** One session, as its user sees it. */
export interface SessionEntry {
  /** As in `Identity.sessionId`. */
  readonly id: string;
  /** Epoch milliseconds, of the login. */
  readonly createdAt: number;
  /** Epoch milliseconds, of the last request. */
  readonly lastUsedAt: number;
  /** Where the login came from. */
  readonly remoteAddress?: string;
  /** What the program that logged in called itself, shortened. */
  readonly userAgent?: string;
}

export interface OpenedSession {
  /** With `sessionId`, which is no part of the cookie. */
  readonly identity: Identity;
  readonly setCookie: string;
}
