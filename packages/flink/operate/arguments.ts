import { BadRequest, commandWords } from 'headgate/driver-kit';
import * as z from 'zod';

const List = z.array(z.union([z.string(), z.number().transform(String), z.boolean().transform(String)]));

/**
 * Arguments of a program as one text: a list in JSON, or words as a POSIX shell splits them, whose quotes keep blanks and newlines.
 * Throws `BadRequest` naming the property for a text that can not be split.
 */
export function programArguments(text: string, property: string): readonly string[] {
  const list = listIn(text);
  if (list) return list;
  const split = commandWords(text);
  if (split.problem === undefined) return split.words;
  throw new BadRequest(
    'LAUNCH_PROPERTY_REFUSED',
    `The property ${property} ${split.problem}: write the arguments as for a shell, or as a list in JSON`,
    [{ path: `body.${property}`, message: split.problem }],
  );
}

function listIn(text: string): readonly string[] | undefined {
  if (!text.trimStart().startsWith('[')) return undefined;
  try {
    return List.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
