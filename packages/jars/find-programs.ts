import {
  type Archive,
  type ClassApplication,
  manifestName,
  maxManifestBytes,
  parseManifest,
  type TimeSlice,
} from 'headgate/driver-kit';
import { type ClassFile, flag, has } from './class-file.js';
import type { ClassReader } from './class-reader.js';
import { fileOf, unreadableJar } from './find-applications.js';
import { classEntryName, isClass, type JarShelf } from './jar.js';

interface Finding {
  readonly shelf: JarShelf;
  readonly classes: ClassReader;
  readonly maxPrograms: number;
}

/**
 * Classes of jars in `app/` that are started by their `main`, each once: of each jar those that its manifest names, in its order, then
 * those that have one, by their names; then the jars that can't be read. What is named and not there has an error.
 */
export async function findPrograms(
  appJars: readonly string[],
  { shelf, classes, maxPrograms }: Finding,
  slice: TimeSlice,
): Promise<ClassApplication[]> {
  const found = new Map<string, ClassApplication>();
  for (const jar of appJars) {
    const archive = await shelf.open(jar);
    if (!archive) continue;
    const named = await namedPrograms(archive);
    for (const name of [...named, ...(await withMain(jar, archive, classes, slice))]) {
      if (found.has(name) || found.size >= maxPrograms) continue;
      const isThere = archive.entry(classEntryName(name)) !== undefined;
      found.set(name, program(name, jar, isThere));
    }
  }
  return [...found.values(), ...appJars.flatMap((jar) => unreadableJar(jar, shelf.fault(jar)))];
}

const program = (className: string, jar: string, isThere: boolean): ClassApplication => ({
  name: className,
  displayName: className.slice(className.lastIndexOf('.') + 1),
  className,
  file: fileOf(jar),
  ...(isThere ? {} : { error: `the manifest of the jar names ${className}, which is not in it` }),
});

const className = /^[\p{L}\p{N}_$]+(?:\.[\p{L}\p{N}_$]+)*$/u;

/** As Flink looks for them: a manifest may name several. One that can't be read names none. */
async function namedPrograms(archive: Archive): Promise<string[]> {
  const entry = archive.entry(manifestName);
  if (!entry) return [];
  try {
    const attributes = parseManifest(await archive.read(entry, maxManifestBytes));
    const named = attributes.get('program-class') ?? attributes.get('main-class') ?? '';
    return named
      .split(',')
      .map((name) => name.trim())
      .filter((name) => className.test(name));
  } catch {
    return [];
  }
}

async function withMain(
  jar: string,
  archive: Archive,
  classes: ClassReader,
  slice: TimeSlice,
): Promise<string[]> {
  const found: string[] = [];
  for (const entry of archive.entries) {
    if (slice.isOver()) await slice.next();
    if (!isClass(entry)) continue;
    if (!classes.hasRoom(jar, entry)) break;
    const name = await classes.read(jar, entry, (type) => (hasMain(type) ? type.name : ''));
    if (name) found.push(name);
  }
  return found.sort();
}

const hasMain = (type: ClassFile): boolean =>
  has(type, flag.public) &&
  type.methods.some(
    (method) =>
      method.name === 'main' &&
      method.descriptor === '([Ljava/lang/String;)V' &&
      has(method, flag.public) &&
      has(method, flag.static),
  );
