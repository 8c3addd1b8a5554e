import { userInfo } from 'node:os';
import type { Authenticator, CallerRequest, Identity } from '../interfaces/auth.js';
import { asGatewayError, GatewayError, NotLoggedIn, Unreachable } from '../model/errors.js';
import { adminRole } from '../model/permissions.js';

export type Authenticate = (caller: CallerRequest) => Promise<Identity | undefined>;

/** The one question about a request that the host answers, the same for HTTP and the WebSocket. */
export function authentication(auth: Authenticator | 'none' | undefined): Authenticate {
  if (auth === undefined) return () => Promise.reject(noAuthenticator());
  if (auth === 'none') {
    const everybody = Promise.resolve(everybodysIdentity());
    return () => everybody;
  }
  return async (caller) => {
    try {
      return await auth.authenticate(caller);
    } catch (error) {
      throw error instanceof GatewayError ? error : new Unreachable('The authenticator', error);
    }
  };
}

const noAuthenticator = (): NotLoggedIn =>
  new NotLoggedIn(
    "No authenticator is configured: pass `auth` to createGateway, or `auth: 'none'` to let everybody in",
  );

/** `docs/decisions.md`, Without authentication: with it off everybody is the account that the service runs under. */
export const everybodysIdentity = (): Identity => ({ userName: accountName(), roles: [adminRole] });

/** Containers run under numbers that no name belongs to. */
function accountName(): string {
  try {
    return userInfo().username || adminRole;
  } catch {
    return adminRole;
  }
}

/** On public routes a bad, locked or unknown caller is nobody. Only "nobody may come in" stands everywhere. */
export function nobodyUnlessRefused(error: unknown): undefined {
  if (error instanceof NotLoggedIn || asGatewayError(error) !== error) throw error;
  return undefined;
}
