import { randomBytes } from 'node:crypto';
import type { Logger } from '../../interfaces/logger.js';
import { PreconditionFailed } from '../../model/errors.js';
import { adminRole } from '../../model/permissions.js';
import { userEdit } from './account-edits.js';
import type { AccountStore } from './account-store.js';
import type { PasswordRules } from './password-rules.js';
import { isPossible, maxPasswordBytes, ownWork, type Passwords } from './passwords.js';
import { adminsOf } from './user-rules.js';

/** Nobody can make an administrator where there is none, so the start does. */
export interface FirstAdmin {
  /**
   * First start: makes the user `admin` when nobody is administrator. Resolves the password when it was generated:
   * nobody else has it, and it is not kept.
   */
  ensureAdmin(password: string | undefined): Promise<string | undefined>;
  /** The password that `ensureAdmin` has generated is still somebody's. */
  hasGeneratedPassword(): boolean;
}

export function createFirstAdmin({
  store,
  passwords,
  rules,
  logger,
}: {
  readonly store: AccountStore;
  readonly passwords: Passwords;
  readonly rules: PasswordRules;
  readonly logger: Logger;
}): FirstAdmin {
  /** Gives a user called `admin` the role and this password when no administrator exists; resolves whether it did. */
  async function make(password: string, isGenerated: boolean): Promise<boolean> {
    if (adminsOf(store).length > 0) return false;
    if (!isPossible(password)) {
      throw new TypeError(`initialAdmin.password must have 1 to ${maxPasswordBytes} bytes`);
    }
    const why = isGenerated ? undefined : await rules.problem(password, adminRole);
    if (why !== undefined) throw new TypeError(`initialAdmin.password is not taken: ${why}`);
    const hash = await passwords.hash(password, ownWork);
    await store.change(() => {
      const roles = store.users.get(adminRole)?.roles ?? [];
      const generated = isGenerated ? { isPasswordGenerated: true as const } : {};
      return [userEdit({ userName: adminRole, roles: [...roles, adminRole], password: hash, ...generated })];
    });
    return true;
  }

  return {
    hasGeneratedPassword: () =>
      [...store.users.values()].some(({ isPasswordGenerated }) => isPasswordGenerated === true),

    async ensureAdmin(given) {
      const password = given ?? randomBytes(15).toString('base64url');
      try {
        const isGenerated = given === undefined;
        return (await make(password, isGenerated)) && isGenerated ? password : undefined;
      } catch (err) {
        if (!(err instanceof PreconditionFailed)) throw err;
        logger.error(
          { event: 'accounts.admin_damaged', err },
          'there is no administrator, and the document of the user admin is damaged',
        );
        return undefined;
      }
    },
  };
}
