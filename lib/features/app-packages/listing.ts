import type { Call } from '../../http/route.js';
import { mapLimited } from '../../runtime/map-limited.js';
import type { LicenseService } from '../licenses/service.js';
import type { PackageLookup } from './lookup.js';
import { summaryItem } from './meta.js';
import type { FoundPackage } from './open-package.js';
import type { PackageFilter, PackageName, PackageSummary } from './schema.js';
import type { PackageStore } from './store.js';

/** Lists of the packages that callers may see. */
export interface PackageListing {
  list(call: Call, filter: PackageFilter): Promise<PackageSummary[]>;
  /** Rejects with `NotFound` when the caller may see none. */
  versions(call: Call, name: PackageName): Promise<readonly string[]>;
}

/** Packages whose archives are read at once for a list, after an update of the gateway. */
const readsAtOnce = 4;

export function createPackageListing({
  store,
  directory,
  licenses,
}: {
  store: PackageStore;
  directory: PackageLookup;
  licenses: Pick<LicenseService, 'headroom'>;
}): PackageListing {
  return {
    async list(call, filter) {
      const found = await directory.visible(call);
      const isPlain = filter.hasServices === undefined && filter.hasUI === undefined;
      if (isPlain) return found.map((pkg) => summaryItem(pkg, { isPlain, launchDisabled: false }));
      const current = await mapLimited(found, readsAtOnce, async (pkg) => ({
        ...pkg,
        kept: await store.current(pkg.kept),
      }));
      const { isLocked: launchDisabled } = await licenses.headroom();
      return current
        .filter((pkg) => passes(pkg, filter))
        .map((pkg) => summaryItem(pkg, { isPlain, launchDisabled }));
    },

    versions: async (call, name) => (await directory.findName(call, name)).versions,
  };
}

function passes({ kept: { value } }: FoundPackage, { hasServices, hasUI }: PackageFilter): boolean {
  const { ui, services } = value.summary;
  if (hasUI !== undefined && hasUI !== (ui !== undefined && ui.dashboards.length > 0)) return false;
  return (
    hasServices === undefined || hasServices === (services !== undefined && services.services.length > 0)
  );
}
