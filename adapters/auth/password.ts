import { type AuthContext, type Authenticator, readOptions } from '../../lib/driver-kit.js';
import {
  type CredentialVerifier,
  loginSessions,
  type PasswordSessionsOptions,
  passwordSessionsOptions,
} from './login-sessions.js';

export type { CookieOptions } from './cookie.js';
export type { SessionOptions } from './cookie-sessions.js';
export { type CredentialVerifier, loginSessions, type PasswordSessionsOptions } from './login-sessions.js';

/**
 * Accounts that the gateway keeps, with passwords; sessions in a cookie, kept in this process. Everybody logs in again
 * after a restart. For directories besides: `configuredAuth`.
 */
export function passwordSessions(given: PasswordSessionsOptions = {}): Authenticator {
  const options = readOptions('passwordSessions', given, passwordSessionsOptions);
  return loginSessions('passwordSessions', options, async (context) => localVerifier(context));
}

/** Passwords of accounts that the gateway keeps. */
export const localVerifier = ({
  verifyPassword,
}: Pick<AuthContext, 'verifyPassword'>): CredentialVerifier => ({
  async verify(credentials, request) {
    const { userName } = credentials;
    const isRight = await verifyPassword(credentials, request);
    return isRight ? { userName, scheme: 'password' } : undefined;
  },
});
