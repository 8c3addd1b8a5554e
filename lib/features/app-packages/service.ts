import type { Readable } from 'node:stream';
import type { OwnDefaults } from '../../core/acl.js';
import { mapLimited } from '../../core/map-limited.js';
import type { Call } from '../../core/route.js';
import type { Clock } from '../../interfaces/clock.js';
import type { Storage } from '../../interfaces/storage.js';
import { type ArchiveLimits, defaultArchiveLimits } from './archive/limits.js';
import { type AppPackages, type ChangeCall, createPackageDirectory, type FoundPackage } from './directory.js';
import { metaOf, summaryItem } from './meta.js';
import type { MergeMode, PackageFilter, PackageMeta, PackageRef, PackageSummary } from './schema.js';
import { createPackageStore } from './store.js';
import { createUploads } from './upload.js';

export type { AppPackages, ChangeCall, FoundPackage, OpenPackage } from './directory.js';

/** What a host decides about packages. */
export interface PackageOptions {
  /** What an archive may be. Default: 2 GiB, 100,000 entries, 8 GiB inflated. */
  readonly limits?: Partial<ArchiveLimits>;
  /** More are answered with 429. Default 8. */
  readonly uploadsAtOnce?: number;
}

export interface PackageService extends AppPackages {
  list(call: Call, filter: PackageFilter): Promise<PackageSummary[]>;
  upload(call: ChangeCall, content: Readable, merge: MergeMode): Promise<Tagged<PackageMeta>>;
  get(call: Call, ref: PackageRef, options: { includeDescription: boolean }): Promise<Tagged<PackageMeta>>;
}

/** With the digest of the archive that it was read from. */
export interface Tagged<T> {
  readonly value: T;
  readonly digest: string;
}

/** Packages whose archives are read at once for a list, after an update of the gateway. */
const readsAtOnce = 4;

export async function createPackageService(
  deps: PackageOptions & { storage: Storage; clock: Clock; ownDefaults: OwnDefaults },
): Promise<PackageService> {
  const { uploadsAtOnce = 8 } = deps;
  const limits = { ...defaultArchiveLimits, ...deps.limits };
  const store = createPackageStore(deps);
  const directory = createPackageDirectory({ store, limits });
  const uploads = createUploads({ ...deps, store, directory, limits, uploadsAtOnce });
  await store.sweep();

  async function get(call: Call, ref: PackageRef, includeDescription = false) {
    const found = await directory.describing(call, ref);
    return { value: metaOf(found, includeDescription), digest: found.kept.value.digest };
  }

  return {
    ...directory,

    async list(call, filter) {
      const found = await directory.visible(call);
      const isPlain = filter.hasServices === undefined && filter.hasUI === undefined;
      if (isPlain) return found.map((pkg) => summaryItem(pkg, true));
      const current = await mapLimited(found, readsAtOnce, async (pkg) => ({
        ...pkg,
        kept: await store.current(pkg.kept),
      }));
      return current.filter((pkg) => passes(pkg, filter)).map((pkg) => summaryItem(pkg, false));
    },

    async upload(call, content, merge) {
      const { owner, name, version } = await uploads.take(call, content, merge);
      return get(call, { owner, name, version });
    },

    get: (call, ref, { includeDescription }) => get(call, ref, includeDescription),
  };
}

function passes({ kept: { value } }: FoundPackage, { hasServices, hasUI }: PackageFilter): boolean {
  const { ui, services } = value.summary;
  if (hasUI !== undefined && hasUI !== (ui !== undefined && ui.dashboards.length > 0)) return false;
  return (
    hasServices === undefined || hasServices === (services !== undefined && services.services.length > 0)
  );
}
