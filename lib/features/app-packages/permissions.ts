import type { Call } from '../../http/route.js';
import { normalized, type Permissions } from '../../model/acl.js';
import { Forbidden } from '../../model/errors.js';
import type { PackageDirectory } from './directory.js';
import type { PackageName } from './schema.js';
import type { PackageStore } from './store.js';

/** Who besides the owner may see or change the versions of a package. */
export interface PackagePermissions {
  readPermissions(call: Call, name: PackageName): Promise<Permissions>;
  writePermissions(call: Call, name: PackageName, permissions: Permissions): Promise<void>;
}

export function createPackagePermissions(deps: {
  directory: PackageDirectory;
  store: Pick<PackageStore, 'setPermissions'>;
}): PackagePermissions {
  const { directory, store } = deps;
  return {
    readPermissions: async (call, name) => (await directory.findName(call, name)).permissions,

    async writePermissions(call, name, permissions) {
      const { access } = await directory.findName(call, name);
      if (access !== 'write') {
        const label = JSON.stringify(`${name.owner}/${name.name}`);
        throw new Forbidden(`The package ${label} is not yours to change`);
      }
      await store.setPermissions(name, normalized(permissions));
    },
  };
}
