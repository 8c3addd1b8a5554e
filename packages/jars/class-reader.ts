import type { ArchiveEntry } from 'headgate/driver-kit';
import { type ClassFile, parseClassFile } from './class-file.js';
import { classEntryName, type JarShelf } from './jar.js';
import type { JarLimits } from './limits.js';
import { faultOf, type JarProblems } from './problems.js';

/** Reads classes of jars within the limits; what can't be read is a problem of its jar. */
export interface ClassReader {
  /** Counts a class that is about to be read for the first time; `false`: it would be one too many. */
  hasRoom(jar: string, entry: ArchiveEntry): boolean;
  /** `undefined` for a class that can't be read, or lies where no class path finds it. */
  read<T>(jar: string, entry: ArchiveEntry, of: (type: ClassFile) => T): Promise<T | undefined>;
}

export function createClassReader(deps: {
  readonly shelf: JarShelf;
  readonly limits: JarLimits;
  readonly problems: JarProblems;
}): ClassReader {
  const { shelf, limits, problems } = deps;
  let classes = 0;
  let inflated = 0;

  const leaveOutRest = (jar: string, what: string) =>
    problems.add(jar, `the rest of it is left out: more than ${what} are not looked at`);

  return {
    hasRoom(jar, { size }) {
      if (classes >= limits.maxClasses) {
        leaveOutRest(jar, `${limits.maxClasses} classes`);
        return false;
      }
      if (inflated + size > limits.maxInflatedBytes) {
        leaveOutRest(jar, `${limits.maxInflatedBytes} bytes of classes`);
        return false;
      }
      classes++;
      inflated += size;
      return true;
    },

    async read(jar, entry, of) {
      try {
        const archive = await shelf.open(jar);
        if (!archive) return undefined;
        const type = parseClassFile(await archive.read(entry, limits.maxClassBytes));
        return classEntryName(type.name) === entry.name ? of(type) : undefined;
      } catch (error) {
        problems.add(jar, `${entry.name} is left out: ${faultOf(error)}`);
        return undefined;
      }
    },
  };
}
