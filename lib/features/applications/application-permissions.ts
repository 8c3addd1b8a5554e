import type { Call } from '../../http/route.js';
import type { Logger } from '../../interfaces/logger.js';
import { normalized, type Permissions } from '../../model/acl.js';
import type { AccessRules } from './access-rules.js';
import type { ApplicationLookup } from './application-lookup.js';

/** Who else may see or change an application, as its owner says. */
export interface ApplicationPermissions {
  readPermissions(call: Call, appId: string): Promise<Permissions>;
  writePermissions(call: Call, appId: string, permissions: Permissions): Promise<void>;
  /** Keeps the permissions of a new application. Never rejects: the application runs, so its id is told. */
  share(appId: string, permissions: Permissions | undefined): Promise<void>;
}

export function createApplicationPermissions(deps: {
  lookup: ApplicationLookup;
  rules: Pick<AccessRules, 'read' | 'write'>;
  logger: Logger;
}): ApplicationPermissions {
  const { lookup, rules } = deps;

  return {
    async readPermissions(call, appId) {
      const { report } = await lookup.find(call, appId);
      return rules.read(report, { signal: call.signal });
    },

    async writePermissions(call, appId, permissions) {
      await lookup.findToChange(call, appId);
      await rules.write(appId, normalized(permissions));
    },

    async share(appId, permissions) {
      if (!permissions) return;
      await rules.write(appId, normalized(permissions)).catch((err) => {
        deps.logger.error(
          { event: 'application.permissions_not_saved', appId, err },
          'the permissions of a new application can not be kept',
        );
      });
    },
  };
}
