import { BadRequest, Conflict, Forbidden, NotFound } from '../../model/errors.js';
import {
  adminRole,
  allPermissions,
  defaultRoles,
  isPermission,
  type Permission,
  permissionCatalogue,
} from '../../model/permissions.js';
import type { Edit } from './account-edits.js';
import type { AccountStore } from './account-store.js';
import { inOrder } from './rights.js';
import type { PermissionList, Role, RolePermissions } from './schema.js';

export interface RoleService {
  list(): Role[];
  get(name: string): RolePermissions;
  /** Creates it or replaces its permissions. */
  put(name: string, permissions: readonly string[]): Promise<RolePermissions>;
  /** Takes it from its users too. */
  remove(name: string): Promise<void>;
  /** The shipped roles as shipped; own roles and who has which stay. */
  restoreDefaults(): Promise<void>;
  permissions(): PermissionList;
}

const maxRoles = 1000;

export function createRoles(deps: { store: AccountStore; rightsChanged: () => void }): RoleService {
  const { store, rightsChanged } = deps;
  return {
    list: () =>
      [...store.roles]
        .map(([name, permissions]) => ({ name, permissions: inOrder(permissions) }))
        .sort((a, b) => (a.name < b.name ? -1 : 1)),

    get(name) {
      const permissions = store.roles.get(name);
      if (!permissions) throw new NotFound('role', name);
      return { permissions: inOrder(permissions) };
    },

    async put(name, names) {
      const permissions = inOrder(new Set(known(names)));
      const there = store.roles.get(name);
      if (there && inOrder(there).join() === permissions.join()) return { permissions };
      refuseAdmin(name);
      await store.change(() => {
        if (!store.roles.has(name) && store.roles.size >= maxRoles) {
          throw new Conflict('LIMIT_REACHED', `There are ${maxRoles} roles already; delete one first`);
        }
        return [{ kind: 'role', name, role: { name, permissions }, overDamaged: () => {} }];
      });
      rightsChanged();
      return { permissions };
    },

    async remove(name) {
      refuseAdmin(name);
      await store.change(() => {
        if (!store.roles.has(name)) throw new NotFound('role', name);
        const role = Object.hasOwn(defaultRoles, name) ? { name, removed: true as const } : undefined;
        return [{ kind: 'role', name, role }, ...withoutRole(store, name)];
      });
      rightsChanged();
    },

    async restoreDefaults() {
      await store.change(() =>
        Object.keys(defaultRoles)
          .filter((name) => name !== adminRole)
          .map((name): Edit => ({ kind: 'role', name, role: undefined })),
      );
      rightsChanged();
    },

    permissions: () => ({
      permissions: allPermissions.map((name) => ({ name, adminOnly: permissionCatalogue[name].adminOnly })),
    }),
  };
}

const withoutRole = (store: AccountStore, role: string): Edit[] =>
  [...store.users.values()]
    .filter((user) => user.roles.includes(role))
    .map((user) => ({
      kind: 'user',
      name: user.userName,
      user: { ...user, roles: user.roles.filter((name) => name !== role) },
    }));

function refuseAdmin(name: string): void {
  if (name === adminRole)
    throw new Forbidden('The role admin is fixed: it can be neither changed nor deleted');
}

function known(names: readonly string[]): Permission[] {
  const unknown = names.filter((name) => !isPermission(name));
  if (unknown.length > 0) {
    throw new BadRequest(
      'UNKNOWN_VALUE',
      `There is no permission ${unknown.slice(0, 5).join(', ')}; GET /ws/v2/auth/permissions lists them`,
      unknown.map((name) => ({
        path: `body.permissions.${names.indexOf(name)}`,
        message: `unknown permission ${name}`,
      })),
    );
  }
  return names.filter(isPermission);
}
