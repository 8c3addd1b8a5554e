import type { AuthConfiguration } from '../model/auth-configuration.js';
import type { Clock } from './clock.js';
import type { Logger } from './logger.js';

/**
 * A mechanism that knows people by asking somebody else: a directory, a Kerberos realm, the system. It says who
 * somebody is and in which groups, and nothing more: sessions, local accounts, roles, the lock-out after failures, the
 * deadline and the number of logins at once are the gateway's business.
 */
export interface LoginScheme {
  /** Shown as `authScheme` in the profile: `ldap`, `ad`, `kerberos`, `pam`. */
  readonly name: string;
  /**
   * Checks a name and a password, as typed: the name has 1 to 256 characters and no control characters, the password is
   * not empty and has at most 1024 bytes. Resolves `undefined` when they are wrong or nobody has this name. Rejects only
   * when it can't find out (`Unreachable`; anything else counts as that, and becomes 502). Absent: nobody logs in with a
   * password.
   */
  login?(credentials: Credentials, options: SchemeCall): Promise<SchemeUser | undefined>;
  /**
   * Checks what came after `Authorization: Negotiate` (RFC 4559), base64. Resolves `undefined` for a token that is
   * forged, expired, replayed or not meant for us; rejects like `login`. When present, answers with 401 carry
   * `WWW-Authenticate: Negotiate`.
   */
  negotiate?(token: string, options: SchemeCall): Promise<Negotiated | undefined>;
  /** How its sessions differ from others. */
  readonly sessions?: SchemeSessions;
  /** Idempotent. Connections are closed, helpers are ended. */
  close?(): Promise<void> | void;
}

export interface Credentials {
  readonly userName: string;
  readonly password: string;
}

export interface SchemeCall {
  /** Aborted at the gateway's deadline, and when the client has gone. Ends connections that are being made. */
  readonly signal: AbortSignal;
}

/** Somebody whom the mechanism knows. */
export interface SchemeUser {
  /**
   * As the mechanism writes it, so that one person has one name however they typed it: the entry's `userIdAttribute`,
   * the principal without its realm. 1 to 128 characters, no control characters.
   */
  readonly userName: string;
  /** Present when groups were asked for (`groupSupport`), also when there are none; then they alone decide about roles. */
  readonly groups?: readonly string[];
}

export interface Negotiated {
  readonly user: SchemeUser;
  /** Base64: sent back as `WWW-Authenticate: Negotiate <reply>`, so that the client knows us too. */
  readonly reply?: string;
}

/** Of sessions that a scheme's users open. What is absent is as with other sessions. */
export interface SchemeSessions {
  /** Milliseconds from login, used or not (`tokenValidity`). */
  readonly absoluteMillis?: number;
  readonly cookieDomain?: string;
  readonly cookiePath?: string;
  /** Cookies are then signed with it (HMAC-SHA-256), and one that is not counts for nothing. At least 16 bytes. */
  readonly signatureSecret?: Buffer;
}

export interface LoginSchemeContext {
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Makes the scheme of a configuration, at each start of the gateway. Connects to nothing: a directory that is down must
 * not keep the gateway from starting. Also made, and closed at once, to check a new configuration. Rejects in a sentence
 * for the administrator: with `BadRequest` for a configuration that can't work (a keytab that is not there), with
 * `MissingPackage` when something optional is not installed. Then only local accounts can log in, and an issue says why.
 */
export type LoginSchemeFactory<Type extends AuthConfiguration['type'] = AuthConfiguration['type']> = (
  configuration: Extract<AuthConfiguration, { readonly type: Type }>,
  context: LoginSchemeContext,
) => LoginScheme | Promise<LoginScheme>;

/** What each type of the configuration is made by. */
export type LoginSchemes = {
  readonly [Type in Exclude<AuthConfiguration['type'], 'password' | 'none'>]: LoginSchemeFactory<Type>;
};
