import type { Call } from '../../http/route.js';
import { type Access, defaultPermissions, type Permissions } from '../../model/acl.js';
import { Forbidden, NotFound } from '../../model/errors.js';
import { timeSlice } from '../../runtime/event-loop.js';
import { accessTo } from './access.js';
import { type FoundPackage, packageLabel } from './open-package.js';
import { nameKey } from './package-names.js';
import type { PackageName, PackageRef } from './schema.js';
import type { PackageStore } from './store.js';

/** All versions of a name. */
interface FoundName {
  readonly versions: readonly string[];
  readonly permissions: Permissions;
  readonly access: Exclude<Access, 'none'>;
}

/** Packages as far as their callers may see them. All reject with `NotFound` for hidden ones too. */
export interface PackageLookup {
  find(call: Call, ref: PackageRef): Promise<FoundPackage>;
  /** Rejects with `Forbidden` for who may only read. */
  findToChange(call: Call, ref: PackageRef): Promise<FoundPackage>;
  /** Rejects with `NotFound` when the caller may see no version: permissions belong to the name. */
  findName(call: Call, name: PackageName): Promise<FoundName>;
  /** All that the caller may see. */
  visible(call: Call): Promise<FoundPackage[]>;
}

export function createPackageLookup(store: PackageStore): PackageLookup {
  async function find(call: Call, ref: PackageRef): Promise<FoundPackage> {
    const kept = await store.find(ref);
    const access = accessTo(call.user, ref.owner, kept && (await store.permissions(ref)));
    if (!kept || access === 'none') throw new NotFound('package', packageLabel(ref));
    return { kept, access };
  }

  return {
    find,

    async findToChange(call, ref) {
      const found = await find(call, ref);
      if (found.access === 'write') return found;
      throw new Forbidden(`The package ${JSON.stringify(packageLabel(ref))} is not yours to change`);
    },

    async findName(call, name) {
      const versions = await store.versions(name);
      const permissions = await store.permissions(name);
      const access = accessTo(call.user, name.owner, permissions);
      if (versions.length === 0 || access === 'none') {
        throw new NotFound('package', `${name.owner}/${name.name}`);
      }
      return {
        versions: versions.map(({ value }) => value.version),
        permissions: permissions ?? defaultPermissions,
        access,
      };
    },

    async visible(call) {
      const permissions = await store.allPermissions();
      const found: FoundPackage[] = [];
      const slice = timeSlice();
      for await (const kept of store.list()) {
        const access = accessTo(call.user, kept.value.owner, permissions.get(nameKey(kept.value)));
        if (access !== 'none') found.push({ kept, access });
        if (slice.isOver()) await slice.next();
      }
      return found;
    },
  };
}
