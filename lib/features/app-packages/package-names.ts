import type { DocumentStore, DocumentWrite } from '../../interfaces/storage.js';
import type { Permissions } from '../../model/acl.js';
import { NotFound } from '../../model/errors.js';
import { collection, type Kept } from '../../storage/collection.js';
import { keyPart } from '../../storage/storage-keys.js';
import type { PackageName, PackageRef } from './schema.js';
import { StoredName } from './stored.js';

export const nameKey = ({ owner, name }: PackageName): string => `${keyPart(owner)}/${keyPart(name)}`;

/** With it begin the keys of all versions of a name. */
export const versionsPrefix = (name: PackageName): string => `${nameKey(name)}/`;

/** Of a version. */
export const packageKey = (ref: PackageRef): string => `${versionsPrefix(ref)}${keyPart(ref.version)}`;

/** What belongs to a name whatever its versions are: who may see and change them. It is there as long as one of them is. */
export interface PackageNames {
  find(name: PackageName): Promise<Kept<StoredName> | undefined>;
  permissions(name: PackageName): Promise<Permissions | undefined>;
  /** Of all names, by `nameKey`. */
  allPermissions(): Promise<ReadonlyMap<string, Permissions>>;
  /** Rejects with `NotFound` when there is no version. */
  setPermissions(name: PackageName, permissions: Permissions): Promise<void>;
  /** For the batch that makes or deletes a version. They hold only while the name is as it was found. */
  readonly writes: {
    /** Leaves `found` as it is. `permissions`: for a name that there was not. */
    keep(
      name: PackageName,
      found: Kept<StoredName> | undefined,
      permissions: Permissions | undefined,
    ): DocumentWrite;
    remove(found: Kept<StoredName>): DocumentWrite;
  };
}

export function createPackageNames(documents: DocumentStore): PackageNames {
  const names = collection(documents, 'app-package-names', StoredName);
  const find = (name: PackageName) => names.get(nameKey(name));

  return {
    find,
    permissions: async (name) => (await find(name))?.value.permissions,

    async allPermissions() {
      const found = new Map<string, Permissions>();
      for await (const { key, value } of names.entries()) {
        if (value.permissions) found.set(key, value.permissions);
      }
      return found;
    },

    async setPermissions(name, permissions) {
      await names.update(nameKey(name), (present) => {
        if (!present) throw new NotFound('package', name.name);
        return { ...present, permissions };
      });
    },

    writes: {
      keep: (name, found, permissions) =>
        names.writes.put(nameKey(name), found?.value ?? { ...(permissions ? { permissions } : {}) }, {
          ifMatch: found?.etag ?? null,
        }),
      remove: ({ key, etag }) => names.writes.remove(key, { ifMatch: etag }),
    },
  };
}
