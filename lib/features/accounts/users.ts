import { may, type Principal } from '../../http/principal.js';
import type { Credentials } from '../../interfaces/login-scheme.js';
import type { DocumentWrite } from '../../interfaces/storage.js';
import { BadRequest, Conflict, Forbidden, InvalidInput, NotFound } from '../../model/errors.js';
import { adminRole } from '../../model/permissions.js';
import type { QueuePlace } from '../../runtime/fair-queue.js';
import type { AccountStore, Edit } from './account-store.js';
import type { LockOut } from './lock-out.js';
import { isOutdated, isPossible, maxPasswordBytes, type PasswordHash, type Passwords } from './passwords.js';
import type { Rights } from './rights.js';
import type { NewUser, User, UserChange, UserEntry } from './schema.js';
import type { StoredUser } from './stored.js';

export interface UserService {
  list(): User[];
  /** One's own entry; others' with MANAGE_USERS. */
  get(caller: Principal, name: string): UserEntry;
  create(caller: Principal, name: string, input: NewUser, signal?: AbortSignal): Promise<void>;
  /** Changes password, roles or both, at once or not at all. */
  change(caller: Principal, name: string, input: UserChange, from: From): Promise<void>;
  remove(caller: Principal, name: string): Promise<void>;
  /** The door for every login by password: counted, slow, and blind to whether the user exists. */
  verify(credentials: Credentials, from: From): Promise<boolean>;
  has(name: string): boolean;
  /** Writes for a user, in turn with all changes of users. Rejects with `NotFound` when they are gone by then. */
  writeFor(name: string, writes: readonly DocumentWrite[]): Promise<void>;
  /** Gives a user called `admin` the role and this password when no administrator exists; resolves whether it did. */
  ensureAdmin(password: string, options: { isGenerated: boolean }): Promise<boolean>;
  /** Somebody's password is the one that the first start has generated. */
  hasGeneratedPassword(): boolean;
}

/** Who waits for an answer, and for how long. */
interface From {
  readonly remoteAddress: string;
  /** Aborted when they have gone. */
  readonly signal?: AbortSignal | undefined;
}

interface UserDeps {
  readonly ledger: AccountStore;
  readonly rights: Rights;
  readonly passwords: Passwords;
  readonly lockOut: LockOut;
  readonly passwordRequired: boolean;
  /** Writes that go along with the deletion of a user. */
  readonly belongings: (name: string) => Promise<readonly Edit[]>;
  /** The user is gone, and what belonged to them with it. */
  readonly deleted: (name: string) => void;
  readonly rightsChanged: (userName: string) => void;
  /** Called before the answer: old sessions and remembered credentials are void. */
  readonly credentialsChanged: (userName: string, exceptSessionId?: string) => void;
}

const maxUsers = 10_000;

export function createUsers(deps: UserDeps): UserService {
  const { ledger, rights, passwords, lockOut, rightsChanged, credentialsChanged } = deps;

  const existing = (name: string): StoredUser => {
    const user = ledger.users.get(name);
    if (!user) throw new NotFound('user', name);
    return user;
  };

  async function verify(credentials: Credentials, { remoteAddress, signal }: From): Promise<boolean> {
    const { userName, password } = credentials;
    if (!isPossible(password)) return false;
    const attempt = lockOut.begin(userName, remoteAddress);
    const hash = ledger.users.get(userName)?.password;
    const right = await passwords
      .verify(password, hash, { ...attempt.place, signal })
      .catch((error: unknown) => {
        attempt.withdraw();
        throw error;
      });
    // Deleted or reset meanwhile: what was checked is no longer the password.
    if (!right || ledger.users.get(userName)?.password !== hash) return false;
    attempt.succeeded();
    return true;
  }

  return {
    list: () =>
      [...ledger.users.values()]
        .map(({ userName, roles }) => ({ userName, roles, permissions: rights.permissionsOf(roles) }))
        .sort((a, b) => (a.userName < b.userName ? -1 : 1)),

    get(caller, name) {
      if (name !== caller.userName) requireManager(caller);
      const { userName, roles } = existing(name);
      return { userName, roles };
    },

    async create(caller, name, input, signal) {
      requireSameName(name, input.userName);
      const there = ledger.users.get(name);
      // As it was read: passwords are never shown.
      if (there && input.password === undefined && sameSet(input.roles, there.roles)) return;
      if (input.password === undefined && deps.passwordRequired) throw missing('password');
      const roles = knownRoles(ledger, input.roles);
      const check = () => {
        if (ledger.users.has(name)) throw new Conflict(`There is a user ${name} already`);
        if (ledger.users.size >= maxUsers) throw new Conflict(`There are ${maxUsers} users already`);
        if (roles.includes(adminRole)) requireAdmin(caller);
      };
      check();
      const password = await hashOf(passwords, input.password, 'password', placeOf(caller, signal));
      await ledger.change(() => {
        check();
        const made = edit({ userName: name, roles: knownRoles(ledger, roles), ...password });
        return [{ ...made, overDamaged: () => requireAdminOver(name, caller) }];
      });
      rightsChanged(name);
    },

    async change(caller, name, input, from) {
      const own = name === caller.userName;
      if (!own) requireManager(caller);
      requireSameName(name, input.userName);
      if (input.newPassword === undefined && input.roles === undefined) {
        throw new BadRequest('Send newPassword, roles or both');
      }
      const before = existing(name);
      const check = (user: StoredUser): StoredUser => {
        const roles = input.roles ? knownRoles(ledger, input.roles) : user.roles;
        if (!sameSet(roles, user.roles)) requireManager(caller);
        if (!own && user.roles.includes(adminRole)) requireAdmin(caller);
        if (roles.includes(adminRole) !== user.roles.includes(adminRole)) requireAdmin(caller);
        if (!roles.includes(adminRole)) refuseLastAdmin(ledger, name);
        return { ...user, roles };
      };
      check(before);
      if (own && input.newPassword !== undefined) {
        if (input.oldPassword === undefined) throw missing('oldPassword');
        const credentials = { userName: name, password: input.oldPassword };
        if (!(await verify(credentials, from))) throw new Forbidden('The old password is wrong');
      }
      const place = placeOf(caller, from.signal);
      const password = await hashOf(passwords, input.newPassword, 'newPassword', place);
      await ledger.change(() => {
        const present = existing(name);
        if (password.password && present.password !== before.password) {
          throw new Conflict(`Somebody else has changed the password of ${name} at the same time`);
        }
        const { isPasswordGenerated, ...user } = check(present);
        const stays = isPasswordGenerated && !password.password ? { isPasswordGenerated } : {};
        return [edit({ ...user, ...password, ...stays })];
      });
      if (password.password) credentialsChanged(name, own ? caller.identity.sessionId : undefined);
      rightsChanged(name);
    },

    async remove(caller, name) {
      if (name === caller.userName)
        throw new Conflict('Nobody can delete the account they are logged in with');
      await ledger.change(async () => {
        if (existing(name).roles.includes(adminRole)) requireAdmin(caller);
        refuseLastAdmin(ledger, name);
        return [{ kind: 'user', name, user: undefined }, ...(await deps.belongings(name))];
      });
      deps.deleted(name);
      credentialsChanged(name);
      rightsChanged(name);
    },

    async verify(credentials, from) {
      const right = await verify(credentials, from);
      const hash = ledger.users.get(credentials.userName)?.password;
      if (right && hash && isOutdated(hash)) await renew(credentials, hash).catch(() => {});
      return right;
    },

    has: (name) => ledger.users.has(name),

    writeFor: (name, writes) =>
      ledger.change(() => {
        existing(name);
        return writes.map((write) => ({ kind: 'other', write }));
      }),

    hasGeneratedPassword: () =>
      [...ledger.users.values()].some(({ isPasswordGenerated }) => isPasswordGenerated === true),

    async ensureAdmin(password, { isGenerated }) {
      if (adminsOf(ledger).length > 0) return false;
      if (!isPossible(password)) {
        throw new TypeError(`initialAdmin.password must have 1 to ${maxPasswordBytes} bytes`);
      }
      const hash = await passwords.hash(password, ourOwn);
      await ledger.change(() => {
        const roles = ledger.users.get(adminRole)?.roles ?? [];
        const generated = isGenerated ? { isPasswordGenerated: true as const } : {};
        return [edit({ userName: adminRole, roles: [...roles, adminRole], password: hash, ...generated })];
      });
      return true;
    },
  };

  /** The same password with as much work as new ones get. */
  async function renew({ userName, password }: Credentials, from: PasswordHash): Promise<void> {
    const hash = await passwords.hash(password, ourOwn);
    await ledger.change(() => {
      const user = ledger.users.get(userName);
      return user?.password === from ? [edit({ ...user, password: hash })] : [];
    });
  }
}

/** Of a hash for somebody who is logged in. */
const placeOf = ({ userName }: Principal, signal: AbortSignal | undefined): QueuePlace => ({
  whose: `user ${userName}`,
  isKnown: true,
  signal,
});

const ourOwn: QueuePlace = { whose: 'the gateway', isKnown: true };

const edit = (user: StoredUser): Edit => ({ kind: 'user', name: user.userName, user });

/** It may have been an administrator's, and what belonged to that user is the new one's. */
function requireAdminOver(name: string, caller: Principal): void {
  if (caller.isAdmin) return;
  throw new Forbidden(
    `The account ${name} is damaged and can't be read: only an administrator may make it anew`,
  );
}

const adminsOf = (ledger: AccountStore): StoredUser[] =>
  [...ledger.users.values()].filter(({ roles }) => roles.includes(adminRole));

function refuseLastAdmin(ledger: AccountStore, name: string): void {
  const admins = adminsOf(ledger);
  if (admins.length === 1 && admins[0]?.userName === name) {
    throw new Conflict(`${name} is the last administrator; give somebody else the role admin first`);
  }
}

function requireManager(caller: Principal): void {
  if (!may(caller, 'MANAGE_USERS')) {
    throw new Forbidden('This needs the permission MANAGE_USERS', { permission: 'MANAGE_USERS' });
  }
}

/** MANAGE_USERS alone must not be a way to become administrator. */
function requireAdmin(caller: Principal): void {
  if (!caller.isAdmin) throw new Forbidden('Only an administrator may make, change or delete administrators');
}

function requireSameName(path: string, body: string | undefined): void {
  if (body !== undefined && body !== path) {
    throw new InvalidInput([{ path: 'body.userName', message: `is not ${path}, the name in the path` }]);
  }
}

function knownRoles(ledger: AccountStore, roles: readonly string[]): string[] {
  const unknown = roles.find((role) => !ledger.roles.has(role));
  if (unknown !== undefined) {
    throw new InvalidInput([
      { path: `body.roles.${roles.indexOf(unknown)}`, message: `there is no role ${unknown}` },
    ]);
  }
  return [...new Set(roles)];
}

const sameSet = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((item) => b.includes(item));

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
