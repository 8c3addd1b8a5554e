import type { Readable } from 'node:stream';
import type { OwnDefaults } from '../../core/acl.js';
import { type AtOnce, atOnce } from '../../core/at-once.js';
import type { Kept } from '../../core/collection.js';
import { requireIfMatch } from '../../core/conditional.js';
import { PreconditionFailed, TooLarge } from '../../core/errors.js';
import type { Call } from '../../core/route.js';
import { arrivingArchives } from './archive/arriving.js';
import type { ArchiveLimits } from './archive/limits.js';
import { openArchive } from './archive/reader.js';
import { writeArchive } from './archive/writer.js';
import type { PackageDirectory } from './directory.js';
import { mergedUpload } from './merge.js';
import { packageLabel } from './open-package.js';
import type { MergeMode, PackageRef } from './schema.js';
import type { PackageStore, StagedPackage } from './store.js';
import type { StoredPackage } from './stored.js';

/** What is known of an upload besides its bytes. */
export interface Arrival {
  readonly merge: MergeMode;
  /** Of the package that it is to replace. */
  readonly ifMatch?: string | undefined;
  /** Bytes, where somebody says so before. */
  readonly says?: number | undefined;
}

export interface Uploads {
  /** One pipeline: check, write, digest and publish as the caller's. Leaves nothing when it rejects. */
  take(call: Call, content: Readable, arrival: Arrival): Promise<StoredPackage>;
}

export function createUploads(deps: {
  store: PackageStore;
  directory: PackageDirectory;
  ownDefaults: OwnDefaults;
  limits: ArchiveLimits;
  uploadsAtOnce: number;
}): Uploads {
  const { store, directory, limits } = deps;
  const archives = arrivingArchives();
  const limited: AtOnce = atOnce(deps.uploadsAtOnce, 'uploads of packages');

  async function merged(
    call: Call,
    ref: PackageRef,
    staged: StagedPackage,
    mode: 'ours' | 'theirs',
    existing: Kept<StoredPackage>,
  ): Promise<StoredPackage | undefined> {
    const [before, arrived] = [await store.open(existing.value), await store.openStaged(staged)];
    try {
      if (!before) return undefined;
      const parts = await mergedUpload(await openArchive(before), await openArchive(arrived), mode);
      const { signal } = call;
      return await store.staging(writeArchive(parts, { limits, signal }), { signal }, (both) =>
        store.publish(ref, both, existing),
      );
    } finally {
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
        if ((arrival.says ?? 0) > limits.maxBytes) throw new TooLarge('The package', limits.maxBytes);
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
