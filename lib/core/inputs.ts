import { z } from 'zod';

// Clients send quantities and flags in both forms; what is not one of them is refused, never guessed.

/** A finite number, or the decimal text of one. */
export const NumberInput = z.union(
  [
    z.number(),
    z
      .string()
      .regex(/^-?\d{1,15}(\.\d{1,15})?$/)
      .transform(Number),
  ],
  'expected a number',
);

/** `true`, `false`, `"true"` or `"false"`. */
export const Flag = z.union(
  [z.boolean(), z.enum(['true', 'false']).transform((text) => text === 'true')],
  'expected true or false',
);
