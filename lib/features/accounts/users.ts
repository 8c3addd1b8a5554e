import type { Principal } from '../../http/principal.js';
import type { DocumentWrite } from '../../interfaces/storage.js';
import { BadRequest, Conflict, Forbidden, InvalidInput, NotFound } from '../../model/errors.js';
import type { QueuePlace } from '../../runtime/fair-queue.js';
import { type AccountStore, type Edit, userEdit } from './account-store.js';
import type { CredentialVerifier, From } from './credential-verifier.js';
import { isPossible, maxPasswordBytes, type PasswordHash, type Passwords } from './passwords.js';
import type { Rights } from './rights.js';
import type { NewUser, User, UserChange, UserEntry } from './schema.js';
import type { StoredUser } from './stored.js';
import {
  knownRoles,
  requireAdminOver,
  requireDeletable,
  requireManager,
  requireNew,
  sameSet,
  withRoles,
} from './user-rules.js';

export interface UserService {
  list(): User[];
  /** One's own entry; others' with MANAGE_USERS. */
  get(caller: Principal, name: string): UserEntry;
  create(caller: Principal, name: string, input: NewUser, signal?: AbortSignal): Promise<void>;
  /** Changes password, roles or both, at once or not at all. */
  change(caller: Principal, name: string, input: UserChange, from: From): Promise<void>;
  remove(caller: Principal, name: string): Promise<void>;
  has(name: string): boolean;
  /** Writes for a user, in turn with all changes of users. Rejects with `NotFound` when they are gone by then. */
  writeFor(name: string, writes: readonly DocumentWrite[]): Promise<void>;
}

interface UserDeps {
  readonly store: AccountStore;
  readonly rights: Rights;
  readonly passwords: Passwords;
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
  const { store, rights, passwords, verifier, rightsChanged, credentialsChanged } = deps;

  const existing = (name: string): StoredUser => {
    const user = store.users.get(name);
    if (!user) throw new NotFound('user', name);
    return user;
  };

  return {
    list: () =>
      [...store.users.values()]
        .map(({ userName, roles }) => ({ userName, roles, permissions: rights.permissionsOf(roles) }))
        .sort((a, b) => (a.userName < b.userName ? -1 : 1)),

    get(caller, name) {
      if (name !== caller.userName) requireManager(caller);
      const { userName, roles } = existing(name);
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
      const password = await hashOf(passwords, input.password, 'password', placeOf(caller, signal));
      await store.change(() => {
        requireNew(store, caller, made);
        const user = { userName: name, roles: knownRoles(store, roles), ...password };
        return [{ kind: 'user', name, user, overDamaged: () => requireAdminOver(name, caller) }];
      });
      rightsChanged(name);
    },

    async change(caller, name, input, from) {
      const own = name === caller.userName;
      if (!own) requireManager(caller);
      requireSameName(name, input.userName);
      if (input.newPassword === undefined && input.roles === undefined) {
        throw new BadRequest('NOTHING_TO_CHANGE', 'Send newPassword, roles or both');
      }
      const before = existing(name);
      withRoles(store, caller, before, input.roles);
      if (own && input.newPassword !== undefined) {
        if (input.oldPassword === undefined) throw missing('oldPassword');
        const credentials = { userName: name, password: input.oldPassword };
        if (!(await verifier.check(credentials, from))) throw new Forbidden('The old password is wrong');
      }
      const place = placeOf(caller, from.signal);
      const password = await hashOf(passwords, input.newPassword, 'newPassword', place);
      await store.change(() => {
        const present = existing(name);
        if (password.password && present.password !== before.password) {
          throw new Conflict(
            'CHANGED_MEANWHILE',
            `Somebody else has changed the password of ${name} at the same time`,
          );
        }
        const { isPasswordGenerated, ...user } = withRoles(store, caller, present, input.roles);
        const stays = isPasswordGenerated && !password.password ? { isPasswordGenerated } : {};
        return [userEdit({ ...user, ...password, ...stays })];
      });
      if (password.password) credentialsChanged(name, own ? caller.identity.sessionId : undefined);
      rightsChanged(name);
    },

    async remove(caller, name) {
      if (name === caller.userName)
        throw new Conflict('OWN_ACCOUNT', 'Nobody can delete the account they are logged in with');
      await store.change(async () => {
        requireDeletable(store, caller, existing(name));
        return [{ kind: 'user', name, user: undefined }, ...(await deps.cascade(name))];
      });
      deps.deleted(name);
      credentialsChanged(name);
      rightsChanged(name);
    },

    has: (name) => store.users.has(name),

    writeFor: (name, writes) =>
      store.change(() => {
        existing(name);
        return writes.map((write) => ({ kind: 'other', write }));
      }),
  };
}

/** Of a hash for somebody who is logged in. */
const placeOf = ({ userName }: Principal, signal: AbortSignal | undefined): QueuePlace => ({
  whose: `user ${userName}`,
  isKnown: true,
  signal,
});

function requireSameName(path: string, body: string | undefined): void {
  if (body !== undefined && body !== path) {
    throw new InvalidInput([{ path: 'body.userName', message: `is not ${path}, the name in the path` }]);
  }
}

const missing = (field: string) => new InvalidInput([{ path: `body.${field}`, message: 'is missing' }]);

async function hashOf(
  passwords: Passwords,
  password: string | undefined,
  field: string,
  place: QueuePlace,
): Promise<{ password?: PasswordHash }> {
  if (password === undefined) return {};
  if (!isPossible(password)) {
    throw new InvalidInput([
      { path: `body.${field}`, message: `a password has 1 to ${maxPasswordBytes} bytes` },
    ]);
  }
  return { password: await passwords.hash(password, place) };
}
