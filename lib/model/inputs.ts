import * as z from 'zod';

// Clients send quantities and flags in both forms; what is not one of them is refused, never guessed.

function expected(what: string): { readonly error: z.core.$ZodErrorMap } {
  return { error: ({ input }) => (input === undefined ? 'is missing' : `expected ${what}`) };
}

/** A finite number, or the decimal text of one. */
export const NumberInput = z.union(
  [
    z.number(),
    z
      .string()
      .regex(/^-?\d{1,15}(\.\d{1,15})?$/)
      .transform(Number),
  ],
  expected('a number'),
);

/** Text that may stand in a header of a mail, in a list and in a log. */
export const SingleLine = (max: number) =>
  z
    .string()
    .max(max, { abort: true })
    .regex(/^[^\p{Cc}\u2028\u2029]*$/u, 'is one line without control characters');

/** `true`, `false`, `"true"` or `"false"`. */
export const Flag = z.union(
  [z.boolean(), z.enum(['true', 'false']).transform((text) => text === 'true')],
  expected('true or false'),
);
