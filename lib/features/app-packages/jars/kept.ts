import { z } from 'zod';
import { JarContents } from './discovery.js';

/** Raise it when more, or something else, is read out of jars: what was kept by another format is read anew. */
export const jarsFormat = 1;

/** By the id of the package's blob. */
export const StoredJarContents = z.object({ format: z.number(), contents: JarContents });

/** Characters of JSON that may be kept of the jars of one package: what storage takes as a document, with some room. */
const maxLength = 3 * 1024 * 1024;

/** Long texts go first, then what is told of types, then the last operators. */
export function fitted(contents: JarContents): JarContents {
  const isTooLong = (value: JarContents) => JSON.stringify(value).length > maxLength;
  if (!isTooLong(contents)) return contents;
  const short = { ...contents, classes: contents.classes.map(({ longDesc: _, ...operator }) => operator) };
  if (!isTooLong(short)) return short;
  const bare = { ...short, types: {}, operatorTypes: [] };
  const lengths = bare.classes.map((operator) => JSON.stringify(operator).length);
  let room = maxLength - JSON.stringify({ ...bare, classes: [] }).length;
  const classes = bare.classes.filter((_, i) => {
    room -= (lengths[i] ?? 0) + 1;
    return room >= 0;
  });
  const left = bare.classes.length - classes.length;
  const message = `${left} operators are left out: all that is told of them is longer than ${maxLength} characters`;
  return left === 0
    ? bare
    : { ...bare, classes, problems: [...bare.problems, { file: bare.classes.at(-1)?.jar ?? '', message }] };
}
