import {
  type Access,
  accessByShare,
  defaultPermissions,
  type Permissions,
  stronger,
} from '../../core/acl.js';
import { may, type Principal } from '../../core/principal.js';

/** Who may see and who may change a package (`resolved-gaps.md` 4.11). `set`: its permissions, if somebody set any. */
export function accessTo(user: Principal, owner: string, set: Permissions | undefined): Access {
  if (user.userName === '') return 'none';
  if (user.userName === owner || may(user, 'MANAGE_OTHER_USERS_APP_PACKAGES')) return 'write';
  const byRight = may(user, 'VIEW_OTHER_USERS_APP_PACKAGES') ? 'read' : 'none';
  return stronger(byRight, accessByShare(user, set ?? defaultPermissions));
}
