import type { Readable } from 'node:stream';
import { requireIfMatch } from '../../http/conditional.js';
import type { Call } from '../../http/route.js';
import type { JarReader } from '../../interfaces/jar-reader.js';
import type { OwnDefaults } from '../../model/acl.js';
import { PreconditionFailed, TooLarge } from '../../model/errors.js';
import { type Semaphore, semaphore } from '../../runtime/semaphore.js';
import type { StagedBlob } from '../../storage/named-blobs.js';
import { arrivingArchives } from './archive/arriving.js';
import type { ArchiveLimits } from './archive/limits.js';
import type { ArchiveShelf } from './archive/shelf.js';
import type { ApplicationClasses } from './contents.js';
import type { PackageDirectory } from './directory.js';
import { createJobJars } from './job-jars.js';
import { packageLabel } from './open-package.js';
import type { InspectedPackage } from './publishing.js';
import type { MergeMode, PackageRef } from './schema.js';
import type { PackageStore } from './store.js';
import type { StoredPackage } from './stored.js';
import { uploadMerger } from './upload-merge.js';

/** What is known of an upload besides its bytes. */
interface Arrival {
  readonly merge: MergeMode;
  /** Of the package that it is to replace. */
  readonly ifMatch?: string | undefined;
  /** Bytes, where somebody says so before. */
  readonly declaredBytes?: number;
  /** That the client has it under. */
  readonly fileName?: string | undefined;
}

export interface Uploads {
  /** Stages, inspects and publishes an archive as the caller's. Leaves nothing when it rejects. */
  take(call: Call, content: Readable, arrival: Arrival): Promise<StoredPackage>;
}

export function createUploads(deps: {
  store: PackageStore;
  shelf: ArchiveShelf;
  directory: PackageDirectory;
  ownDefaults: OwnDefaults;
  limits: ArchiveLimits;
  uploadsAtOnce: number;
  /** Of those of `streaming` nobody could start what is in a jar alone. */
  applicationClasses: ApplicationClasses;
  /** Absent: jars are not read. */
  jars?: JarReader | undefined;
}): Uploads {
  const { store, directory, limits } = deps;
  const archives = arrivingArchives();
  const limited: Semaphore = semaphore(deps.uploadsAtOnce, 'uploads of packages');
  const merging = uploadMerger(deps);
  const jobJars =
    deps.applicationClasses === 'main'
      ? createJobJars({ ...deps, reads: deps.jars !== undefined })
      : undefined;

  async function stage(
    content: Readable,
    declaredBytes: number | undefined,
    signal: AbortSignal,
  ): Promise<StagedBlob> {
    const arriving = archives.checkedWhileArriving(content, { limits, declaredBytes, signal });
    return store.stage(arriving.content, { signal, digest: arriving.digest });
  }

  async function publish(
    { signal }: Call,
    ref: PackageRef,
    uploaded: InspectedPackage,
    { merge, ifMatch }: Arrival,
  ): Promise<StoredPackage | undefined> {
    const existing = await store.find(ref);
    const label = packageLabel(ref);
    requireIfMatch(ifMatch, existing?.value.digest, `The package ${label}`);
    if (!existing) return store.publish(ref, uploaded, undefined, await deps.ownDefaults(ref.owner));
    if (merge === 'fail') {
      throw new PreconditionFailed(
        `There is a package ${label} already; merge=replace takes the new one in its place, ours and theirs merge both`,
      );
    }
    return merge === 'replace'
      ? store.publish(ref, uploaded, existing)
      : merging.publish({ ref, uploaded, existing, mode: merge, signal });
  }

  return {
    take: (call, content, arrival) =>
      limited(async () => {
        if ((arrival.declaredBytes ?? 0) > limits.maxBytes)
          throw new TooLarge('The package', limits.maxBytes);
        const { signal, user } = call;
        const staged = await stage(content, arrival.declaredBytes, signal);
        let made: StagedBlob | undefined;
        try {
          made = await jobJars?.asPackage(staged, arrival.fileName, signal);
          const uploaded = await store.inspect(made ?? staged, { signal });
          if (made) jobJars?.requirePrograms(uploaded.contents);
          const { appPackageName: name, appPackageVersion: version } = uploaded.contents.manifest;
          const ref = { owner: user.userName, name, version };
          return await directory.retrying(ref, () => publish(call, ref, uploaded, arrival));
        } finally {
          await staged.release();
          await made?.release();
        }
      }),
  };
}
