import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { Clock } from '../../interfaces/clock.js';
import type { Blob, BlobInfo, BlobWriteOptions, DocumentWrite, Storage } from '../../interfaces/storage.js';
import type { Permissions } from '../../model/acl.js';
import {
  BadRequest,
  NotFound,
  PreconditionFailed,
  StorageFailed,
  undefinedIfUnknown,
} from '../../model/errors.js';
import { collection, type Kept } from '../../storage/collection.js';
import { maxKeyBytes } from '../../storage/storage-keys.js';
import type { Archive } from './archive/reader.js';
import type { ArchiveShelf } from './archive/shelf.js';
import type { JarContents } from './jars/discovery.js';
import { fitted } from './jars/kept.js';
import type { JarReader } from './jars/reader.js';
import { createKeptContents, type ReadBefore } from './kept-contents.js';
import type { PackageName, PackageRef } from './schema.js';
import { contentsFormat, type PackageContents, StoredName, StoredPackage, summaryOf } from './stored.js';

/** An archive that lies in the storage, but is no package yet. What does not become one goes at the next start at the latest. */
export interface StagedPackage extends BlobInfo {
  readonly id: string;
  readonly contents: PackageContents;
  readonly jarContents?: JarContents;
}

/**
 * Versions of packages. A version is one document and one blob under a name of its own: the document says which blob it
 * is, so writing the document is the moment at which a package changes, and who reads the old blob goes on reading it.
 */
export interface PackageStore {
  find(ref: PackageRef): Promise<Kept<StoredPackage> | undefined>;
  /** In the order of owners, names and versions. */
  list(): AsyncIterable<Kept<StoredPackage>>;
  versions(name: PackageName): Promise<readonly Kept<StoredPackage>[]>;
  /** Resolves `undefined` when the package is another one by now, or none. */
  open(kept: StoredPackage): Promise<Blob | undefined>;
  openStaged(staged: StagedPackage): Promise<Blob>;
  /** `undefined` as for `open`. */
  contents(kept: StoredPackage): Promise<PackageContents | undefined>;
  /** What was read of the jars; `undefined` before. */
  jarContents(kept: StoredPackage): Promise<JarContents | undefined>;
  /** Resolves what is kept, as long as the package is there: what is too long is cut. */
  keepJarContents(kept: StoredPackage, contents: JarContents): Promise<JarContents>;
  /** The same document with a summary that this version of the gateway has read. */
  current(kept: Kept<StoredPackage>): Promise<Kept<StoredPackage>>;
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
  permissions(name: PackageName): Promise<Permissions | undefined>;
  /** Of all names, by `nameKey`. */
  allPermissions(): Promise<ReadonlyMap<string, Permissions>>;
  /** Rejects with `NotFound` when there is no version. */
  setPermissions(name: PackageName, permissions: Permissions): Promise<void>;
  /** Deletes what a crash left behind. For the start, when nothing is under way. */
  sweep(): Promise<void>;
}

const blobPrefix = 'app-packages/';
const blobKey = (id: string) => `${blobPrefix}${id}`;

/** Names and versions may hold anything but slashes; owners, who may come from elsewhere, even these. */
const folded = (part: string): string => part.replace(/%/g, '%25').replace(/\//g, '%2F');

export const nameKey = ({ owner, name }: PackageName): string => `${folded(owner)}/${folded(name)}`;
const packageKey = (ref: PackageRef): string => `${nameKey(ref)}/${folded(ref.version)}`;

const fits = (key: string): boolean => Buffer.byteLength(key) <= maxKeyBytes;

export function createPackageStore(deps: {
  storage: Storage;
  clock: Clock;
  jars: JarReader;
  shelf: ArchiveShelf;
}): PackageStore {
  const { documents, blobs } = deps.storage;
  const packages = collection(documents, 'app-packages', StoredPackage);
  const contents = createKeptContents(documents, deps.jars);
  const names = collection(documents, 'app-package-names', StoredName);

  const open = (id: string): Promise<Blob | undefined> => blobs.open(blobKey(id)).catch(undefinedIfUnknown);

  async function reading<T>(
    blob: Blob,
    wanted: { id: string; signal?: AbortSignal },
    read: (archive: Archive) => Promise<T>,
  ): Promise<T> {
    try {
      const { archive, release } = await deps.shelf.own(blob, wanted);
      try {
        return await read(archive);
      } finally {
        release();
      }
    } finally {
      await blob.close();
    }
  }

  async function contentsOf(stored: StoredPackage): Promise<PackageContents | undefined> {
    const kept = await contents.get(stored.id);
    if (kept) return kept;
    const blob = await open(stored.id);
    if (!blob) return undefined;
    const read = await reading(blob, { id: stored.id }, contents.read);
    await keepWith(stored, contents.writes.put(stored.id, read));
    return read;
  }

  /** Only while the package is there, so that nothing is left of it when it goes. */
  async function keepWith(stored: StoredPackage, write: DocumentWrite): Promise<void> {
    const kept = await packages.get(packageKey(stored));
    if (kept?.value.id !== stored.id) return;
    await commit([packages.writes.put(kept.key, kept.value, { ifMatch: kept.etag }), write]);
  }

  const touch = ({ key, value, etag }: Kept<StoredName>) => names.writes.put(key, value, { ifMatch: etag });

  const hasDamage = (): boolean =>
    packages.problems().length > 0 ||
    deps.storage
      .problems()
      .some((problem) => problem.kind === 'store' || problem.collection === 'app-packages');

  /** What can't be deleted now goes at the next start. */
  const discard = async (id: string): Promise<void> => {
    await blobs.delete(blobKey(id)).catch(() => {});
  };

  /** Staged blobs that a document names, or may name: after a failed write nobody knows. */
  const placed = new Set<string>();

  async function commit(batch: readonly DocumentWrite[]): Promise<true | undefined> {
    try {
      await documents.write(batch);
      return true;
    } catch (error) {
      if (error instanceof PreconditionFailed) return undefined;
      throw error;
    }
  }

  return {
    find: async (ref) => {
      const key = packageKey(ref);
      return fits(key) ? packages.get(key) : undefined;
    },
    list: () => packages.entries(),
    versions: async (name) => {
      const prefix = `${nameKey(name)}/`;
      return fits(prefix) ? packages.list({ prefix }) : [];
    },
    open: ({ id }) => open(id),
    openStaged: ({ id }) => blobs.open(blobKey(id)),
    contents: contentsOf,

    jarContents: ({ id }) => contents.jars(id),
    async keepJarContents(stored, read) {
      const kept = fitted(read);
      await keepWith(stored, contents.writes.putJars(stored.id, kept));
      return kept;
    },

    async current(kept) {
      if (kept.value.format === contentsFormat) return kept;
      const read = await contentsOf(kept.value);
      if (!read) return kept;
      const value = { ...kept.value, format: contentsFormat, summary: summaryOf(read) };
      const etag = await packages.put(kept.key, value, { ifMatch: kept.etag }).catch((error) => {
        if (error instanceof PreconditionFailed) return kept.etag;
        throw error;
      });
      return { ...kept, value, etag };
    },

    async staging(content, { like, ...options }, use) {
      const id = randomUUID();
      const info = await blobs.write(blobKey(id), content, options);
      try {
        const { contents: read, hasSameJars } = await reading(
          await blobs.open(blobKey(id)),
          { id, ...(options.signal ? { signal: options.signal } : {}) },
          async (archive) =>
            like
              ? contents.readLike(archive, like)
              : { contents: await contents.read(archive), hasSameJars: false },
        );
        const jarContents = hasSameJars && like ? await contents.jars(like.id) : undefined;
        return await use({ ...info, id, contents: read, ...(jarContents ? { jarContents } : {}) });
      } finally {
        if (!placed.has(id)) await discard(id);
        placed.delete(id);
      }
    },

    async publish(ref, { id, digest, size, contents: read, jarContents }, existing, permissions) {
      const key = packageKey(ref);
      if (!fits(key)) {
        throw new BadRequest(
          `Owner, name and version of the package are too long: together they may have ${maxKeyBytes - 2} bytes of UTF-8`,
        );
      }
      const value: StoredPackage = {
        ...ref,
        id,
        digest,
        size,
        modificationTime: deps.clock.now(),
        format: contentsFormat,
        summary: summaryOf(read),
      };
      const name = existing ? undefined : await names.get(nameKey(ref));
      const isWritten = await commit([
        packages.writes.put(key, value, { ifMatch: existing?.etag ?? null }),
        contents.writes.put(id, read),
        ...(jarContents ? [contents.writes.putJars(id, jarContents)] : []),
        ...(existing
          ? contents.writes.remove(existing.value.id)
          : [
              names.writes.put(nameKey(ref), name?.value ?? { ...(permissions ? { permissions } : {}) }, {
                ifMatch: name?.etag ?? null,
              }),
            ]),
      ]).catch((error) => {
        if (error instanceof StorageFailed) placed.add(id);
        throw error;
      });
      if (!isWritten) return undefined;
      placed.add(id);
      if (existing) await discard(existing.value.id);
      return value;
    },

    async remove({ key, etag, value }) {
      // Before the others are counted: one that comes in between touches it.
      const name = await names.get(nameKey(value));
      const others = await packages.list({ prefix: `${nameKey(value)}/` });
      const isLast = others.every((other) => other.key === key);
      const isGone = await commit([
        packages.writes.remove(key, { ifMatch: etag }),
        ...contents.writes.remove(value.id),
        ...(name ? [isLast ? names.writes.remove(name.key, { ifMatch: name.etag }) : touch(name)] : []),
      ]);
      if (isGone) await discard(value.id);
      return isGone;
    },

    permissions: async (name) => (await names.get(nameKey(name)))?.value.permissions,

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

    async sweep() {
      const used = new Set<string>();
      for await (const { value } of packages.entries()) used.add(value.id);
      // A document that can't be read may be restored, and then its blob must be there.
      if (hasDamage()) return;
      const gone: string[] = [];
      for await (const key of blobs.list(blobPrefix)) {
        if (!used.has(key.slice(blobPrefix.length))) gone.push(key);
      }
      for (const key of gone) await blobs.delete(key);
    },
  };
}
