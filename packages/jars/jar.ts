import { Readable } from 'node:stream';
import {
  type Archive,
  type ArchiveEntry,
  type Blob,
  type JarSource,
  openArchive,
  owned,
} from 'headgate/driver-kit';
import { faultOf, type JarProblems } from './problems.js';

/** Opens jars of a package. Those that were opened last stay in memory; a large one is read where it lies. */
export interface JarShelf {
  /** `undefined` for a jar that can't be read, which is told as a problem once. */
  open(file: string): Promise<Archive | undefined>;
  /** Why a jar can't be read. */
  fault(file: string): string | undefined;
}

/** Of a jar: what is listed of them takes memory besides its bytes. */
const maxEntries = 200_000;

/** Bytes of jars that stay in memory to be read again. */
const keptBytes = 32 * 1024 ** 2;

export function jarShelf(source: JarSource, maxJarBytes: number, problems: JarProblems): JarShelf {
  const kept = new Map<string, { archive: Archive; size: number }>();
  const broken = new Map<string, string>();
  const sizes = new Map(source.files.map(({ name, size }) => [name, size]));

  function keep(file: string, archive: Archive, size: number): void {
    kept.set(file, { archive, size });
    let total = 0;
    for (const { size } of kept.values()) total += size;
    for (const [oldest, { size }] of kept) {
      if (total <= keptBytes) break;
      kept.delete(oldest);
      total -= size;
    }
  }

  return {
    async open(file) {
      const before = kept.get(file);
      if (before || broken.has(file)) return before?.archive;
      try {
        const isLarge = (sizes.get(file) ?? 0) > maxJarBytes;
        // Only what is listed of it takes memory.
        const place = isLarge ? await source.stored?.(file) : undefined;
        const archive = await openArchive(place ?? inMemory(await source.read(file, maxJarBytes)), {
          maxEntries,
        });
        keep(file, archive, place ? 0 : (sizes.get(file) ?? 0));
        return archive;
      } catch (error) {
        const fault = `it can't be read: ${faultOf(error)}`;
        broken.set(file, fault);
        problems.add(file, fault);
        return undefined;
      }
    },
    fault: (file) => broken.get(file),
  };
}

const inMemory = (bytes: Buffer): Blob => ({
  size: bytes.length,
  digest: '',
  read: async (position, length) => bytes.subarray(position, position + length),
  stream: ({ start = 0, end } = {}) => owned(Readable.from([bytes.subarray(start, end)])),
  close: async () => {},
});

/** Classes that a class path finds under their names: none for newer Javas only, none of modules. */
export const isClass = ({ name }: ArchiveEntry): boolean =>
  name.endsWith('.class') &&
  !name.startsWith('META-INF/') &&
  !/(^|\/)(module|package)-info\.class$/.test(name);

export const isJavadoc = ({ name }: ArchiveEntry): boolean => name.endsWith('-javadoc.xml');

export const classEntryName = (className: string): string => `${className.replaceAll('.', '/')}.class`;
