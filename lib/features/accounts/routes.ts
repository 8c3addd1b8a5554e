import { jsonBody, jsonBodyKeeping } from '../../core/body.js';
import { empty, json, jsonObject } from '../../core/reply.js';
import { routeFor } from '../../core/route.js';
import {
  NewUser,
  PermissionList,
  Profile,
  RoleInput,
  RoleList,
  RoleParams,
  RolePermissions,
  Setting,
  SettingParams,
  Settings,
  SettingsParams,
  UserChange,
  UserEntry,
  UserList,
  UserParams,
} from './schema.js';
import type { AccountService } from './service.js';

const route = routeFor<AccountService>();

const accountBody = { maxBytes: 64 * 1024 };
/** A value of 1 MiB, and the object around it. */
const settingBody = { maxBytes: 1024 * 1024 + 1024 };

/** Spec 4.8, but for login and logout. */
export const accountRoutes = {
  getProfile: route({
    method: 'GET',
    path: '/ws/v2/profile/user',
    access: 'user',
    summary: 'The current user, with roles and permissions',
    reply: json(Profile),
    handle: (accounts, { user }) => accounts.profileOf(user),
  }),
  listOwnSettings: route({
    method: 'GET',
    path: '/ws/v2/profile/settings',
    access: 'user',
    summary: 'All settings of the current user',
    reply: jsonObject(Settings),
    handle: ({ settings }, { user }) => settings.list(user, user.userName),
  }),
  listSettings: route({
    method: 'GET',
    path: '/ws/v2/profile/settings/{user}',
    access: 'user',
    summary: 'All settings of a user; of others with VIEW_OTHER_USERS_CONFIG',
    params: SettingsParams,
    reply: jsonObject(Settings),
    handle: ({ settings }, { user, params }) => settings.list(user, params.user),
  }),
  getSetting: route({
    method: 'GET',
    path: '/ws/v2/profile/settings/{user}/{key}',
    access: 'user',
    summary: 'One setting of a user; of others with VIEW_OTHER_USERS_CONFIG',
    params: SettingParams,
    reply: jsonObject(Setting),
    handle: ({ settings }, { user, params }) => settings.get(user, params.user, params.key),
  }),
  putSetting: route({
    method: 'PUT',
    path: '/ws/v2/profile/settings/{user}/{key}',
    access: 'user',
    summary: 'Keep a setting; of others with EDIT_OTHER_USERS_CONFIG',
    params: SettingParams,
    body: jsonBodyKeeping('value', Setting, settingBody),
    reply: empty,
    handle: ({ settings }, { user, params, body }) => settings.put(user, params.user, params.key, body),
  }),

  listRoles: route({
    method: 'GET',
    path: '/ws/v2/auth/roles',
    access: 'user',
    summary: 'All roles with their permissions',
    reply: json(RoleList),
    handle: ({ roles }) => ({ roles: roles.list() }),
  }),
  getRole: route({
    method: 'GET',
    path: '/ws/v2/auth/roles/{role}',
    access: 'user',
    summary: 'The permissions of a role',
    params: RoleParams,
    reply: json(RolePermissions),
    handle: ({ roles }, { params }) => roles.get(params.role),
  }),
  putRole: route({
    method: 'PUT',
    path: '/ws/v2/auth/roles/{role}',
    access: 'MANAGE_ROLES',
    summary: 'Create a role or replace its permissions',
    params: RoleParams,
    body: jsonBody(RoleInput, accountBody),
    reply: json(RolePermissions),
    handle: ({ roles }, { params, body }) => roles.put(params.role, body.permissions),
  }),
  deleteRole: route({
    method: 'DELETE',
    path: '/ws/v2/auth/roles/{role}',
    access: 'MANAGE_ROLES',
    summary: 'Delete a role, also from the users who have it',
    params: RoleParams,
    reply: empty,
    handle: ({ roles }, { params }) => roles.remove(params.role),
  }),
  restoreDefaultRoles: route({
    method: 'POST',
    path: '/ws/v2/auth/restoreDefaultRoles',
    access: 'MANAGE_ROLES',
    summary: 'Reset the shipped roles; own roles and assignments stay',
    reply: empty,
    handle: ({ roles }) => roles.restoreDefaults(),
  }),
  listPermissions: route({
    method: 'GET',
    path: '/ws/v2/auth/permissions',
    access: 'user',
    summary: 'All permissions there are',
    reply: json(PermissionList),
    handle: ({ roles }) => roles.permissions(),
  }),

  listUsers: route({
    method: 'GET',
    path: '/ws/v2/auth/users',
    access: 'MANAGE_USERS',
    summary: 'All users with their roles and permissions',
    reply: json(UserList),
    handle: ({ users }) => ({ users: users.list() }),
  }),
  getUser: route({
    method: 'GET',
    path: '/ws/v2/auth/users/{user}',
    access: 'user',
    summary: 'A user with roles; others with MANAGE_USERS',
    params: UserParams,
    reply: json(UserEntry),
    handle: ({ users }, { user, params }) => users.get(user, params.user),
  }),
  createUser: route({
    method: 'PUT',
    path: '/ws/v2/auth/users/{user}',
    access: 'MANAGE_USERS',
    summary: 'Create a user; answers 409 when there is one',
    params: UserParams,
    body: jsonBody(NewUser, accountBody),
    reply: empty,
    handle: ({ users }, { user, params, body }) => users.create(user, params.user, body),
  }),
  changeUser: route({
    method: 'POST',
    path: '/ws/v2/auth/users/{user}',
    access: 'user',
    summary: 'Change password, roles or both; one’s own password with the old one, others with MANAGE_USERS',
    params: UserParams,
    body: jsonBody(UserChange, accountBody),
    reply: empty,
    handle: ({ users }, { user, params, body, caller }) =>
      users.change(user, params.user, body, caller.remoteAddress),
  }),
  deleteUser: route({
    method: 'DELETE',
    path: '/ws/v2/auth/users/{user}',
    access: 'MANAGE_USERS',
    summary: 'Delete a user with their settings and sessions',
    params: UserParams,
    reply: empty,
    handle: ({ users }, { user, params }) => users.remove(user, params.user),
  }),
};
