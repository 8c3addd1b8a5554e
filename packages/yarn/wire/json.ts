import { UnusableAnswer } from 'headgate/driver-kit';
import { parse } from 'lossless-json';
import type * as z from 'zod';

/** Something that may be an integer which a double can't hold, outside of quotes or inside: a pass of a few ms per MB. */
const manyDigits = /[:,[\s]-?\d{16}/;

/**
 * JSON of the engine, with integers that a double can't hold as text (window ids, times in nanoseconds). Its numbers are
 * quoted nearly everywhere, so the slower parser is rarely needed. Throws `SyntaxError`.
 */
export const parseKeepingIntegers = (text: string): unknown =>
  manyDigits.test(text) ? parse(text, undefined, numberOrText) : JSON.parse(text);

function numberOrText(text: string): number | string {
  const number = Number(text);
  return /^-?\d+$/.test(text) && !Number.isSafeInteger(number) ? text : number;
}

/** What an answer tells; rejects one that is not JSON, or not of this shape, by name. */
export function readAnswer<T>(schema: z.ZodType<T>, text: string, what: string): T {
  let value: unknown;
  try {
    value = parseKeepingIntegers(text);
  } catch (cause) {
    throw new UnusableAnswer(what, 'did not answer with JSON', { cause });
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new UnusableAnswer(what, 'answered in a way that is not understood', { cause: parsed.error });
}
