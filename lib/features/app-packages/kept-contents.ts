import type { JarReader } from '../../interfaces/jar-reader.js';
import type { DocumentStore, DocumentWrite } from '../../interfaces/storage.js';
import { DamagedDocument } from '../../model/errors.js';
import type { JarContents } from '../../model/jar-contents.js';
import { timeSlice } from '../../runtime/event-loop.js';
import { type Collection, collection } from '../../storage/collection.js';
import type { Archive, ArchiveEntry } from './archive/reader.js';
import { type ApplicationClasses, classApplications, readContents } from './contents.js';
import { StoredJarContents } from './kept-jars.js';
import { contentsFormat, type PackageContents, StoredContents } from './stored.js';

/** What was read out of archives, by the ids of their blobs. Blobs never change, so it holds as long as they are there. */
export interface KeptContents {
  /** `undefined` when nothing was kept, or by another version of the gateway. */
  get(id: string): Promise<PackageContents | undefined>;
  jars(id: string): Promise<JarContents | undefined>;
  /** Of what is read now. What was kept by another version of the gateway, or by another reader of jars, is read anew. */
  readonly format: number;
  read(archive: Archive): Promise<PackageContents>;
  /** The same for a changed archive: jars that are in both are not read again. */
  readLike(archive: Archive, like: ReadBefore): Promise<{ contents: PackageContents; hasSameJars: boolean }>;
  /** For the batch that says whose blob it is. */
  readonly writes: {
    put(id: string, contents: PackageContents): DocumentWrite;
    putJars(id: string, contents: JarContents): DocumentWrite;
    remove(id: string): DocumentWrite[];
  };
}

/** An archive of which is known what it holds. */
export interface ReadBefore {
  readonly id: string;
  readonly contents: PackageContents;
  readonly archive: Archive;
}

/** Added to the format where other classes are applications. */
const formatOfMain = 1000;

export function createKeptContents(
  documents: DocumentStore,
  reading: { readonly jars: JarReader; readonly classes: ApplicationClasses },
): KeptContents {
  const { jars } = reading;
  const kept = collection(documents, 'app-package-contents', StoredContents);
  const keptJars = collection(documents, 'app-package-jars', StoredJarContents);
  const known = contentsFormat + (reading.classes === 'main' ? formatOfMain : 0);
  // Without a reader the classes are missing.
  const format = jars.format === 0 ? -known : known;
  const classesIn = (archive: Archive) => (path: readonly string[]) =>
    classApplications(archive, path, reading);
  const read = (archive: Archive) => readContents(archive, classesIn(archive));

  return {
    format,
    get: (id) => current(kept, id, format),
    jars: (id) => current(keptJars, id, jars.format),
    read,

    async readLike(archive, like) {
      const { manifest, applications } = like.contents;
      if (!(await haveSameJars(archive, like.archive))) {
        return { contents: await read(archive), hasSameJars: false };
      }
      let hasSameJars = true;
      const contents = await readContents(archive, async (classPath) => {
        hasSameJars = classPath.join(' ') === manifest.classPath.join(' ');
        return hasSameJars
          ? applications.filter(({ type }) => type === 'class')
          : classesIn(archive)(classPath);
      });
      return { contents, hasSameJars };
    },

    writes: {
      put: (id, contents) => kept.writes.put(id, { format, contents }),
      putJars: (id, contents) => keptJars.writes.put(id, { format: jars.format, contents }),
      remove: (id) => [kept.writes.remove(id), keptJars.writes.remove(id)],
    },
  };
}

/** What is damaged can be read again. */
async function current<T>(
  kept: Collection<{ format: number; contents: T }>,
  id: string,
  format: number,
): Promise<T | undefined> {
  const found = await kept.get(id).catch((error) => {
    if (error instanceof DamagedDocument) return undefined;
    throw error;
  });
  return found?.value.format === format ? found.value.contents : undefined;
}

async function haveSameJars(one: Archive, other: Archive): Promise<boolean> {
  const [left, right] = [await jarsIn(one), await jarsIn(other)];
  if (left.size !== right.size) return false;
  return [...left.values()].every((jar) => {
    const same = right.get(jar.name);
    return same?.size === jar.size && same.crc === jar.crc && same.compressedSize === jar.compressedSize;
  });
}

async function jarsIn(archive: Archive): Promise<Map<string, ArchiveEntry>> {
  const slice = timeSlice();
  const found = new Map<string, ArchiveEntry>();
  for (const entry of archive.entries) {
    if (/\.jar$/i.test(entry.name)) found.set(entry.name, entry);
    if (slice.isOver()) await slice.next();
  }
  return found;
}
