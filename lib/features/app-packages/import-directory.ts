import { type FileHandle, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { Logger } from '../../interfaces/logger.js';
import { BadRequest, NotFound } from '../../model/errors.js';
import { mapLimited } from '../../runtime/map-limited.js';
import { owned } from '../../runtime/owned.js';
import { isMissing } from '../../runtime/whole-files.js';
import { defaultArchiveLimits } from './archive/limits.js';
import { type ArchiveSource, openArchive } from './archive/reader.js';
import { manifestName, maxManifestBytes, packageManifest, parseManifest } from './manifest.js';
import type { ImportablePackage } from './schema.js';

/** The directory of the host from which packages may be taken: `docs/decisions.md`, One folder of imports. */
interface ImportDirectory {
  /** By name. A file that is no package is left out and logged. */
  list(): Promise<ImportablePackage[]>;
  /** Rejects with `BadRequest` for a name that leads elsewhere, with `NotFound` for a file that is not there. */
  open(file: string): Promise<Readable>;
}

const isCandidate = (file: string): boolean => /^[^.].*\.(apa|jar|zip)$/i.test(file);
/** Files looked at for one list, and at once. */
const maxFiles = 1000;
const readsAtOnce = 4;

/** `present`: the directory of this moment. */
export function createImportDirectory(present: () => string | undefined, logger: Logger): ImportDirectory {
  async function describe(directory: string, file: string): Promise<ImportablePackage | undefined> {
    try {
      return await describedIn(join(directory, file), file);
    } catch (err) {
      logger.warn(
        { event: 'packages.import_file_invalid', file, err },
        'a file in the directory of importable packages is none',
      );
      return undefined;
    }
  }

  return {
    async list() {
      const directory = present();
      if (directory === undefined) return [];
      const files = (await namesIn(directory, logger)).filter(isCandidate).sort().slice(0, maxFiles);
      const found = await mapLimited(files, readsAtOnce, (file) => describe(directory, file));
      return found.filter((pkg) => pkg !== undefined);
    },

    async open(file) {
      if (/[/\\\0]/.test(file) || file === '.' || file === '..') {
        throw new BadRequest(
          'NAME_NOT_VALID',
          `${JSON.stringify(file)} is not the name of a file in the import directory`,
        );
      }
      const directory = present();
      if (directory === undefined || !isCandidate(file)) throw new NotFound('importable package', file);
      const handle = await opened(join(directory, file));
      if (!handle) throw new NotFound('importable package', file);
      return owned(handle.createReadStream());
    },
  };
}

async function namesIn(directory: string, logger: Logger): Promise<string[]> {
  try {
    return await readdir(directory);
  } catch (err) {
    logger.error(
      { event: 'packages.import_directory_unreadable', directory, err },
      'the directory of importable packages can not be read',
    );
    return [];
  }
}

/** `undefined` when there is no such file. Links are followed: whoever may make them may put the file there. */
async function opened(path: string): Promise<FileHandle | undefined> {
  const handle = await open(path).catch(undefinedIfMissing);
  if (!handle || (await handle.stat()).isFile()) return handle;
  await handle.close();
  return undefined;
}

function undefinedIfMissing(error: unknown): undefined {
  if (isMissing(error)) return undefined;
  throw error;
}

async function describedIn(path: string, file: string): Promise<ImportablePackage | undefined> {
  const handle = await opened(path);
  if (!handle) return undefined;
  try {
    const archive = await openArchive(sourceOf(handle, (await handle.stat()).size), {
      maxDirectoryBytes: defaultArchiveLimits.maxDirectoryBytes,
      wanted: (name) => name === manifestName,
    });
    const entry = archive.entry(manifestName);
    if (!entry) throw new BadRequest('NOT_A_PACKAGE', `It holds no ${manifestName}`);
    const manifest = packageManifest(parseManifest(await archive.read(entry, maxManifestBytes)));
    const { appPackageName: name, appPackageVersion: version } = manifest;
    const { appPackageDisplayName: displayName = name, appPackageDescription: description = '' } = manifest;
    return { file, name, displayName, version, description };
  } finally {
    await handle.close();
  }
}

const sourceOf = (handle: FileHandle, size: number): ArchiveSource => ({
  size,
  async read(position, length) {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, position);
    return buffer.subarray(0, bytesRead);
  },
  stream: () => owned(Readable.from([])),
});
