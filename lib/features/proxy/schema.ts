import * as z from 'zod';

/** Undecoded: what it means is the target's business. */
export const RestOfPath = z.object({
  rest: z.string().max(8000).describe('the path behind the prefix, as it is to be sent on'),
});
