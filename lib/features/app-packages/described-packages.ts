import type { Blob, DocumentStore, DocumentWrite } from '../../interfaces/storage.js';
import { PreconditionFailed } from '../../model/errors.js';
import type { JarContents } from '../../model/jar-contents.js';
import { type Collection, commit, type Kept } from '../../storage/collection.js';
import type { NamedBlobs } from '../../storage/named-blobs.js';
import type { Archive } from './archive/reader.js';
import type { ArchiveShelf } from './archive/shelf.js';
import type { KeptContents } from './kept-contents.js';
import { fitted } from './kept-jars.js';
import { packageKey } from './package-names.js';
import { type PackageContents, type StoredPackage, summaryOf } from './stored.js';

/** What packages hold, as far as the gateway reads it: kept when it was read once, and read again when it was not. */
export interface DescribedPackages {
  /** Resolves `undefined` when the package is another one by now, or none. */
  contents(kept: StoredPackage): Promise<PackageContents | undefined>;
  /** What was read of the jars; `undefined` before. */
  jarContents(kept: StoredPackage): Promise<JarContents | undefined>;
  /** Resolves what is kept, as long as the package is there: what is too long is cut. */
  keepJarContents(kept: StoredPackage, contents: JarContents): Promise<JarContents>;
  /** The same document with a summary that this version of the gateway has read. */
  current(kept: Kept<StoredPackage>): Promise<Kept<StoredPackage>>;
}

export function describedPackages({
  documents,
  packages,
  kept: all,
  blobs,
  shelf,
}: {
  documents: DocumentStore;
  packages: Collection<StoredPackage>;
  kept: KeptContents;
  blobs: NamedBlobs;
  shelf: ArchiveShelf;
}): DescribedPackages {
  async function contents(stored: StoredPackage): Promise<PackageContents | undefined> {
    const kept = await all.get(stored.id);
    if (kept) return kept;
    const blob = await blobs.open(stored.id);
    if (!blob) return undefined;
    const read = await readingOwn(shelf, blob, { id: stored.id }, all.read);
    await keepWith(stored, all.writes.put(stored.id, read));
    return read;
  }

  /** Only while the package is there, so that nothing is left of it when it goes. */
  async function keepWith(stored: StoredPackage, write: DocumentWrite): Promise<void> {
    const kept = await packages.get(packageKey(stored));
    if (kept?.value.id !== stored.id) return;
    await commit(documents, [packages.writes.put(kept.key, kept.value, { ifMatch: kept.etag }), write]);
  }

  return {
    contents,
    jarContents: ({ id }) => all.jars(id),

    async keepJarContents(stored, read) {
      const kept = fitted(read);
      await keepWith(stored, all.writes.putJars(stored.id, kept));
      return kept;
    },

    async current(kept) {
      if (kept.value.format === all.format) return kept;
      const read = await contents(kept.value);
      if (!read) return kept;
      const value = { ...kept.value, format: all.format, summary: summaryOf(read) };
      const etag = await packages.put(kept.key, value, { ifMatch: kept.etag }).catch((error) => {
        if (error instanceof PreconditionFailed) return kept.etag;
        throw error;
      });
      return { ...kept, value, etag };
    },
  };
}

/** What `read` gives of an archive, of which only what the gateway itself reads is looked at; closes the blob. */
export async function readingOwn<T>(
  shelf: ArchiveShelf,
  blob: Blob,
  wanted: { readonly id: string; readonly signal?: AbortSignal },
  read: (archive: Archive) => Promise<T>,
): Promise<T> {
  try {
    const { archive, release } = await shelf.own(blob, wanted);
    try {
      return await read(archive);
    } finally {
      release();
    }
  } finally {
    await blob.close();
  }
}
