import { may, type Principal } from '../../http/principal.js';
import { Conflict, Forbidden, InvalidInput, NotFound } from '../../model/errors.js';
import { adminRole } from '../../model/permissions.js';
import type { AccountStore } from './account-store.js';
import type { StoredUser } from './stored.js';

// Who may do what to which account. Each of these is asked before the work and again in the change itself.

type Accounts = Pick<AccountStore, 'users' | 'roles'>;

/** Also those of people who make theirs by logging in; later ones have groups, or ask an administrator. */
export const maxUsers = 10_000;

export function existingUser({ users }: Pick<Accounts, 'users'>, name: string): StoredUser {
  const user = users.get(name);
  if (!user) throw new NotFound('user', name);
  return user;
}

/** The body may repeat the name of the path, and not say another one. */
export function requireSameName(path: string, body: string | undefined): void {
  if (body !== undefined && body !== path) {
    throw new InvalidInput([{ path: 'body.userName', message: `is not ${path}, the name in the path` }]);
  }
}

export const missing = (field: string): InvalidInput =>
  new InvalidInput([{ path: `body.${field}`, message: 'is missing' }]);

/** Throws when there can be no new account of this name, or not one of the caller's making. */
export function requireNew(
  { users }: Accounts,
  caller: Principal,
  { userName, roles }: Pick<StoredUser, 'userName' | 'roles'>,
): void {
  if (users.has(userName)) throw new Conflict('NAME_TAKEN', `There is a user ${userName} already`);
  if (users.size >= maxUsers) throw new Conflict('LIMIT_REACHED', `There are ${maxUsers} users already`);
  if (roles.includes(adminRole)) requireAdmin(caller);
}

/** The user with the roles that the caller wants for them; throws when they may not have them, or not from the caller. */
export function withRoles(
  accounts: Accounts,
  caller: Principal,
  user: StoredUser,
  wanted: readonly string[] | undefined,
): StoredUser {
  const roles = wanted ? knownRoles(accounts, wanted) : user.roles;
  const isOwn = user.userName === caller.userName;
  if (!sameSet(roles, user.roles)) requireManager(caller);
  if (!isOwn && user.roles.includes(adminRole)) requireAdmin(caller);
  if (roles.includes(adminRole) !== user.roles.includes(adminRole)) requireAdmin(caller);
  if (!roles.includes(adminRole)) refuseLastAdmin(accounts, user.userName);
  return { ...user, roles };
}

/** Throws when the caller may not delete this user. */
export function requireDeletable(accounts: Accounts, caller: Principal, { userName, roles }: StoredUser) {
  if (roles.includes(adminRole)) requireAdmin(caller);
  refuseLastAdmin(accounts, userName);
}

/** It may have been an administrator's, and what belonged to that user is the new one's. */
export function requireAdminOver(name: string, caller: Principal): void {
  if (caller.isAdmin) return;
  throw new Forbidden(
    `The account ${name} is damaged and can't be read: only an administrator may make it anew`,
  );
}

export function requireManager(caller: Principal): void {
  if (!may(caller, 'MANAGE_USERS')) {
    throw new Forbidden('This needs the permission MANAGE_USERS', { permission: 'MANAGE_USERS' });
  }
}

/** MANAGE_USERS alone must not be a way to become administrator. */
function requireAdmin(caller: Principal): void {
  if (!caller.isAdmin) throw new Forbidden('Only an administrator may make, change or delete administrators');
}

export const adminsOf = ({ users }: Pick<Accounts, 'users'>): StoredUser[] =>
  [...users.values()].filter(({ roles }) => roles.includes(adminRole));

function refuseLastAdmin(accounts: Accounts, name: string): void {
  const admins = adminsOf(accounts);
  if (admins.length === 1 && admins[0]?.userName === name) {
    throw new Conflict(
      'LAST_ADMINISTRATOR',
      `${name} is the last administrator; give somebody else the role admin first`,
    );
  }
}

/** Each once; throws `InvalidInput` for the first that there is not. */
export function knownRoles(accounts: Pick<Accounts, 'roles'>, roles: readonly string[]): string[] {
  const unknown = roles.find((role) => !accounts.roles.has(role));
  if (unknown !== undefined) {
    throw new InvalidInput([
      { path: `body.roles.${roles.indexOf(unknown)}`, message: `there is no role ${unknown}` },
    ]);
  }
  return [...new Set(roles)];
}

export const sameSet = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((item) => b.includes(item));
