import type { IncomingHttpHeaders } from 'node:http';

/** Who the authenticator says is calling. What they may do is the gateway's business. */
export interface Identity {
  readonly userName: string;
  /** Groups of the mechanism, mapped to roles by the group mapping. */
  readonly groups?: readonly string[];
  /** Roles that the host itself gives; replaces the roles kept by the gateway for this user. */
  readonly roles?: readonly string[];
  /** Shown as `authScheme` in the profile (spec 2.8). */
  readonly scheme?: string;
  /** The session that the call came with, when the gateway opened it. */
  readonly sessionId?: string;
}

/** What an authenticator may look at. */
export interface CallerRequest {
  readonly headers: IncomingHttpHeaders;
  /** Address of the peer of the socket; no header is believed. */
  readonly remoteAddress: string;
  /** The host's own request object: `IncomingMessage`, Express `req`, Koa `ctx`. */
  readonly raw: unknown;
}

export interface Authenticator {
  /** Resolves `undefined` when nobody is known; rejects only when it can't find out (answered with 502). */
  authenticate(request: CallerRequest): Promise<Identity | undefined>;
  /** Present when the gateway itself opens sessions; without it `POST /ws/v2/login` answers 501. */
  readonly sessions?: Sessions;
  /** Called once by the gateway before the first request. */
  open?(context: AuthContext): Promise<void> | void;
  close?(): Promise<void> | void;
}

/** The verified accounts and the clock, handed to authenticators that open sessions. */
export interface AuthContext {
  /** Checks a local account's password. Costs the same for unknown users. Rejects with `TooManyRequests` while locked out. */
  verifyPassword(userName: string, password: string, remoteAddress: string): Promise<boolean>;
  now(): number;
}

export interface Sessions {
  /**
   * Opens a session. Resolves `undefined` when the credentials are wrong.
   * `setCookie` is the whole value of the `Set-Cookie` header.
   */
  login(
    credentials: { userName: string; password: string },
    request: CallerRequest,
  ): Promise<{ identity: Identity; setCookie: string } | undefined>;
  /** Ends the caller's session, if any; `setCookie` clears the cookie. */
  logout(request: CallerRequest): Promise<{ setCookie: string }>;
  /** Ends all sessions of a user, but for `exceptSessionId`. */
  endSessionsOf(userName: string, exceptSessionId?: string): void;
  /** Told whenever a session ended, by logout, time or force. Returns the function that stops telling. */
  onEnd(listener: (sessionId: string) => void): () => void;
}
