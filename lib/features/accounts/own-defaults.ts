import type { Logger } from '../../interfaces/logger.js';
import { type OwnDefaults, Permissions } from '../../model/acl.js';
import type { AccountService } from './service.js';

export function createOwnDefaults(deps: {
  settings: AccountService['settings'];
  logger: Logger;
}): OwnDefaults {
  return async (userName) => {
    const kept = await deps.settings.valueOf(userName, 'defaultPermissions');
    if (kept === undefined) return undefined;
    const permissions = Permissions.safeParse(kept);
    if (!permissions.success) {
      deps.logger.warn(
        { event: 'accounts.default_permissions_invalid', userName, err: permissions.error },
        'the setting defaultPermissions does not fit',
      );
    }
    return permissions.data;
  };
}
