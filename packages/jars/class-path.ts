import type { JarSource } from 'headgate/driver-kit';
import type { JarProblems } from './problems.js';

interface ClassPath {
  /** Of `app/`, which may hold applications. */
  readonly appJars: readonly string[];
  /** The others, in the order of the manifest. */
  readonly libraries: readonly string[];
}

/** The jars of a package in the order in which the engine looks for classes in them (engine: `AppPackage`). */
export function classPathOf(
  { files }: JarSource,
  classPath: readonly string[],
  maxJars: number,
  problems: JarProblems,
): ClassPath {
  const jars = files.map(({ name }) => name).filter((name) => name.endsWith('.jar'));
  const appJars = jars.filter((name) => /^app\/[^/]+$/.test(name)).sort();
  const seen = new Set(appJars);
  const libraries: string[] = [];
  for (const path of classPath) {
    const isWanted = matcher(path);
    const found = jars.filter(isWanted).sort();
    if (found.length === 0 && path.endsWith('.jar') && !path.includes('*')) {
      problems.add(path, 'the manifest names it in its Class-Path, but the package does not hold it');
    }
    for (const jar of found) {
      if (!seen.has(jar)) libraries.push(jar);
      seen.add(jar);
    }
  }
  const room = Math.max(0, maxJars - appJars.length);
  const [tooMany] = libraries.slice(room);
  if (tooMany !== undefined) {
    problems.add(tooMany, `it and what follows is left out: more than ${maxJars} jars are not looked at`);
  }
  return { appJars, libraries: libraries.slice(0, room) };
}

/** An entry may end in a wildcard: `lib/*.jar`, `lib/*`. */
function matcher(path: string): (name: string) => boolean {
  const entry = path.replace(/^(\.?\/)+/, '');
  const [, folder = '', file = ''] = /^(.*\/)?([^/]*)$/.exec(entry) ?? [];
  const [before = '', ...after] = file.split('*');
  if (after.length === 0) return (name) => name === entry;
  const end = after.at(-1) ?? '';
  return (name) => {
    const rest = name.startsWith(folder) ? name.slice(folder.length) : '/';
    return !rest.includes('/') && rest.startsWith(before) && rest.endsWith(end);
  };
}
