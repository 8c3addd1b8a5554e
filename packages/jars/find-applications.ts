import type { ClassApplication, TimeSlice } from 'headgate/driver-kit';
import { flag, has } from './class-file.js';
import type { ClassIndex } from './class-index.js';
import { classEntryName, type JarShelf } from './jar.js';
import { isProvided } from './platform-types.js';
import type { TypeNode } from './type-graph.js';

const streamingApplication = 'com.datatorrent.api.StreamingApplication';
const annotation = 'com.datatorrent.api.annotation.ApplicationAnnotation';

/** Classes of jars in `app/` that make applications, in the order of jars and names; then the jars that can't be read. */
export async function findApplications(
  appJars: readonly string[],
  shelf: JarShelf,
  index: ClassIndex,
  slice: TimeSlice,
): Promise<ClassApplication[]> {
  const found: (TypeNode & { readonly jar: string })[] = [];
  for (const node of index.graph.nodes()) {
    if (slice.isOver()) await slice.next();
    const { jar } = node;
    if (jar === undefined || !appJars.includes(jar) || has(node, flag.abstract)) continue;
    if (index.graph.isA(node.name, streamingApplication)) found.push({ ...node, jar });
  }
  await index.load(
    found.map(({ name }) => name),
    slice,
  );
  const unreadable = appJars.flatMap((jar) => unreadableJar(jar, shelf.fault(jar)));
  const applications = found
    .sort((a, b) => (`${a.jar}\0${a.name}` < `${b.jar}\0${b.name}` ? -1 : 1))
    .map(({ name, jar }) => application(name, jar, index));
  return [...applications, ...unreadable];
}

/** Nobody knows which applications it holds, so it stands for them. */
export function unreadableJar(jar: string, error: string | undefined): ClassApplication[] {
  const file = fileOf(jar);
  return error === undefined ? [] : [{ name: file, displayName: file, className: '', file, error }];
}

export const fileOf = (jar: string): string => jar.replace(/^app\//, '');

function application(className: string, jar: string, index: ClassIndex): ClassApplication {
  const told = index.details(className)?.annotations.get(annotation)?.get('name');
  const name = typeof told === 'string' && told !== '' ? told : classEntryName(className);
  const missing = index.graph.missing(className);
  return {
    name,
    displayName: name,
    className,
    file: fileOf(jar),
    ...(missing === undefined
      ? {}
      : { error: `${className} needs ${missing}, which is in no jar of the package` }),
  };
}

/** Ancestors of classes in these jars that no jar that was read holds: they may make applications of them. */
export async function missingAncestors(
  appJars: readonly string[],
  { graph }: ClassIndex,
  slice: TimeSlice,
): Promise<Set<string>> {
  const missing = new Set<string>();
  for (const { name, jar, flags } of graph.nodes()) {
    if (slice.isOver()) await slice.next();
    if (jar === undefined || !appJars.includes(jar) || has({ flags }, flag.abstract)) continue;
    for (const ancestor of graph.ancestors(name)) {
      if (!graph.node(ancestor) && !isProvided(ancestor)) missing.add(ancestor);
    }
  }
  return missing;
}
