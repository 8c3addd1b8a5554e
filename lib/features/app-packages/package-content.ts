import type { PackageContent, PackageFile } from '../../interfaces/package.js';
import type { Archive } from './archive/reader.js';
import type { OpenPackage } from './open-package.js';

/** A package as drivers are given it. Valid as long as the package is open. */
export async function packageContent({
  stored,
  whole,
  read,
  open,
  unpackable,
}: OpenPackage): Promise<PackageContent> {
  const { owner, name, version, digest } = stored;
  return {
    owner,
    name,
    version,
    digest,
    files: filesIn(await whole()),
    read,
    open,
    archive: unpackable,
  };
}

/** In the order of the archive; without directories. */
export const filesIn = ({ entries }: Archive): readonly PackageFile[] =>
  entries.filter(({ name }) => !name.endsWith('/')).map(({ name, size }) => ({ name, size }));
