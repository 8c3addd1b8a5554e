import { Permissions } from '../../core/acl.js';
import { NotFound } from '../../core/errors.js';
import { anonymous } from '../../core/principal.js';
import type { Logger } from '../../interfaces/logger.js';
import type { AccountService } from '../accounts/service.js';

/** What a user wants for the applications that he starts: his setting `defaultPermissions` (`resolved-gaps.md` G14). */
export type OwnDefaults = (userName: string) => Promise<Permissions | undefined>;

export function createOwnDefaults(deps: {
  settings: AccountService['settings'];
  logger: Logger;
}): OwnDefaults {
  return async (userName) => {
    const kept = await deps.settings
      .get({ ...anonymous, userName }, userName, 'defaultPermissions')
      .catch(undefinedIfAbsent);
    if (!kept) return undefined;
    const permissions = Permissions.safeParse(kept.value);
    if (!permissions.success) {
      deps.logger.warn({ userName, err: permissions.error }, 'the setting defaultPermissions does not fit');
    }
    return permissions.data;
  };
}

function undefinedIfAbsent(error: unknown): undefined {
  if (!(error instanceof NotFound)) throw error;
}
