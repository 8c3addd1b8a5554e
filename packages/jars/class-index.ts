import type { TimeSlice } from 'headgate/driver-kit';
import { type ClassDetails, classDetails } from './class-details.js';
import { createClassReader } from './class-reader.js';
import { engineClasses } from './engine-classes.js';
import { classEntryName, isClass, type JarShelf } from './jar.js';
import type { JarLimits } from './limits.js';
import type { Classes } from './lineage.js';
import type { JarProblems } from './problems.js';
import { createTypeGraph, typeNode } from './type-graph.js';

/**
 * The classes of the jars: where each stands among the others is kept of all of them, what is in them only of those that
 * are asked for.
 */
export interface ClassIndex extends Classes {
  /** Adds all classes of a jar. */
  addJar(jar: string, slice: TimeSlice): Promise<void>;
  /** Adds these classes from whichever of the jars holds them, then what they descend from, and so on. */
  addAncestors(names: Iterable<string>, jars: readonly string[], slice: TimeSlice): Promise<void>;
  /** Reads these classes and their ancestors, so that `details` knows them. */
  load(names: Iterable<string>, slice: TimeSlice): Promise<void>;
}

/** How often jars are gone through for ancestors: once for each time that a line of them comes back to an earlier jar. */
const maxRounds = 10;

export function createClassIndex(deps: {
  shelf: JarShelf;
  limits: JarLimits;
  problems: JarProblems;
}): ClassIndex {
  const { shelf } = deps;
  const reader = createClassReader(deps);
  const known = engineClasses();
  const graph = createTypeGraph([...known.values()].map((type) => typeNode(type)));
  const loaded = new Map<string, ClassDetails | undefined>();

  async function loadOne(name: string): Promise<ClassDetails | undefined> {
    const jar = graph.node(name)?.jar;
    const own = jar === undefined ? known.get(name) : undefined;
    if (own) return classDetails(own);
    const entry = jar === undefined ? undefined : (await shelf.open(jar))?.entry(classEntryName(name));
    return jar === undefined || !entry ? undefined : reader.read(jar, entry, classDetails);
  }

  return {
    graph,
    details: (name) => loaded.get(name),

    async addJar(jar, slice) {
      const archive = await shelf.open(jar);
      for (const entry of archive?.entries ?? []) {
        if (slice.isOver()) await slice.next();
        if (!isClass(entry)) continue;
        if (!reader.hasRoom(jar, entry)) return;
        const node = await reader.read(jar, entry, (type) => typeNode(type, jar));
        if (node) graph.add(node);
      }
    },

    async addAncestors(names, jars, slice) {
      let wanted = new Set(names);
      let isLast = false;
      for (let round = 0; round < maxRounds && !isLast && wanted.size > 0; round++) {
        isLast = true;
        for (const jar of jars) {
          const archive = await shelf.open(jar);
          // A set is walked in the order of adding, and what is added meanwhile is walked too.
          for (const name of wanted) {
            if (slice.isOver()) await slice.next();
            const entry = graph.node(name) ? undefined : archive?.entry(classEntryName(name));
            if (!entry || !reader.hasRoom(jar, entry)) continue;
            const node = await reader.read(jar, entry, (type) => typeNode(type, jar));
            if (!node) continue;
            graph.add(node);
            isLast = false;
            for (const parent of node.parents) if (!graph.node(parent)) wanted.add(parent);
          }
        }
        wanted = new Set([...wanted].filter((name) => !graph.node(name)));
      }
    },

    async load(names, slice) {
      const wanted = new Set<string>();
      for (const name of names) {
        if (slice.isOver()) await slice.next();
        for (const type of [name, ...graph.ancestors(name)]) if (!loaded.has(type)) wanted.add(type);
      }
      // Not all jars fit into memory at once.
      for (const name of jarByJar(wanted, (name) => graph.node(name)?.jar)) {
        if (slice.isOver()) await slice.next();
        loaded.set(name, await loadOne(name));
      }
    },
  };
}

/** The names of a jar together, the jars in the order in which they are met. */
function jarByJar(names: Iterable<string>, jarOf: (name: string) => string | undefined): string[] {
  const byJar = new Map<string | undefined, string[]>();
  for (const name of names) {
    const jar = jarOf(name);
    const others = byJar.get(jar);
    if (others) others.push(name);
    else byJar.set(jar, [name]);
  }
  return [...byJar.values()].flat();
}
