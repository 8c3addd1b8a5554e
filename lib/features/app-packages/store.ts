import type { Readable } from 'node:stream';
import type { Clock } from '../../interfaces/clock.js';
import type { JarReader } from '../../interfaces/jar-reader.js';
import type { Blob, BlobWriteOptions, Storage } from '../../interfaces/storage.js';
import type { Permissions } from '../../model/acl.js';
import { BadRequest } from '../../model/errors.js';
import type { JarContents } from '../../model/jar-contents.js';
import { collection, commit, type Kept } from '../../storage/collection.js';
import { namedBlobs, type StagedBlob } from '../../storage/named-blobs.js';
import { maxKeyBytes } from '../../storage/storage-keys.js';
import type { ArchiveShelf } from './archive/shelf.js';
import { type DescribedPackages, describedPackages, readingOwn } from './described-packages.js';
import { createKeptContents, type ReadBefore } from './kept-contents.js';
import { createPackageNames, nameKey, type PackageNames, packageKey } from './package-names.js';
import type { PackageName, PackageRef } from './schema.js';
import { type PackageContents, StoredPackage, summaryOf } from './stored.js';

/** An archive that lies in the storage, but is no package yet. */
export interface StagedPackage extends StagedBlob {
  readonly contents: PackageContents;
  readonly jarContents?: JarContents;
}

/**
 * Versions of packages. A version is one document and one blob under a name of its own: the document says which blob it
 * is, so writing the document is the moment at which a package changes, and who reads the old blob goes on reading it.
 */
export interface PackageStore
  extends DescribedPackages,
    Pick<PackageNames, 'permissions' | 'allPermissions' | 'setPermissions'> {
  find(ref: PackageRef): Promise<Kept<StoredPackage> | undefined>;
  /** In the order of owners, names and versions. */
  list(): AsyncIterable<Kept<StoredPackage>>;
  versions(name: PackageName): Promise<readonly Kept<StoredPackage>[]>;
  /** Resolves `undefined` when the package is another one by now, or none. */
  open(kept: StoredPackage): Promise<Blob | undefined>;
  openStaged(staged: StagedPackage): Promise<Blob>;
  /**
   * Takes an archive in, reads it and hands it to `use`. What `use` does not publish is deleted. Rejects with
   * `BadRequest` for what is no package. `like`: what it was made from, which was read before.
   */
  staging<T>(
    content: Readable,
    options: Pick<BlobWriteOptions, 'signal' | 'digest'> & { like?: ReadBefore },
    use: (staged: StagedPackage) => Promise<T>,
  ): Promise<T>;
  /**
   * Makes what was staged the package, in place of `existing`; resolves `undefined` when that has changed meanwhile.
   * `permissions`: for a name that there was not.
   */
  publish(
    ref: PackageRef,
    staged: StagedPackage,
    existing: Kept<StoredPackage> | undefined,
    permissions?: Permissions,
  ): Promise<StoredPackage | undefined>;
  /** With the last version go the permissions. Resolves `undefined` when it has changed meanwhile. */
  remove(existing: Kept<StoredPackage>): Promise<true | undefined>;
  /** Deletes what a crash left behind. For the start, when nothing is under way. */
  sweep(): Promise<void>;
}

const fits = (key: string): boolean => Buffer.byteLength(key) <= maxKeyBytes;

export function createPackageStore(deps: {
  storage: Storage;
  clock: Clock;
  jars: JarReader;
  shelf: ArchiveShelf;
}): PackageStore {
  const { documents } = deps.storage;
  const packages = collection(documents, 'app-packages', StoredPackage);
  const kept = createKeptContents(documents, deps.jars);
  const names = createPackageNames(documents);
  const blobs = namedBlobs(deps.storage.blobs, 'app-packages/');

  const hasDamage = (): boolean =>
    packages.problems().length > 0 ||
    deps.storage
      .problems()
      .some((problem) => problem.kind === 'store' || problem.collection === 'app-packages');

  /** Jars that it has in common with what it was made from are not read again. */
  async function contentsOf(
    { id }: StagedBlob,
    like: ReadBefore | undefined,
    signal: AbortSignal | undefined,
  ): Promise<Pick<StagedPackage, 'contents' | 'jarContents'>> {
    const { contents, hasSameJars } = await readingOwn(
      deps.shelf,
      await blobs.openStaged(id),
      { id, ...(signal ? { signal } : {}) },
      async (archive) =>
        like ? kept.readLike(archive, like) : { contents: await kept.read(archive), hasSameJars: false },
    );
    const jarContents = hasSameJars && like ? await kept.jars(like.id) : undefined;
    return { contents, ...(jarContents ? { jarContents } : {}) };
  }

  return {
    ...describedPackages({ documents, packages, kept, blobs, shelf: deps.shelf }),
    permissions: names.permissions,
    allPermissions: names.allPermissions,
    setPermissions: names.setPermissions,

    find: async (ref) => {
      const key = packageKey(ref);
      return fits(key) ? packages.get(key) : undefined;
    },
    list: () => packages.entries(),
    versions: async (name) => {
      const prefix = `${nameKey(name)}/`;
      return fits(prefix) ? packages.list({ prefix }) : [];
    },
    open: ({ id }) => blobs.open(id),
    openStaged: ({ id }) => blobs.openStaged(id),

    staging: (content, { like, ...options }, use) =>
      blobs.staging(content, options, async (blob) =>
        use({ ...blob, ...(await contentsOf(blob, like, options.signal)) }),
      ),

    async publish(ref, { id, digest, size, contents, jarContents }, existing, permissions) {
      const key = packageKey(ref);
      if (!fits(key)) {
        throw new BadRequest(
          'NAME_NOT_VALID',
          `Owner, name and version of the package are too long: together they may have ${maxKeyBytes - 2} bytes of UTF-8`,
        );
      }
      const value: StoredPackage = {
        ...ref,
        id,
        digest,
        size,
        modificationTime: deps.clock.now(),
        format: kept.format,
        summary: summaryOf(contents),
      };
      const name = existing ? undefined : await names.find(ref);
      const batch = [
        packages.writes.put(key, value, { ifMatch: existing?.etag ?? null }),
        kept.writes.put(id, contents),
        ...(jarContents ? [kept.writes.putJars(id, jarContents)] : []),
        ...(existing ? kept.writes.remove(existing.value.id) : [names.writes.keep(ref, name, permissions)]),
      ];
      if (!(await blobs.naming(id, () => commit(documents, batch)))) return undefined;
      if (existing) await blobs.discard(existing.value.id);
      return value;
    },

    async remove({ key, etag, value }) {
      // Before the others are counted: one that comes in between touches it.
      const name = await names.find(value);
      const others = await packages.list({ prefix: `${nameKey(value)}/` });
      const isLast = others.every((other) => other.key === key);
      const isGone = await commit(documents, [
        packages.writes.remove(key, { ifMatch: etag }),
        ...kept.writes.remove(value.id),
        ...(name ? [isLast ? names.writes.remove(name) : names.writes.keep(value, name, undefined)] : []),
      ]);
      if (isGone) await blobs.discard(value.id);
      return isGone;
    },

    async sweep() {
      const used = new Set<string>();
      for await (const { value } of packages.entries()) used.add(value.id);
      // A document that can't be read may be restored, and then its blob must be there.
      if (!hasDamage()) await blobs.sweep(used);
    },
  };
}
