import * as z from 'zod';

/** `docs/decisions.md`, Names of users and roles. Names that a path would swallow are none. */
const nameOf = (what: string) =>
  z
    .string()
    .regex(/^[A-Za-z0-9_.@-]{1,64}$/, `a ${what} has 1 to 64 characters out of letters, digits and _ . @ -`)
    .refine((name) => name !== '.' && name !== '..', `. and .. are no ${what}s`);

export const UserName = nameOf('user name').meta({ id: 'UserName' });
export const RoleName = nameOf('role name').meta({ id: 'RoleName' });

/** Names that a host's own sessions bring follow the host's rules. */
export const AnyUserName = z.string().min(1).max(128);

const RoleNames = z.array(RoleName).max(100);
/** Checked against the catalogue by the service, which names the wrong one. */
const PermissionNames = z.array(z.string().max(64)).max(1000);

const passwordLimit = 1024;
const writeOnly = { description: 'write-only', writeOnly: true };
export const PasswordText = z.string().max(passwordLimit).meta(writeOnly);
const NewPassword = PasswordText.min(1, 'an empty password is no password').meta(writeOnly);

/** The current user. */
export const Profile = z
  .object({
    authScheme: z.string().optional().describe('absent when authentication is off'),
    userName: z.string(),
    roles: z.array(z.string()),
    permissions: z.array(z.string()),
  })
  .meta({ id: 'Profile' });
export type Profile = z.output<typeof Profile>;

export const Role = z.object({ name: z.string(), permissions: z.array(z.string()) }).meta({ id: 'Role' });
export type Role = z.output<typeof Role>;
export const RoleList = z.object({ roles: z.array(Role) });
export const RolePermissions = z.object({ permissions: z.array(z.string()) });
export type RolePermissions = z.output<typeof RolePermissions>;
export const RoleInput = z.object({ permissions: PermissionNames }).meta({ id: 'RoleInput' });

const PermissionInfo = z
  .object({ name: z.string(), adminOnly: z.boolean().describe('a hint: other roles may hold it too') })
  .meta({ id: 'PermissionInfo' });
export const PermissionList = z.object({ permissions: z.array(PermissionInfo) });
export type PermissionList = z.output<typeof PermissionList>;

export const UserEntry = z.object({ userName: z.string(), roles: z.array(z.string()) });
export type UserEntry = z.output<typeof UserEntry>;
export const User = UserEntry.extend({ permissions: z.array(z.string()) }).meta({ id: 'User' });
export type User = z.output<typeof User>;
export const UserList = z.object({ users: z.array(User) });

const InBody = UserName.optional().describe('the path decides; a different name is refused');

export const NewUser = z
  .object({ userName: InBody, password: NewPassword.optional(), roles: RoleNames.default([]) })
  .meta({ id: 'NewUser' });
export type NewUser = z.output<typeof NewUser>;

export const UserChange = z
  .object({
    userName: InBody,
    oldPassword: PasswordText.optional().describe('needed to change one’s own password'),
    newPassword: NewPassword.optional(),
    roles: RoleNames.optional(),
  })
  .meta({ id: 'UserChange' });
export type UserChange = z.output<typeof UserChange>;

export const UserParams = z.object({ user: UserName });
export const RoleParams = z.object({ role: RoleName });

export const SettingsParams = z.object({ user: AnyUserName });
export const SettingParams = z.object({
  user: AnyUserName,
  // Consoles copy settings into plain objects.
  key: z
    .string()
    .min(1)
    .refine((key) => key !== '__proto__', 'this key is not allowed'),
});
export const Setting = z
  .object({ value: z.unknown().describe('any JSON value') })
  .refine(({ value }) => value !== undefined, { path: ['value'], message: 'expected a JSON value' })
  .meta({ id: 'Setting' });
export type Setting = z.output<typeof Setting>;
export const Settings = z.record(z.string(), z.unknown()).meta({ id: 'Settings' });
export type Settings = z.output<typeof Settings>;
