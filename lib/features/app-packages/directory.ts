import type { Call } from '../../http/route.js';
import type { Blob } from '../../interfaces/storage.js';
import { ofPresent } from '../../storage/named-blobs.js';
import type { ArchiveLimits } from './archive/limits.js';
import type { ArchiveShelf } from './archive/shelf.js';
import { createPackageChanges, type PackageChanges } from './changes.js';
import { createPackageLookup, type PackageLookup } from './lookup.js';
import { type FoundPackage, type OpenPackage, openPackage, packageLabel } from './open-package.js';
import type { PackageRef } from './schema.js';
import type { PackageStore } from './store.js';
import type { PackageContents, StoredPackage } from './stored.js';

/** What else uses packages: somebody's package, looked at or changed. All reject with `NotFound` for hidden ones too. */
export interface AppPackages
  extends Pick<PackageLookup, 'find' | 'findToChange'>,
    Pick<PackageChanges, 'changing'> {
  /** What was read out of it before: opens no archive. */
  describing(call: Call, ref: PackageRef): Promise<FoundPackage & { readonly contents: PackageContents }>;
  /** Only its bytes, which come also when nothing else can be read of it. Otherwise as `reading`. */
  readingBytes<T>(
    call: Call,
    ref: PackageRef,
    use: (blob: Blob, stored: StoredPackage) => Promise<T>,
  ): Promise<T>;
  /** The package is open until `use` settles; streams that it started go on to their end. */
  reading<T>(call: Call, ref: PackageRef, use: (pkg: OpenPackage) => Promise<T>): Promise<T>;
}

export interface PackageDirectory extends AppPackages, PackageLookup, PackageChanges {}

export function createPackageDirectory(deps: {
  store: PackageStore;
  shelf: ArchiveShelf;
  limits: Partial<ArchiveLimits>;
  changesAtOnce: number;
}): PackageDirectory {
  const { store } = deps;
  const lookup = createPackageLookup(store);

  const present = <T>(call: Call, ref: PackageRef, use: (found: FoundPackage) => Promise<T | undefined>) =>
    ofPresent(
      `The archive of the package ${packageLabel(ref)}`,
      () => lookup.find(call, ref),
      ({ kept }) => kept.value.id,
      use,
    );

  return {
    ...lookup,
    ...createPackageChanges({ ...deps, lookup }),

    describing: (call, ref) =>
      present(call, ref, async (found) => {
        const contents = await store.contents(found.kept.value);
        return contents && { ...found, contents };
      }),

    async readingBytes(call, ref, use) {
      const { blob, stored } = await present(call, ref, async ({ kept: { value: stored } }) => {
        const blob = await store.open(stored);
        return blob && { blob, stored };
      });
      try {
        return await use(blob, stored);
      } finally {
        await blob.close();
      }
    },

    async reading(call, ref, use) {
      const pkg = await present(call, ref, (found) => openPackage(deps, found, call.signal));
      try {
        return await use(pkg);
      } finally {
        await pkg.close();
      }
    },
  };
}
