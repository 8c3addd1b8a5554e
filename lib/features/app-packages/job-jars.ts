import { BadRequest, TooLarge } from '../../model/errors.js';
import { owned } from '../../runtime/owned.js';
import type { StagedBlob } from '../../storage/named-blobs.js';
import type { ArchiveLimits } from './archive/limits.js';
import type { ArchiveShelf } from './archive/shelf.js';
import { longAgo, storedPart } from './archive/stored-part.js';
import { writeArchive } from './archive/writer.js';
import { readingOwn } from './described-packages.js';
import { checkedSegment, checkedVersion, manifestName, maxManifestBytes, parseManifest } from './manifest.js';
import type { PackagePublishing } from './publishing.js';
import type { PackageContents } from './stored.js';

/** Jars that come alone, for engines that run what is in them. */
interface JobJars {
  /**
   * Stages the package that a jar is taken for: it is the one file of `app/`, as it came. Resolves `undefined` for what is a package
   * itself. Rejects with `BadRequest` for a jar without a name or a version, saying where it may have them.
   */
  asPackage(
    staged: StagedBlob,
    fileName: string | undefined,
    signal: AbortSignal,
  ): Promise<StagedBlob | undefined>;
  /** Throws `BadRequest` for a package of a jar in which nothing can be started. */
  requirePrograms(contents: PackageContents): void;
}

/** Sizes of entries without the records of larger archives. */
const maxJarBytes = 0xffff_fffe;

export function createJobJars(deps: {
  readonly store: Pick<PackagePublishing, 'stage'>;
  readonly shelf: ArchiveShelf;
  readonly limits: ArchiveLimits;
  /** There is a reader of jars. */
  readonly reads: boolean;
}): JobJars {
  const { store, shelf, limits } = deps;

  const manifestOf = async (staged: StagedBlob, signal: AbortSignal) =>
    readingOwn(shelf, await staged.open(), { id: staged.id, signal }, async (archive) => {
      const entry = archive.entry(manifestName);
      return entry ? parseManifest(await archive.read(entry, maxManifestBytes)) : new Map<string, string>();
    });

  return {
    async asPackage(staged, fileName, signal) {
      const manifest = await manifestOf(staged, signal);
      if ([...manifest.keys()].some((name) => name.startsWith('dt-app-package-'))) return undefined;
      if (staged.size > maxJarBytes) throw new TooLarge('The jar', maxJarBytes);
      const { name, version } = nameOfJar(manifest, fileName);
      const file = `app/${`${name}-${version}`.replaceAll(/[^\w.+-]+/g, '-')}.jar`;
      const jar = await staged.open();
      try {
        const content = Buffer.from(manifestFor(name, version, file));
        const parts = [
          { name: manifestName, content, modified: longAgo },
          await storedPart({ name: file, size: jar.size, open: () => owned(jar.stream()) }, signal),
        ];
        return await store.stage(writeArchive(parts, { limits, signal }), { signal });
      } finally {
        await jar.close();
      }
    },

    requirePrograms({ applications }) {
      if (applications.length > 0) return;
      const why = deps.reads
        ? 'no class in it has a public static void main(String[])'
        : 'the gateway reads no jars: createGateway({ packages: { jars } }) takes jarReader() of @headgate/jars';
      throw new BadRequest(
        'NOT_A_PACKAGE',
        `This is neither an application package (META-INF/MANIFEST.MF lacks DT-App-Package-Name) nor a jar that can be launched: ${why}`,
      );
    },
  };
}

const manifestFor = (name: string, version: string, file: string): string =>
  [
    'Manifest-Version: 1.0',
    `DT-App-Package-Name: ${name}`,
    `DT-App-Package-Version: ${version}`,
    `Class-Path: ${file}`,
    '',
    '',
  ].join('\r\n');

/** What its manifest says, where that can name a package; else `name-1.0.jar`. */
function nameOfJar(
  manifest: ReadonlyMap<string, string>,
  fileName = '',
): { readonly name: string; readonly version: string } {
  const [, fileTitle, fileVersion] = /^(.+?)-(\d[^/\\]*)\.jar$/i.exec(fileName) ?? [];
  const title = fit(manifest.get('implementation-title'), checkedSegment) ?? fit(fileTitle, checkedSegment);
  const version =
    fit(manifest.get('implementation-version'), checkedVersion) ?? fit(fileVersion, checkedVersion);
  if (title !== undefined && version !== undefined) return { name: title, version };
  const missing = [
    ...(title === undefined ? ['Implementation-Title'] : []),
    ...(version === undefined ? ['Implementation-Version'] : []),
  ];
  throw new BadRequest(
    'NOT_A_PACKAGE',
    `This is no application package, and as a jar it does not say which it is: its manifest lacks ${missing.join(' and ')} that can name a package. Add them, or send the jar in a form as a file named like job-1.0.jar`,
    { missing },
  );
}

function fit(
  value: string | undefined,
  checked: (attribute: string, value: string) => string,
): string | undefined {
  const text = value?.trim() ?? '';
  try {
    return text === '' ? undefined : checked('', text);
  } catch {
    return undefined;
  }
}
