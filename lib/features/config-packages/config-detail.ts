import type { Principal } from '../../http/principal.js';
import { versionOf } from './chosen.js';
import { configAccessTo } from './config-lookup.js';
import type { ConfigPackage, ConfigPackageDetail } from './schema.js';
import type { StoredConfigPackage } from './store.js';

/** As the caller is shown it in lists. */
export function configPackageOf(stored: StoredConfigPackage, caller: Principal): ConfigPackage {
  const { properties: _, applicationProperties: __, ...contents } = stored.contents;
  return {
    user: stored.user,
    ...contents,
    version: versionOf(stored),
    modificationTime: stored.modificationTime,
    canWrite: configAccessTo(caller, stored.user) === 'write',
  };
}

/** With all that it sets. */
export const configDetailOf = (stored: StoredConfigPackage, caller: Principal): ConfigPackageDetail => ({
  ...configPackageOf(stored, caller),
  properties: stored.contents.properties,
  applicationProperties: Object.fromEntries(
    stored.contents.applicationProperties.map(({ application, properties }) => [application, properties]),
  ),
});
