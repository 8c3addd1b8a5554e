import type { AuthConfiguration } from '../../model/auth-configuration.js';
import { InvalidInput } from '../../model/errors.js';
import type { RoleService } from '../accounts/service.js';
import type { GroupEntries } from './schema.js';

/** A group that is named twice has the roles of both. */
export function rolesByGroup(entries: GroupEntries): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, readonly string[]>();
  for (const { group, roles = [], role = [] } of entries) {
    found.set(group, [...(found.get(group) ?? []), ...roles, ...role]);
  }
  return found;
}

export function requireDefaultRole(roles: Pick<RoleService, 'list'>, configuration: AuthConfiguration): void {
  const role = 'userDefaultRole' in configuration ? configuration.userDefaultRole : undefined;
  if (role === undefined || roles.list().some(({ name }) => name === role)) return;
  throw new InvalidInput([
    { path: 'body.configuration.userDefaultRole', message: `there is no role ${role}` },
  ]);
}

/** Throws `InvalidInput` naming each role that does not exist. */
export function requireRoles(roles: Pick<RoleService, 'list'>, entries: GroupEntries, where: string): void {
  const known = new Set(roles.list().map(({ name }) => name));
  const issues = entries.flatMap(({ roles = [], role = [] }, i) =>
    [...roles, ...role]
      .filter((name) => !known.has(name))
      .map((name) => ({ path: `${where}.${i}`, message: `there is no role ${name}` })),
  );
  if (issues.length > 0) throw new InvalidInput(issues);
}
