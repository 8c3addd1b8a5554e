import type { Principal } from '../../http/principal.js';
import type { LoginRequest } from '../../interfaces/auth.js';
import { BadRequest, Conflict, Forbidden } from '../../model/errors.js';
import { userEdit } from './account-edits.js';
import type { AccountStore } from './account-store.js';
import type { CredentialVerifier } from './credential-verifier.js';
import { hashed } from './new-password.js';
import type { PasswordRules } from './password-rules.js';
import type { PasswordHash, Passwords } from './passwords.js';
import type { UserChange } from './schema.js';
import type { StoredUser } from './stored.js';
import { existingUser, missing, requireManager, requireSameName, withRoles } from './user-rules.js';

/** A new password, new roles or both for a user who is there. */
export function createUserChange(deps: {
  readonly store: AccountStore;
  readonly passwords: Passwords;
  readonly rules: PasswordRules;
  readonly verifier: Pick<CredentialVerifier, 'check'>;
  readonly rightsChanged: (userName: string) => void;
  readonly credentialsChanged: (userName: string, exceptSessionId?: string) => void;
}): (caller: Principal, name: string, input: UserChange, request: LoginRequest) => Promise<void> {
  const { store } = deps;

  /** Whoever sits at somebody's open session can't take their account over. */
  async function requireOldPassword(userName: string, password: string | undefined, request: LoginRequest) {
    if (password === undefined) throw missing('oldPassword');
    if (!(await deps.verifier.check({ userName, password }, request))) {
      throw new Forbidden('The old password is wrong');
    }
  }

  return async (caller, name, input, request) => {
    const isOwn = name === caller.userName;
    if (!isOwn) requireManager(caller);
    requireSameName(name, input.userName);
    const { newPassword, roles } = input;
    if (newPassword === undefined && roles === undefined) {
      throw new BadRequest('NOTHING_TO_CHANGE', 'Send newPassword, roles or both');
    }
    const before = existingUser(store, name);
    withRoles(store, caller, before, roles);
    if (isOwn && newPassword !== undefined) await requireOldPassword(name, input.oldPassword, request);
    const given = { caller, userName: name, field: 'newPassword', password: newPassword };
    const { password } = await hashed(deps, { ...given, signal: request.signal });
    await store.change(() => {
      const present = existingUser(store, name);
      const user = password ? withPassword(present, before, password) : present;
      return [userEdit(withRoles(store, caller, user, roles))];
    });
    if (password) deps.credentialsChanged(name, isOwn ? caller.identity.sessionId : undefined);
    deps.rightsChanged(name);
  };
}

/** Throws when the password is no longer the one that `before` has: nobody's choice is overwritten unseen. */
export function withPassword(present: StoredUser, before: StoredUser, password: PasswordHash): StoredUser {
  if (present.password !== before.password) {
    throw new Conflict(
      'CHANGED_MEANWHILE',
      `Somebody else has changed the password of ${present.userName} at the same time`,
    );
  }
  const { isPasswordGenerated: _, ...user } = present;
  return { ...user, password };
}
