import type { Readable } from 'node:stream';
import { requireIfMatch } from '../../http/conditional.js';
import type { Call } from '../../http/route.js';
import type { Blob } from '../../interfaces/storage.js';
import type { OwnDefaults } from '../../model/acl.js';
import { PreconditionFailed, TooLarge } from '../../model/errors.js';
import { type Semaphore, semaphore } from '../../runtime/semaphore.js';
import type { Kept } from '../../storage/collection.js';
import { arrivingArchives } from './archive/arriving.js';
import type { ArchiveLimits } from './archive/limits.js';
import type { CopyableEntry } from './archive/reader.js';
import type { ArchiveShelf, Lent } from './archive/shelf.js';
import { writeArchive } from './archive/writer.js';
import type { PackageDirectory } from './directory.js';
import { mergedUpload } from './merge.js';
import { packageLabel } from './open-package.js';
import type { MergeMode, PackageRef } from './schema.js';
import type { PackageStore, StagedPackage } from './store.js';
import type { StoredPackage } from './stored.js';

/** What is known of an upload besides its bytes. */
interface Arrival {
  readonly merge: MergeMode;
  /** Of the package that it is to replace. */
  readonly ifMatch?: string | undefined;
  /** Bytes, where somebody says so before. */
  readonly declaredBytes?: number;
}

interface Uploads {
  /** One pipeline: check, write, digest and publish as the caller's. Leaves nothing when it rejects. */
  take(call: Call, content: Readable, arrival: Arrival): Promise<StoredPackage>;
}

export function createUploads(deps: {
  store: PackageStore;
  shelf: ArchiveShelf;
  directory: PackageDirectory;
  ownDefaults: OwnDefaults;
  limits: ArchiveLimits;
  uploadsAtOnce: number;
}): Uploads {
  const { store, shelf, directory, limits } = deps;
  const archives = arrivingArchives();
  const limited: Semaphore = semaphore(deps.uploadsAtOnce, 'uploads of packages');

  async function merged(
    call: Call,
    ref: PackageRef,
    staged: StagedPackage,
    mode: 'ours' | 'theirs',
    existing: Kept<StoredPackage>,
  ): Promise<StoredPackage | undefined> {
    const [before, arrived] = [await store.open(existing.value), await store.openStaged(staged)];
    const { signal } = call;
    const lent: Lent<CopyableEntry>[] = [];
    const opened = async (blob: Blob, id: string) => {
      const one = await shelf.toCopy(blob, { id, signal });
      lent.push(one);
      return one.archive;
    };
    try {
      if (!before) return undefined;
      const parts = await mergedUpload(
        await opened(before, existing.value.id),
        await opened(arrived, staged.id),
        mode,
      );
      return await store.staging(writeArchive(parts, { limits, signal }), { signal }, (both) =>
        store.publish(ref, both, existing),
      );
    } finally {
      for (const { release } of lent) release();
      await before?.close();
      await arrived.close();
    }
  }

  async function publish(
    call: Call,
    ref: PackageRef,
    staged: StagedPackage,
    { merge, ifMatch }: Arrival,
  ): Promise<StoredPackage | undefined> {
    const existing = await store.find(ref);
    const label = packageLabel(ref);
    requireIfMatch(ifMatch, existing?.value.digest, `The package ${label}`);
    if (!existing) return store.publish(ref, staged, undefined, await deps.ownDefaults(ref.owner));
    if (merge === 'fail') {
      throw new PreconditionFailed(`There is a package ${label} already, and merge=fail asks to keep it`);
    }
    return merge === 'replace'
      ? store.publish(ref, staged, existing)
      : merged(call, ref, staged, merge, existing);
  }

  return {
    take: (call, content, arrival) =>
      limited(async () => {
        if ((arrival.declaredBytes ?? 0) > limits.maxBytes)
          throw new TooLarge('The package', limits.maxBytes);
        const { signal } = call;
        const arriving = archives.checkedWhileArriving(content, { limits, signal });
        const { digest } = arriving;
        return store.staging(arriving.content, { signal, digest }, (staged) => {
          const { appPackageName: name, appPackageVersion: version } = staged.contents.manifest;
          const ref = { owner: call.user.userName, name, version };
          return directory.retrying(ref, () => publish(call, ref, staged, arrival));
        });
      }),
  };
}
