import {
  type AuthContext,
  type Authenticator,
  type Identity,
  option,
  readOptions,
  Unreachable,
} from '../../lib/driver-kit.js';

export interface ApiTokensOptions {
  /**
   * Who a user is now, for hosts whose own sessions bring roles or groups: asked at each call with a token.
   * `undefined`: nobody any more, and the token counts for nothing. Default: the roles of the account that the gateway
   * keeps, and no tokens for users whose roles come from elsewhere.
   */
  readonly identityOf?: (userName: string) => Identity | undefined | Promise<Identity | undefined>;
}

/** Longer headers hold no token. */
const maxHeaderLength = 256;

/**
 * `Authorization: Bearer` with tokens that users make for their scripts (`POST /ws/v2/tokens`). Combine it:
 * `firstOf(passwordSessions(), apiTokens())`.
 */
export function apiTokens(options: ApiTokensOptions = {}): Authenticator {
  const { identityOf } = readOptions('apiTokens', options, { identityOf: option.callback });
  let context: AuthContext | undefined;

  return {
    cookies: [],
    tokenUsers: identityOf ? 'everybody' : 'accounts',

    open(given) {
      if (context) throw new Error('apiTokens: in use by another gateway; make one for each');
      context = given;
    },

    async authenticate({ headers }) {
      const { authorization } = headers;
      if (authorization === undefined || authorization.length > maxHeaderLength) return undefined;
      const token = /^bearer +(\S+) *$/i.exec(authorization)?.[1];
      if (token === undefined) return undefined;
      if (!context) throw new Error('apiTokens: the gateway has not opened it, or has closed it');
      const known = context.verifyToken(token);
      if (!known || !identityOf) return known;
      let now: Identity | undefined;
      try {
        now = await identityOf(known.userName);
      } catch (error) {
        throw new Unreachable("The host's users", error);
      }
      return now && { ...now, ...known };
    },

    close() {
      context = undefined;
    },
  };
}
