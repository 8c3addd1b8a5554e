import type { Clock } from '../../interfaces/clock.js';
import type { JarReader } from '../../interfaces/jar-reader.js';
import type { Blob, Storage } from '../../interfaces/storage.js';
import { collection, type Kept } from '../../storage/collection.js';
import { namedBlobs } from '../../storage/named-blobs.js';
import { fitsKey } from '../../storage/storage-keys.js';
import type { ArchiveShelf } from './archive/shelf.js';
import type { ApplicationClasses } from './contents.js';
import { type DescribedPackages, describedPackages } from './described-packages.js';
import { createKeptContents } from './kept-contents.js';
import { createPackageNames, type PackageNames, packageKey, versionsPrefix } from './package-names.js';
import { createPackagePublishing, type PackagePublishing } from './publishing.js';
import type { PackageName, PackageRef } from './schema.js';
import { StoredPackage } from './stored.js';

/**
 * Versions of packages. A version is one document and one blob under a name of its own: the document says which blob it
 * is, so writing the document is the moment at which a package changes, and who reads the old blob goes on reading it.
 */
export interface PackageStore
  extends DescribedPackages,
    PackagePublishing,
    Pick<PackageNames, 'permissions' | 'allPermissions' | 'setPermissions'> {
  find(ref: PackageRef): Promise<Kept<StoredPackage> | undefined>;
  /** In the order of owners, names and versions. */
  list(): AsyncIterable<Kept<StoredPackage>>;
  versions(name: PackageName): Promise<readonly Kept<StoredPackage>[]>;
  /** Resolves `undefined` when the package is another one by now, or none. */
  open(kept: StoredPackage): Promise<Blob | undefined>;
  /** Deletes what a crash left behind. For the start, when nothing is under way. */
  sweep(): Promise<void>;
}

const collectionName = 'app-packages';

export function createPackageStore(deps: {
  storage: Storage;
  clock: Clock;
  jars: JarReader;
  classes: ApplicationClasses;
  shelf: ArchiveShelf;
}): PackageStore {
  const { documents } = deps.storage;
  const packages = collection(documents, collectionName, StoredPackage);
  const kept = createKeptContents(documents, deps);
  const names = createPackageNames(documents);
  const blobs = namedBlobs(deps.storage, collectionName, packages);
  const parts = { documents, packages, kept, blobs, shelf: deps.shelf };

  return {
    ...describedPackages(parts),
    ...createPackagePublishing({ ...parts, clock: deps.clock, names }),
    permissions: names.permissions,
    allPermissions: names.allPermissions,
    setPermissions: names.setPermissions,

    find: async (ref) => {
      const key = packageKey(ref);
      return fitsKey(key) ? packages.get(key) : undefined;
    },
    list: () => packages.entries(),
    versions: async (name) => {
      const prefix = versionsPrefix(name);
      return fitsKey(prefix) ? packages.list({ prefix }) : [];
    },
    open: ({ id }) => blobs.open(id),
    sweep: blobs.sweep,
  };
}
