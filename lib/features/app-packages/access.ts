import { may, type Principal } from '../../http/principal.js';
import {
  type Access,
  accessByShare,
  defaultPermissions,
  type Permissions,
  stronger,
} from '../../model/acl.js';

/** `docs/decisions.md`, Who may see and who may change. `set`: permissions of the package, if somebody set any. */
export function accessTo(user: Principal, owner: string, set: Permissions | undefined): Access {
  if (user.userName === '') return 'none';
  if (user.userName === owner || may(user, 'MANAGE_OTHER_USERS_APP_PACKAGES')) return 'write';
  const byRight = may(user, 'VIEW_OTHER_USERS_APP_PACKAGES') ? 'read' : 'none';
  return stronger(byRight, accessByShare(user, set ?? defaultPermissions));
}
