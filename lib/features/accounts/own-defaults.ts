import { type OwnDefaults, Permissions } from '../../core/acl.js';
import type { Logger } from '../../interfaces/logger.js';
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
      deps.logger.warn({ userName, err: permissions.error }, 'the setting defaultPermissions does not fit');
    }
    return permissions.data;
  };
}
