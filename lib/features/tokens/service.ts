import { may, type Principal } from '../../http/principal.js';
import type { Authenticator } from '../../interfaces/auth.js';
import type { Clock } from '../../interfaces/clock.js';
import type { DocumentStore } from '../../interfaces/storage.js';
import { Conflict, Forbidden, InvalidInput, NotFound, NotSupported } from '../../model/errors.js';
import { isPermission } from '../../model/permissions.js';
import type { AccountService } from '../accounts/service.js';
import type { CreatedToken, NewToken, StoredToken, Token } from './schema.js';
import { newSecret } from './secret.js';
import type { TokenStore } from './store.js';

/** API tokens, for scripts: each acts for its user, with what the user may at that moment, or less. */
export interface TokenService {
  list(userName: string): Token[];
  listAll(userName: string | undefined): Token[];
  /** Rejects with `NotSupported` where no authenticator takes tokens, and with `Conflict` at the limits. */
  create(caller: Principal, input: NewToken): Promise<CreatedToken>;
  /** One's own; others' with MANAGE_USERS, else they are not there. */
  revoke(caller: Principal, id: string): Promise<void>;
  revokeAllOf(userName: string): Promise<void>;
}

export interface TokenLimits {
  /** Tokens of one user. Default: 50. */
  readonly perUser: number;
  /** Tokens in all. Default: 10,000. */
  readonly total: number;
}

export const defaultTokenLimits: TokenLimits = { perUser: 50, total: 10_000 };

export function createTokenService(deps: {
  readonly store: TokenStore;
  readonly accounts: { readonly users: Pick<AccountService['users'], 'has' | 'writeFor'> };
  readonly documents: DocumentStore;
  readonly clock: Clock;
  /** Whose tokens are taken; absent: nobody's. */
  readonly tokenUsers: Authenticator['tokenUsers'];
  readonly limits?: Partial<TokenLimits> | undefined;
}): TokenService {
  const { store, documents, clock } = deps;
  const { users } = deps.accounts;
  const limits = { ...defaultTokenLimits, ...deps.limits };

  function requireRoom(userName: string): void {
    if (store.list(userName).length >= limits.perUser) {
      throw new Conflict(
        'LIMIT_REACHED',
        `${userName} has ${limits.perUser} tokens already; revoke one first`,
      );
    }
    if (store.list().length >= limits.total) {
      throw new Conflict(
        'LIMIT_REACHED',
        `There are ${limits.total} tokens already; one must be revoked first`,
      );
    }
  }

  return {
    list: (userName) => store.list(userName).map(shown),
    listAll: (userName) => store.list(userName).map(shown),

    async create(caller, { name, permissions, validSeconds }) {
      const { userName, identity } = caller;
      requireTaken(deps.tokenUsers, caller);
      if (identity.scheme === 'token') {
        throw new Forbidden('A token makes no tokens, so that a lesser one can not make a greater: log in');
      }
      const scope = permissions && scopeOf(caller, permissions);
      requireRoom(userName);
      const { id, token, hash } = newSecret();
      const createdAt = clock.now();
      const stored: StoredToken = {
        id,
        userName,
        name,
        ...(scope ? { permissions: scope } : {}),
        createdAt,
        expiresAt: createdAt + validSeconds * 1000,
        hash,
      };
      await store.add(stored, (writes) =>
        users.has(userName) ? users.writeFor(userName, writes) : documents.write(writes),
      );
      return { ...shown(stored), token };
    },

    async revoke(caller, id) {
      const token = store.get(id);
      if (!token || (token.userName !== caller.userName && !may(caller, 'MANAGE_USERS'))) {
        throw new NotFound('token', id);
      }
      await store.remove([token]);
    },

    revokeAllOf: (userName) => store.remove(store.list(userName)),
  };
}

/** A token is looked up by the name of its user alone, so the name must say all that there is to know about the rights. */
function requireTaken(tokenUsers: Authenticator['tokenUsers'], { identity }: Principal): void {
  if (tokenUsers === undefined) {
    throw new NotSupported('authenticator', 'API tokens; the host adds apiTokens() to its authenticators');
  }
  if (tokenUsers === 'accounts' && identity.roles !== undefined) {
    throw new Forbidden(
      'Your roles come from elsewhere, so a token could not know them; the host gives apiTokens({ identityOf })',
    );
  }
}

function scopeOf(caller: Principal, permissions: readonly string[]): string[] {
  const wrong = permissions.findIndex((one) => !isPermission(one) || !may(caller, one));
  if (wrong >= 0) {
    const name = permissions[wrong] ?? '';
    const message = isPermission(name)
      ? `you do not have ${name} yourself`
      : `there is no permission ${name}`;
    throw new InvalidInput([{ path: `body.permissions.${wrong}`, message }]);
  }
  return [...new Set(permissions)].sort();
}

const shown = ({ hash: _, ...token }: StoredToken): Token => token;
