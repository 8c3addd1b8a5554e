import { type Access, defaultPermissions, type Permissions } from '../../core/acl.js';
import { may, type Principal } from '../../core/principal.js';

// Who may see and who may change an application (`resolved-gaps.md` 4.11); every room asks here.

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

const nobody = { roles: [], users: [], everyone: false };

/** What holds until somebody sets permissions; nothing of the platform's own applications is shared by itself. */
export const permissionsByDefault = (app: Owned): Permissions =>
  app.isSystemApp ? { readOnly: nobody, readWrite: nobody } : defaultPermissions;
