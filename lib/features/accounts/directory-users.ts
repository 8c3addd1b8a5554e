import * as z from 'zod';
import type { Identity, SchemeInUse } from '../../interfaces/auth.js';
import type { Logger } from '../../interfaces/logger.js';
import type { SchemeUser } from '../../interfaces/login-scheme.js';
import type { DocumentStore } from '../../interfaces/storage.js';
import { Forbidden } from '../../model/errors.js';
import { adminRole } from '../../model/permissions.js';
import { collection } from '../../storage/collection.js';
import { type Edit, userEdit } from './account-edits.js';
import type { AccountStore } from './account-store.js';
import { UserName } from './schema.js';
import { maxUsers } from './user-rules.js';

/** Who was the first, so that nobody becomes it again when that account is deleted. */
const FirstUser = z.object({ userName: z.string(), scheme: z.string() });

/** Kept with each session. */
const maxGroups = 1000;

/**
 * Makes an identity of somebody whom a scheme knows, and an account at their first login when they have no groups.
 * It rejects with `Forbidden` for the name of a local account: that one has a password here.
 */
export function createDirectoryUsers(deps: {
  readonly documents: DocumentStore;
  readonly store: AccountStore;
  readonly logger: Logger;
  readonly rightsChanged: (userName: string) => void;
}): (user: SchemeUser, used: SchemeInUse) => Promise<Identity> {
  const { store, logger } = deps;
  // What is stored keeps its name.
  const first = collection(deps.documents, 'first-visitor', FirstUser);

  /** Resolves what makes them an account, if they can have one: `docs/decisions.md`, The first user is administrator. */
  async function newAccount({ userName }: SchemeUser, used: SchemeInUse): Promise<readonly Edit[]> {
    const { scheme, defaultRole, firstUserIsAdmin = true } = used;
    if (store.users.has(userName) || store.users.size >= maxUsers) return [];
    const isFirst = firstUserIsAdmin && (await first.get('first')) === undefined;
    const byDefault = defaultRole !== undefined && store.roles.has(defaultRole) ? [defaultRole] : [];
    const account = userEdit({ userName, roles: isFirst ? [adminRole] : byDefault });
    if (!isFirst) return [account];
    logger.warn(
      { event: 'accounts.admin_granted', userName, scheme: scheme.name },
      'the first user of the directory is administrator',
    );
    const write = first.writes.put('first', { userName, scheme: scheme.name }, { ifMatch: null });
    return [account, { kind: 'other', write }];
  }

  return async (user, used) => {
    const { name: scheme } = used.scheme;
    const { userName, groups } = user;
    const known = store.users.get(userName);
    if (known?.password) {
      throw new Forbidden(
        `There is a local account ${userName}: log in with its password, or have it deleted`,
      );
    }
    if (groups) return { userName, groups: groups.slice(0, maxGroups), scheme };
    if (!known && UserName.safeParse(userName).success) {
      await store.change(() => newAccount(user, used));
      deps.rightsChanged(userName);
    }
    return { userName, scheme };
  };
}
