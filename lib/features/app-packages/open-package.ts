import type { Readable } from 'node:stream';
import type { Blob } from '../../interfaces/storage.js';
import type { Access } from '../../model/acl.js';
import { NotFound } from '../../model/errors.js';
import type { Kept } from '../../storage/collection.js';
import { fileStream } from './archive/file-stream.js';
import { isOwnFile } from './archive/own-files.js';
import type { Archive, ArchiveEntry, CopyableArchive } from './archive/reader.js';
import type { ArchiveShelf, Lent } from './archive/shelf.js';
import { unpackable } from './archive/unpackable.js';
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
  /** What the gateway itself reads in it. Each of these is read when it is first asked for. */
  own(): Promise<Archive>;
  /** All entries. */
  whole(): Promise<Archive>;
  /** All entries, for another archive to have them. */
  toCopy(): Promise<CopyableArchive>;
  /** A whole file of it. Rejects with `NotFound`, and with `TooLarge` when it has more than `maxBytes`. */
  read(file: string, maxBytes: number): Promise<Buffer>;
  /** As `PackageContent` has it; so is what follows. */
  open(file: string): Readable;
  unpackable(): Readable;
}

/** Whoever opened it closes it. */
interface OpenedPackage extends OpenPackage {
  close(): Promise<void>;
}

export const packageLabel = ({ owner, name, version }: PackageRef): string => `${owner}/${name}/${version}`;

/** `undefined` when the package is another one by now. */
export async function openPackage(
  { store, shelf }: { store: PackageStore; shelf: ArchiveShelf },
  { kept, access }: FoundPackage,
  signal: AbortSignal,
): Promise<OpenedPackage | undefined> {
  const { value: stored } = kept;
  const contents = await store.contents(stored);
  const blob = contents && (await store.open(stored));
  if (!blob) return undefined;
  const { id } = stored;
  const own = once(() => shelf.own(blob, { id, signal }));
  const whole = once(() => shelf.whole(blob, { id, signal }));
  const toCopy = once(() => shelf.toCopy(blob, { id, signal }));
  const pkg = {
    own: async () => (await own.get()).archive,
    whole: async () => (await whole.get()).archive,
    toCopy: async () => (await toCopy.get()).archive,
  };
  return {
    stored,
    access,
    contents,
    blob,
    ...pkg,
    unpackable: () => unpackable(shelf, blob, id),
    open: (file) => fileStream(pkg.whole, file, `file in ${packageLabel(stored)}`),
    async read(file, maxBytes) {
      const found = isOwnFile(file) ? await pkg.own() : await pkg.whole();
      const entry = found.entry(file);
      if (!entry) throw new NotFound(`file in ${packageLabel(stored)}`, file);
      return found.read(entry, maxBytes);
    },
    async close() {
      await Promise.all([own.release(), whole.release(), toCopy.release()]);
      await blob.close();
    },
  };
}

function once<E extends ArchiveEntry>(open: () => Promise<Lent<E>>) {
  let opening: Promise<Lent<E>> | undefined;
  return {
    get() {
      opening ??= open();
      return opening;
    },
    release: async () => (await opening?.catch(() => undefined))?.release(),
  };
}
