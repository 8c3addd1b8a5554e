import * as z from 'zod';

// What is kept in storage, in the collection `licenses`.

/** `current`. The file as it came: its signature is looked at again at each start. */
export const StoredLicense = z.object({
  text: z.string(),
  fileName: z.string().optional(),
  /** Epoch milliseconds. */
  addedAt: z.number(),
});
export type StoredLicense = z.output<typeof StoredLicense>;

/** `exceeded`: since when applications use more memory than is allowed, epoch milliseconds. */
export const StoredExcess = z.object({ since: z.number() });
