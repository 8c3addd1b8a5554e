import * as z from 'zod';

/** An alert as it is kept; what comes and goes with its evaluation is not. */
export const StoredAlert = z.object({
  name: z.string(),
  /** Whose rights decide what the condition may read. */
  owner: z.object({
    userName: z.string(),
    /** What an identity brought that the gateway can't look up by name. */
    groups: z.array(z.string()).exactOptional(),
    roles: z.array(z.string()).exactOptional(),
    /** Of the API token that saved it. */
    scope: z.array(z.string()).exactOptional(),
  }),
  condition: z.string(),
  /** Found in the condition when it was saved. */
  topics: z.array(z.array(z.string()).min(1)),
  email: z.string(),
  description: z.string(),
  timeThresholdMillis: z.number(),
  disabled: z.boolean(),
  savedAt: z.number(),
});
export type StoredAlert = z.output<typeof StoredAlert>;
