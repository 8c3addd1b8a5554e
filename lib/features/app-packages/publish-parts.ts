import type { Kept } from '../../storage/collection.js';
import type { ArchiveLimits } from './archive/limits.js';
import type { ArchivePart } from './archive/part.js';
import { writeArchive } from './archive/writer.js';
import type { ReadBefore } from './kept-contents.js';
import type { PackagePublishing } from './publishing.js';
import type { PackageRef } from './schema.js';
import type { StoredPackage } from './stored.js';

/**
 * Writes an archive of these parts and makes it the package in place of `existing`; resolves `undefined` when that has
 * changed meanwhile. `like`: what it was made from, as `inspect` has it.
 */
export async function publishParts(
  { store, limits }: { readonly store: PackagePublishing; readonly limits: Partial<ArchiveLimits> },
  { ref, existing }: { readonly ref: PackageRef; readonly existing: Kept<StoredPackage> },
  parts: readonly ArchivePart[],
  options: { readonly signal: AbortSignal; readonly like?: ReadBefore },
): Promise<StoredPackage | undefined> {
  const { signal } = options;
  const staged = await store.stage(writeArchive(parts, { limits, signal }), { signal });
  try {
    return await store.publish(ref, await store.inspect(staged, options), existing);
  } finally {
    await staged.release();
  }
}
