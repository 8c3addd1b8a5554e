import type { Principal } from '../../http/principal.js';
import type { Identity } from '../../interfaces/auth.js';
import { Forbidden } from '../../model/errors.js';
import { adminRole, allPermissions, type Permission } from '../../model/permissions.js';
import type { AccountStore } from './account-store.js';
import type { Profile } from './schema.js';

export interface Rights {
  /** What an identity may do now, from memory. Throws `Forbidden` for one without roles. */
  principalOf(identity: Identity): Principal;
  profileOf(user: Principal): Profile;
  /** Every permission of the roles together, in the order of the catalogue. */
  permissionsOf(roles: readonly string[]): Permission[];
  /** From now on groups count like this. */
  useGroups(groups: GroupRights): void;
  /** Roles, or who has them, are different now. */
  changed(): void;
}

/** What groups are good for. */
export interface GroupRights {
  /** `undefined`: nobody has said anything, and groups count for nothing. */
  readonly roles: ReadonlyMap<string, readonly string[]> | undefined;
  /** Whether everybody but local accounts needs a group. */
  readonly only: boolean;
}

export function createRights(store: Pick<AccountStore, 'users' | 'roles'>): Rights {
  // One object for an identity while nothing changes: who holds it (a socket) can tell that nothing did.
  let known = new WeakMap<Identity, Principal>();
  let groups: GroupRights = { roles: undefined, only: false };

  const granted = (roles: readonly string[]): ReadonlySet<Permission> => {
    const sets = roles.flatMap((role) => store.roles.get(role) ?? []);
    const [only] = sets;
    if (sets.length === 1 && only) return only;
    return new Set(sets.flatMap((set) => [...set]));
  };

  /** `docs/decisions.md`, Groups outrank roles. */
  function rolesOf({ userName, groups: names }: Identity): readonly string[] {
    const user = store.users.get(userName);
    if (names && groups.roles) {
      const found = new Set(names.flatMap((name) => groups.roles?.get(name) ?? []));
      return [...found].filter((role) => store.roles.has(role)).sort();
    }
    return groups.only && !user?.password ? [] : (user?.roles ?? []);
  }

  function principalNow(identity: Identity): Principal {
    const { userName } = identity;
    if (!isUserName(userName)) {
      throw new Forbidden('A user name has 1 to 128 characters and no control characters');
    }
    const roles = identity.roles ?? rolesOf(identity);
    if (roles.length === 0) {
      throw new Forbidden(`The user ${userName} has no roles here; an administrator can give some`);
    }
    return {
      userName,
      roles,
      ...within(identity.scope, granted(roles), roles.includes(adminRole)),
      ...(identity.scheme === undefined ? {} : { authScheme: identity.scheme }),
      identity,
    };
  }

  return {
    principalOf(identity) {
      const present = known.get(identity);
      if (present) return present;
      const principal = principalNow(identity);
      known.set(identity, principal);
      return principal;
    },

    profileOf: (user) => ({
      ...(user.authScheme === undefined ? {} : { authScheme: user.authScheme }),
      userName: user.userName,
      roles: [...user.roles],
      permissions: inOrder(user.permissions),
    }),

    permissionsOf: (roles) => inOrder(granted(roles)),
    useGroups(given) {
      groups = given;
    },
    changed() {
      known = new WeakMap();
    },
  };
}

/** A scope takes away, also from administrators. */
function within(
  scope: readonly string[] | undefined,
  permissions: ReadonlySet<Permission>,
  isAdmin: boolean,
): Pick<Principal, 'permissions' | 'isAdmin'> {
  if (scope === undefined) return { permissions, isAdmin };
  return { permissions: new Set([...permissions].filter((one) => scope.includes(one))), isAdmin: false };
}

export const inOrder = (permissions: ReadonlySet<Permission>): Permission[] =>
  allPermissions.filter((permission) => permissions.has(permission));

const isUserName = (name: string): boolean => name !== '' && name.length <= 128 && !/\p{Cc}/u.test(name);
