import * as z from 'zod';

const Access = z.object({
  roles: z.array(z.string().max(128)).max(1000).default([]),
  users: z.array(z.string().max(128)).max(1000).default([]),
  everyone: z.boolean().default(false),
});

/** Who besides the owner may read or change an application or a package. Write implies read. */
export const Permissions = z
  .object({
    readOnly: Access.default({ roles: [], users: [], everyone: false }),
    readWrite: Access.default({ roles: [], users: [], everyone: false }),
  })
  .meta({ id: 'Permissions' });
export type Permissions = z.output<typeof Permissions>;

interface Caller {
  readonly userName: string;
  readonly roles: readonly string[];
}

/** `docs/decisions.md`, Shared by default: new applications and packages can be read by the role `operator`. */
export const defaultPermissions: Permissions = {
  readOnly: { roles: ['operator'], users: [], everyone: false },
  readWrite: { roles: [], users: [], everyone: false },
};

const canWrite = (permissions: Permissions, caller: Caller): boolean =>
  matches(permissions.readWrite, caller);

const canRead = (permissions: Permissions, caller: Caller): boolean =>
  matches(permissions.readOnly, caller) || matches(permissions.readWrite, caller);

export type Access = 'none' | 'read' | 'write';

/** By what permissions grant to this user, one of the user's roles, or everyone. */
export function accessByShare(user: Caller, permissions: Permissions): Access {
  if (user.userName === '') return 'none';
  if (canWrite(permissions, user)) return 'write';
  return canRead(permissions, user) ? 'read' : 'none';
}

export const stronger = (a: Access, b: Access): Access =>
  a === 'write' || b === 'write' ? 'write' : a === 'read' || b === 'read' ? 'read' : 'none';

/** What users want for what they bring: their setting `defaultPermissions`. */
export type OwnDefaults = (userName: string) => Promise<Permissions | undefined>;

/** Sorted and without repetitions, as it is kept and shown. */
export const normalized = (permissions: Permissions): Permissions => ({
  readOnly: sorted(permissions.readOnly),
  readWrite: sorted(permissions.readWrite),
});

function matches(access: Permissions['readOnly'], caller: Caller): boolean {
  return (
    access.everyone ||
    access.users.includes(caller.userName) ||
    access.roles.some((role) => caller.roles.includes(role))
  );
}

function sorted(access: Permissions['readOnly']): Permissions['readOnly'] {
  return {
    roles: [...new Set(access.roles)].sort(),
    users: [...new Set(access.users)].sort(),
    everyone: access.everyone,
  };
}
