import * as z from 'zod';

/** Rows of a query, as far as its limits go. */
export const Sample = z
  .object({
    columns: z.array(
      z.object({ name: z.string(), type: z.string().describe('in the words of the engine: VARCHAR') }),
    ),
    rows: z.array(
      z.object({
        kind: z
          .enum(['INSERT', 'UPDATE_BEFORE', 'UPDATE_AFTER', 'DELETE'])
          .describe('what becomes of it: results of a stream change'),
        values: z
          .array(z.unknown())
          .describe('one for each column; numbers that a double can’t hold as text, to the last digit'),
      }),
    ),
    cut: z
      .enum(['rows', 'bytes', 'time'])
      .optional()
      .describe('the limit at which it stopped; absent: there are no more rows'),
  })
  .meta({ id: 'Sample' });
export type Sample = z.output<typeof Sample>;
