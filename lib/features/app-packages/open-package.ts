import type { Access } from '../../core/acl.js';
import type { Kept } from '../../core/collection.js';
import { NotFound } from '../../core/errors.js';
import type { Blob } from '../../interfaces/storage.js';
import { type Archive, openArchive } from './archive/reader.js';
import type { PackageRef } from './schema.js';
import type { PackageStore } from './store.js';
import type { PackageContents, StoredPackage } from './stored.js';

/** A package that somebody may see. */
export interface FoundPackage {
  readonly kept: Kept<StoredPackage>;
  readonly access: Exclude<Access, 'none'>;
}

/** One state of a package. It stays what it is while it is used, whatever happens to the package meanwhile. */
export interface OpenPackage {
  readonly stored: StoredPackage;
  readonly access: Exclude<Access, 'none'>;
  readonly contents: PackageContents;
  readonly blob: Blob;
  /** Read when it is first asked for. */
  archive(): Promise<Archive>;
  /** A whole file of it. Rejects with `NotFound`, and with `TooLarge` when it has more than `maxBytes`. */
  read(file: string, maxBytes: number): Promise<Buffer>;
}

export const packageLabel = ({ owner, name, version }: PackageRef): string => `${owner}/${name}/${version}`;

/** `undefined` when the package is another one by now. The opener closes the blob. */
export async function openPackage(
  store: PackageStore,
  { kept, access }: FoundPackage,
): Promise<OpenPackage | undefined> {
  const contents = await store.contents(kept.value);
  const blob = contents && (await store.open(kept.value));
  if (!blob) return undefined;
  let opening: Promise<Archive> | undefined;
  const archive = () => {
    opening ??= openArchive(blob);
    return opening;
  };
  return {
    stored: kept.value,
    access,
    contents,
    blob,
    archive,
    async read(file, maxBytes) {
      const found = await archive();
      const entry = found.entry(file);
      if (!entry) throw new NotFound(`file in ${packageLabel(kept.value)}`, file);
      return found.read(entry, maxBytes);
    },
  };
}
