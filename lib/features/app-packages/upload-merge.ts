import type { Blob } from '../../interfaces/storage.js';
import type { Kept } from '../../storage/collection.js';
import type { ArchiveLimits } from './archive/limits.js';
import type { CopyableEntry } from './archive/reader.js';
import type { ArchiveShelf, Lent } from './archive/shelf.js';
import { mergedUpload } from './merge.js';
import { publishParts } from './publish-parts.js';
import type { InspectedPackage } from './publishing.js';
import type { PackageRef } from './schema.js';
import type { PackageStore } from './store.js';
import type { StoredPackage } from './stored.js';

interface UploadMerge {
  readonly ref: PackageRef;
  readonly uploaded: InspectedPackage;
  readonly existing: Kept<StoredPackage>;
  readonly mode: 'ours' | 'theirs';
  readonly signal: AbortSignal;
}

interface UploadMerger {
  /** Makes what both packages hold together the package; resolves `undefined` when the existing one has changed meanwhile. */
  publish(merge: UploadMerge): Promise<StoredPackage | undefined>;
}

/** Uploads that are merged with the package that is there: another archive is written, staged, inspected and published. */
export function uploadMerger(deps: {
  store: PackageStore;
  shelf: ArchiveShelf;
  limits: ArchiveLimits;
}): UploadMerger {
  const { store, shelf } = deps;

  return {
    async publish(merge) {
      const { uploaded, existing, mode, signal } = merge;
      const [before, arrived] = [await store.open(existing.value), await uploaded.blob.open()];
      const lent: Lent<CopyableEntry>[] = [];
      const toCopy = async (blob: Blob, id: string) => {
        const one = await shelf.toCopy(blob, { id, signal });
        lent.push(one);
        return one.archive;
      };
      try {
        if (!before) return undefined;
        const [older, newer] = [
          await toCopy(before, existing.value.id),
          await toCopy(arrived, uploaded.blob.id),
        ];
        return await publishParts(deps, merge, await mergedUpload(older, newer, mode), { signal });
      } finally {
        for (const { release } of lent) release();
        await before?.close();
        await arrived.close();
      }
    },
  };
}
