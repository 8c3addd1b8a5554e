/** Every permission. `adminOnly` is a hint for consoles; other roles may hold it. */
export const permissionCatalogue = {
  VIEW_OTHER_USERS_APPS: { adminOnly: true, meaning: 'See applications started by others' },
  MANAGE_OTHER_USERS_APPS: { adminOnly: true, meaning: 'Change, kill and restart applications of others' },
  VIEW_GLOBAL_CONFIG: {
    adminOnly: false,
    meaning: 'Read platform settings, cluster metrics and their topics',
  },
  EDIT_GLOBAL_CONFIG: { adminOnly: false, meaning: 'Change platform settings' },
  VIEW_OTHER_USERS_CONFIG: { adminOnly: true, meaning: "Read other users' personal settings" },
  EDIT_OTHER_USERS_CONFIG: { adminOnly: true, meaning: "Change other users' personal settings" },
  ACCESS_RM_PROXY: { adminOnly: true, meaning: 'Use the proxy to the resource manager' },
  LAUNCH_APPS: { adminOnly: false, meaning: 'Launch applications' },
  PLAN_APPS: {
    adminOnly: false,
    meaning: 'See the plan of an application before its launch, for which its code runs',
  },
  UPLOAD_DASHBOARDS: { adminOnly: false, meaning: 'Store dashboards' },
  VIEW_OTHER_USERS_DASHBOARDS: { adminOnly: true, meaning: 'See dashboards of others' },
  MANAGE_OTHER_USERS_DASHBOARDS: { adminOnly: true, meaning: 'Change dashboards of others' },
  UPLOAD_APP_PACKAGES: { adminOnly: false, meaning: 'Upload application packages' },
  VIEW_OTHER_USERS_APP_PACKAGES: { adminOnly: true, meaning: 'See application packages of others' },
  MANAGE_OTHER_USERS_APP_PACKAGES: { adminOnly: true, meaning: 'Change application packages of others' },
  UPLOAD_CONFIG_PACKAGES: { adminOnly: false, meaning: 'Upload configuration packages' },
  VIEW_OTHER_USERS_CONFIG_PACKAGES: { adminOnly: true, meaning: 'See configuration packages of others' },
  MANAGE_OTHER_USERS_CONFIG_PACKAGES: { adminOnly: true, meaning: 'Change configuration packages of others' },
  MANAGE_USERS: { adminOnly: true, meaning: 'Create and delete users, change their passwords and roles' },
  MANAGE_ROLES: { adminOnly: true, meaning: 'Create and delete roles, assign permissions' },
  VIEW_SYSTEM_ALERTS: { adminOnly: false, meaning: 'See alerts, their history and templates' },
  MANAGE_SYSTEM_ALERTS: { adminOnly: false, meaning: 'Create, change and delete alerts' },
  VIEW_LICENSES: { adminOnly: false, meaning: 'See licenses' },
  MANAGE_LICENSES: { adminOnly: false, meaning: 'Add licenses' },
  VIEW_SYSTEM_APPS: { adminOnly: true, meaning: 'See applications that belong to the platform itself' },
  MANAGE_SYSTEM_APPS: { adminOnly: true, meaning: 'Manage applications that belong to the platform itself' },
  VIEW_LOGS: { adminOnly: false, meaning: 'Read application log files' },
} as const;

export type Permission = keyof typeof permissionCatalogue;

export const isPermission = (name: string): name is Permission => Object.hasOwn(permissionCatalogue, name);

export const allPermissions: readonly Permission[] = Object.keys(permissionCatalogue).filter(isPermission);

/** The role that may everything; it is fixed. */
export const adminRole = 'admin';

/** Shipped roles, reset by `restoreDefaultRoles`: `docs/decisions.md`, Three roles in the box. */
export const defaultRoles: Readonly<Record<string, readonly Permission[]>> = {
  [adminRole]: allPermissions,
  operator: [
    'MANAGE_SYSTEM_ALERTS',
    'VIEW_GLOBAL_CONFIG',
    'VIEW_LICENSES',
    'VIEW_LOGS',
    'VIEW_OTHER_USERS_APPS',
    'VIEW_OTHER_USERS_APP_PACKAGES',
    'VIEW_SYSTEM_ALERTS',
  ],
  developer: [
    'LAUNCH_APPS',
    'MANAGE_SYSTEM_ALERTS',
    'PLAN_APPS',
    'UPLOAD_APP_PACKAGES',
    'UPLOAD_CONFIG_PACKAGES',
    'UPLOAD_DASHBOARDS',
    'VIEW_GLOBAL_CONFIG',
    'VIEW_LICENSES',
    'VIEW_LOGS',
    'VIEW_OTHER_USERS_APP_PACKAGES',
    'VIEW_SYSTEM_ALERTS',
  ],
};
