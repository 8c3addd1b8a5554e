import type { Principal } from '../../http/principal.js';
import type { LoginRequest } from '../../interfaces/auth.js';
import type { DocumentWrite } from '../../interfaces/storage.js';
import { Conflict } from '../../model/errors.js';
import type { Edit } from './account-edits.js';
import type { AccountStore } from './account-store.js';
import type { CredentialVerifier } from './credential-verifier.js';
import { hashed } from './new-password.js';
import type { PasswordRules } from './password-rules.js';
import type { Passwords } from './passwords.js';
import type { Rights } from './rights.js';
import type { NewUser, User, UserChange, UserEntry } from './schema.js';
import { createUserChange } from './user-change.js';
import {
  existingUser,
  knownRoles,
  missing,
  requireAdminOver,
  requireDeletable,
  requireManager,
  requireNew,
  requireSameName,
  sameSet,
} from './user-rules.js';

export interface UserService {
  list(): User[];
  /** One's own entry; others' with MANAGE_USERS. */
  get(caller: Principal, name: string): UserEntry;
  create(caller: Principal, name: string, input: NewUser, signal?: AbortSignal): Promise<void>;
  /** Changes password, roles or both, at once or not at all. */
  change(caller: Principal, name: string, input: UserChange, request: LoginRequest): Promise<void>;
  remove(caller: Principal, name: string): Promise<void>;
  has(name: string): boolean;
  /** Writes for a user, in turn with all changes of users. Rejects with `NotFound` when they are gone by then. */
  writeFor(name: string, writes: readonly DocumentWrite[]): Promise<void>;
}

interface UserDeps {
  readonly store: AccountStore;
  readonly rights: Rights;
  readonly passwords: Passwords;
  readonly rules: PasswordRules;
  readonly verifier: CredentialVerifier;
  readonly passwordRequired: boolean;
  /** Writes that go along with the deletion of a user. */
  readonly cascade: (name: string) => Promise<readonly Edit[]>;
  /** The user is gone, and what belonged to them with it. */
  readonly deleted: (name: string) => void;
  readonly rightsChanged: (userName: string) => void;
  /** Called before the answer: old sessions and remembered credentials are void. */
  readonly credentialsChanged: (userName: string, exceptSessionId?: string) => void;
}

export function createUsers(deps: UserDeps): UserService {
  const { store, rights, rightsChanged } = deps;

  return {
    list: () =>
      [...store.users.values()]
        .map(({ userName, roles }) => ({ userName, roles, permissions: rights.permissionsOf(roles) }))
        .sort((a, b) => (a.userName < b.userName ? -1 : 1)),

    get(caller, name) {
      if (name !== caller.userName) requireManager(caller);
      const { userName, roles } = existingUser(store, name);
      return { userName, roles };
    },

    async create(caller, name, input, signal) {
      requireSameName(name, input.userName);
      const there = store.users.get(name);
      // As it was read: passwords are never shown.
      if (there && input.password === undefined && sameSet(input.roles, there.roles)) return;
      if (input.password === undefined && deps.passwordRequired) throw missing('password');
      const roles = knownRoles(store, input.roles);
      const made = { userName: name, roles };
      requireNew(store, caller, made);
      const given = { caller, userName: name, field: 'password', password: input.password, signal };
      const password = await hashed(deps, given);
      await store.change(() => {
        requireNew(store, caller, made);
        const user = { userName: name, roles: knownRoles(store, roles), ...password };
        return [{ kind: 'user', name, user, overDamaged: () => requireAdminOver(name, caller) }];
      });
      rightsChanged(name);
    },

    change: createUserChange(deps),

    async remove(caller, name) {
      if (name === caller.userName)
        throw new Conflict('OWN_ACCOUNT', 'Nobody can delete the account they are logged in with');
      await store.change(async () => {
        requireDeletable(store, caller, existingUser(store, name));
        return [{ kind: 'user', name, user: undefined }, ...(await deps.cascade(name))];
      });
      deps.deleted(name);
      deps.credentialsChanged(name);
      rightsChanged(name);
    },

    has: (name) => store.users.has(name),

    writeFor: (name, writes) =>
      store.change(() => {
        existingUser(store, name);
        return writes.map((write) => ({ kind: 'other', write }));
      }),
  };
}
