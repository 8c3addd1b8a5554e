import type { Readable } from 'node:stream';
import type { PackageFile } from '../../interfaces/package.js';
import type { Blob } from '../../interfaces/storage.js';
import { BadRequest } from '../../model/errors.js';
import { arrivingArchives } from './archive/arriving.js';
import { fileStream } from './archive/file-stream.js';
import type { ArchiveLimits } from './archive/limits.js';
import type { ArchiveShelf } from './archive/shelf.js';
import { unpackable } from './archive/unpackable.js';
import { type ConfigProperty, defaultXmlLimits, parseConfiguration } from './config-xml.js';
import { checkedSegment, manifestName, maxManifestBytes, parseManifest } from './manifest.js';
import { filesIn } from './package-content.js';

/** Archives of another kind of package, by the same rules. */
export interface PackageArchives {
  readonly maxBytes: number;
  /** What comes in, checked entry by entry; it fails with `BadRequest` naming the entry that no package may hold. */
  checked(content: Readable, signal: AbortSignal): Readable;
  /** The blob is its opener's to close, after the files. `id`: the same is the same content. */
  open(blob: Blob, id: string, signal: AbortSignal): Promise<PackagedFiles>;
  /** The whole archive, as `PackageContent.archive` gives it. */
  unpackable(blob: Blob, id: string): Readable;
  /** The value of an attribute that becomes part of addresses; throws `BadRequest` when it can't. */
  checkedName(attribute: string, value: string): string;
}

export interface PackagedFiles {
  /** In the order of the archive; without directories. */
  readonly files: readonly PackageFile[];
  /** `undefined` for a file that is not there; rejects with `TooLarge`. */
  read(file: string, maxBytes: number): Promise<Buffer | undefined>;
  /** As it comes; fails with `NotFound`. */
  stream(file: string): Readable;
  /** Main attributes by their names in lower case; rejects with `BadRequest` when there is no manifest. */
  manifest(): Promise<ReadonlyMap<string, string>>;
  /** Of a file that is not there: none. */
  properties(file: string): Promise<readonly ConfigProperty[]>;
  close(): void;
}

export function createPackageArchives({
  limits,
  shelf,
}: {
  limits: ArchiveLimits;
  shelf: ArchiveShelf;
}): PackageArchives {
  const arriving = arrivingArchives();
  return {
    maxBytes: limits.maxBytes,
    checked: (content, signal) => arriving.checkedWhileArriving(content, { limits, signal }).content,
    unpackable: (blob, id) => unpackable(shelf, blob, id),
    checkedName: checkedSegment,

    async open(blob, id, signal) {
      const { archive, release } = await shelf.whole(blob, { id, signal });
      const read = async (file: string, maxBytes: number) => {
        const entry = archive.entry(file);
        return entry && archive.read(entry, maxBytes);
      };
      return {
        files: filesIn(archive),
        read,
        stream: (file) => fileStream(async () => archive, file, 'file in the package'),
        close: release,
        async manifest() {
          const content = await read(manifestName, maxManifestBytes);
          if (!content)
            throw new BadRequest('NOT_A_PACKAGE', `There is no ${manifestName}: this is not a package`);
          return parseManifest(content);
        },
        async properties(file) {
          const content = await read(file, defaultXmlLimits.maxBytes);
          return content ? parseConfiguration(content, file) : [];
        },
      };
    },
  };
}
