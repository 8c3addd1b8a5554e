import type { Readable } from 'node:stream';
import type { Clock } from '../../interfaces/clock.js';
import type { BlobWriteOptions, DocumentStore } from '../../interfaces/storage.js';
import type { Permissions } from '../../model/acl.js';
import { BadRequest } from '../../model/errors.js';
import type { JarContents } from '../../model/jar-contents.js';
import { type Collection, commit, type Kept } from '../../storage/collection.js';
import type { NamedBlobs, StagedBlob } from '../../storage/named-blobs.js';
import { fitsKey, maxKeyBytes } from '../../storage/storage-keys.js';
import type { ArchiveShelf } from './archive/shelf.js';
import { readingOwn } from './described-packages.js';
import type { KeptContents, ReadBefore } from './kept-contents.js';
import { type PackageNames, packageKey, versionsPrefix } from './package-names.js';
import type { PackageRef } from './schema.js';
import { type PackageContents, type StoredPackage, summaryOf } from './stored.js';

/** What was staged, and found to be a package. */
export interface InspectedPackage {
  readonly blob: StagedBlob;
  readonly contents: PackageContents;
  readonly jarContents?: JarContents;
}

/** How a version of a package comes and goes: an archive is staged, inspected and published; each step returns a value. */
export interface PackagePublishing {
  /** Takes an archive in. Whoever stages it releases it, and then it is gone unless it was published. */
  stage(content: Readable, options: Pick<BlobWriteOptions, 'signal' | 'digest'>): Promise<StagedBlob>;
  /**
   * Reads what was staged. Rejects with `BadRequest` for what is no package. `like`: what it was made from and was read
   * before: jars that both have are not read again.
   */
  inspect(
    staged: StagedBlob,
    options: { readonly signal: AbortSignal; readonly like?: ReadBefore },
  ): Promise<InspectedPackage>;
  /**
   * Makes what was inspected the package, in place of `existing`; resolves `undefined` when that has changed meanwhile.
   * `permissions`: for a name that there was not.
   */
  publish(
    ref: PackageRef,
    inspected: InspectedPackage,
    existing: Kept<StoredPackage> | undefined,
    permissions?: Permissions,
  ): Promise<StoredPackage | undefined>;
  /** With the last version go the permissions. Resolves `undefined` when it has changed meanwhile. */
  remove(existing: Kept<StoredPackage>): Promise<true | undefined>;
}

export function createPackagePublishing(deps: {
  documents: DocumentStore;
  clock: Clock;
  packages: Collection<StoredPackage>;
  names: PackageNames;
  kept: KeptContents;
  blobs: NamedBlobs;
  shelf: ArchiveShelf;
}): PackagePublishing {
  const { documents, packages, names, kept, blobs } = deps;

  return {
    stage: blobs.stage,

    async inspect(blob, { signal, like }) {
      const { id } = blob;
      const { contents, hasSameJars } = await readingOwn(
        deps.shelf,
        await blob.open(),
        { id, signal },
        async (archive) =>
          like ? kept.readLike(archive, like) : { contents: await kept.read(archive), hasSameJars: false },
      );
      const jarContents = hasSameJars && like ? await kept.jars(like.id) : undefined;
      return { blob, contents, ...(jarContents ? { jarContents } : {}) };
    },

    async publish(ref, { blob, contents, jarContents }, existing, permissions) {
      const { id, digest, size } = blob;
      const key = packageKey(ref);
      if (!fitsKey(key)) {
        throw new BadRequest(
          'NAME_NOT_VALID',
          `Owner, name and version of the package are too long: together they may have ${maxKeyBytes - 2} bytes of UTF-8`,
        );
      }
      const modificationTime = deps.clock.now();
      const summary = summaryOf(contents);
      const value = { ...ref, id, digest, size, modificationTime, format: kept.format, summary };
      const name = existing ? undefined : await names.find(ref);
      const batch = [
        packages.writes.put(key, value, { ifMatch: existing?.etag ?? null }),
        kept.writes.put(id, contents),
        ...(jarContents ? [kept.writes.putJars(id, jarContents)] : []),
        ...(existing ? kept.writes.remove(existing.value.id) : [names.writes.keep(ref, name, permissions)]),
      ];
      if (!(await blob.naming(() => commit(documents, batch)))) return undefined;
      if (existing) await blobs.discard(existing.value.id);
      return value;
    },

    async remove({ key, etag, value }) {
      // Before the others are counted: one that comes in between touches it.
      const name = await names.find(value);
      const others = await packages.list({ prefix: versionsPrefix(value) });
      const isLast = others.every((other) => other.key === key);
      const isGone = await commit(documents, [
        packages.writes.remove(key, { ifMatch: etag }),
        ...kept.writes.remove(value.id),
        ...(name ? [isLast ? names.writes.remove(name) : names.writes.keep(value, name, undefined)] : []),
      ]);
      if (isGone) await blobs.discard(value.id);
      return isGone;
    },
  };
}
