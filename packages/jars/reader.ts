import { StringDecoder } from 'node:string_decoder';
import {
  createMutex,
  createSliceScheduler,
  type JarReader,
  type JarSource,
  readLimits,
  type TimeSlice,
} from 'headgate/driver-kit';
import { type ClassIndex, createClassIndex } from './class-index.js';
import { classPathOf } from './class-path.js';
import { createClassReader } from './class-reader.js';
import { type ClassText, createDocumentation, type Documentation, sourceName } from './documentation.js';
import { findApplications, missingAncestors } from './find-applications.js';
import { describeOperators, operatorCandidates } from './find-operators.js';
import { findPrograms } from './find-programs.js';
import { isJavadoc, type JarShelf, jarShelf } from './jar.js';
import { createJavadocReader } from './javadoc.js';
import { defaultJarLimits, type JarLimits } from './limits.js';
import { faultOf, type JarProblems, jarProblems } from './problems.js';
import { valueTypesOf } from './value-types.js';

/** It is kept with what was read, so that more is read of packages that were looked at before. */
const format = 2;

/** The reader that `createGateway({ packages: { jars } })` takes. What is beyond `given` is left out, and named. */
export function jarReader(given: Partial<JarLimits> = {}): JarReader {
  const limits = readLimits('jarReader', given, defaultJarLimits, 0);
  const slices = createSliceScheduler();
  const inTurn = createMutex();

  /** One after the other: each holds jars in memory. */
  function alone<T>(signal: AbortSignal, work: (slice: TimeSlice) => Promise<T>): Promise<T> {
    return slices.run(signal, (slice) =>
      inTurn(async () => {
        await slice.next();
        return work(slice);
      }),
    );
  }

  function prepare(source: JarSource, classPath: readonly string[]) {
    const problems = jarProblems(limits.maxProblems);
    const shelf = jarShelf(source, limits.maxJarBytes, problems);
    const index = createClassIndex({ shelf, limits, problems });
    return { problems, shelf, index, ...classPathOf(source, classPath, limits.maxJars, problems) };
  }

  return {
    format,
    read: (source, classPath, signal) =>
      alone(signal, async (slice) => {
        const prepared = prepare(source, classPath);
        const { problems, shelf, index, appJars, libraries } = prepared;
        const documented = await addAll(prepared, [...appJars, ...libraries], slice);
        const applications = await findApplications(appJars, shelf, index, slice);
        const candidates = await operatorCandidates(index, limits, problems, slice);
        const wanted = new Set<string>();
        for (const { name } of candidates.classes) {
          for (const type of [name, ...index.graph.ancestors(name)]) wanted.add(sourceName(type));
        }
        const documentation = await readDocumentation(documented, shelf, wanted, limits, problems, slice);
        const classes = await describeOperators(
          candidates,
          index,
          documentation,
          { limits, problems },
          slice,
        );
        const properties = classes.flatMap((operator) => operator.properties);
        const types = await valueTypesOf(properties, index, documentation, limits, slice);
        return {
          applications,
          classes,
          operatorTypes: [...candidates.types],
          types,
          problems: problems.list(),
        };
      }),

    applications: (source, classPath, signal) =>
      alone(signal, async (slice) => {
        const prepared = prepare(source, classPath);
        const { shelf, index, appJars, libraries } = prepared;
        await addAll(prepared, appJars, slice);
        await index.addAncestors(await missingAncestors(appJars, index, slice), libraries, slice);
        return findApplications(appJars, shelf, index, slice);
      }),

    programs: (source, signal) =>
      alone(signal, async (slice) => {
        const problems = jarProblems(limits.maxProblems);
        const shelf = jarShelf(source, limits.maxJarBytes, problems);
        const { appJars } = classPathOf(source, [], limits.maxJars, problems);
        const classes = createClassReader({ shelf, limits, problems });
        return findPrograms(appJars, { shelf, classes, maxPrograms: limits.maxPrograms }, slice);
      }),
  };
}

/** Resolves those that bring documentation along. */
async function addAll(
  { index, shelf }: { readonly index: ClassIndex; readonly shelf: JarShelf },
  jars: readonly string[],
  slice: TimeSlice,
): Promise<string[]> {
  const documented: string[] = [];
  for (const jar of jars) {
    await index.addJar(jar, slice);
    if ((await shelf.open(jar))?.entries.some(isJavadoc)) documented.push(jar);
  }
  return documented;
}

/** Characters that are parsed at once. */
const pieceLength = 16 * 1024;

async function readDocumentation(
  jars: readonly string[],
  shelf: JarShelf,
  wanted: ReadonlySet<string>,
  limits: JarLimits,
  problems: JarProblems,
  slice: TimeSlice,
): Promise<Documentation> {
  const texts = new Map<string, ClassText>();
  const room = { left: limits.maxTextLength };
  for (const jar of jars) {
    const archive = await shelf.open(jar);
    for (const entry of archive?.entries.filter(isJavadoc) ?? []) {
      try {
        const bytes = (await archive?.read(entry, limits.maxJavadocBytes)) ?? Buffer.alloc(0);
        const reader = createJavadocReader((name) => wanted.has(name) && !texts.has(name), room);
        const decoder = new StringDecoder('utf8');
        for (let at = 0; at < bytes.length; at += pieceLength) {
          if (slice.isOver()) await slice.next();
          reader.write(decoder.write(bytes.subarray(at, at + pieceLength)));
        }
        for (const [name, text] of reader.end()) texts.set(name, text);
      } catch (error) {
        problems.add(jar, `${entry.name} is left out: ${faultOf(error)}`);
      }
    }
  }
  return createDocumentation(texts);
}
