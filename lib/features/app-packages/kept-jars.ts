import * as z from 'zod';
import { JarContents } from '../../model/jar-contents.js';

/** By the id of the package's blob; `format` is the reader's. */
export const StoredJarContents = z.object({ format: z.number(), contents: JarContents });

/** Characters of JSON that may be kept of the jars of one package: more would hold up the event loop when it is read. */
const maxLength = 1024 * 1024;

const lengthOf = (value: unknown): number => JSON.stringify(value).length + 1;

/** Long texts go first, then what is told of types, then the last operators. */
export function fitted(contents: JarContents): JarContents {
  const { classes, types, operatorTypes, ...rest } = contents;
  const lengths = classes.map(lengthOf);
  const ofTypes = lengthOf(types) + lengthOf(operatorTypes);
  const room = maxLength - lengthOf(rest);
  if (sum(lengths) + ofTypes <= room) return contents;

  const short = classes.map(({ longDesc: _, ...operator }) => operator);
  const shortLengths = classes.map(({ longDesc = '' }, i) => (lengths[i] ?? 0) - lengthOf(longDesc));
  if (sum(shortLengths) + ofTypes <= room) return { ...contents, classes: short };

  let left = room;
  const kept = short.filter((_, i) => {
    left -= shortLengths[i] ?? 0;
    return left >= 0;
  });
  const message = `what is told of its operators is longer than ${maxLength} characters: types of properties and ${classes.length - kept.length} operators are left out`;
  const problems = [...rest.problems, { file: classes.at(-1)?.jar ?? '', message }];
  return { ...rest, classes: kept, types: {}, operatorTypes: [], problems };
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
