import type { PackageContent } from '../../interfaces/package.js';
import type { OpenPackage } from './open-package.js';

/** A package as drivers are given it. Valid as long as the package is open. */
export async function packageContent({
  stored,
  whole,
  read,
  unpackable,
}: OpenPackage): Promise<PackageContent> {
  const { owner, name, version, digest } = stored;
  const { entries } = await whole();
  const files = entries.filter((entry) => !entry.name.endsWith('/'));
  return {
    owner,
    name,
    version,
    digest,
    files: files.map(({ name, size }) => ({ name, size })),
    read,
    archive: unpackable,
  };
}
