import { may, type Principal } from '../../http/principal.js';
import { type Access, defaultPermissions, type Permissions } from '../../model/acl.js';

// `docs/decisions.md`, Who may see and who may change: every room asks here about applications.

export interface Owned {
  /** The owner. */
  readonly user: string;
  readonly isSystemApp?: boolean;
}

/** By being the owner, or by a permission that reaches applications of others. */
export function accessByRight(user: Principal, app: Owned): Access {
  if (user.userName === '') return 'none';
  if (user.userName === app.user) return 'write';
  if (may(user, app.isSystemApp ? 'MANAGE_SYSTEM_APPS' : 'MANAGE_OTHER_USERS_APPS')) return 'write';
  if (may(user, app.isSystemApp ? 'VIEW_SYSTEM_APPS' : 'VIEW_OTHER_USERS_APPS')) return 'read';
  return 'none';
}

/** Whether all applications of the cluster are theirs to see, whoever owns them and whatever is shared. */
export const seesAll = (user: Principal): boolean =>
  [false, true].every((isSystemApp) => accessByRight(user, { user: '', isSystemApp }) !== 'none');

const nobody = { roles: [], users: [], everyone: false };

/** What holds until somebody sets permissions; nothing of the platform's own applications is shared by itself. */
export const permissionsByDefault = (app: Owned): Permissions =>
  app.isSystemApp ? { readOnly: nobody, readWrite: nobody } : defaultPermissions;
