import * as z from 'zod';

/** `/jobs/:id/resource-requirements`: vertex to its bounds, at least 1 each. */
export const Requirements = z.record(
  z.string(),
  z.looseObject({
    parallelism: z.looseObject({ lowerBound: z.number().catch(1), upperBound: z.number() }),
  }),
);
export type Requirements = z.output<typeof Requirements>;
