import { z } from 'zod';

/** Spec 2.4. Ids and window ids are strings. */
export const Recording = z
  .object({
    id: z.string(),
    startTime: z.number().describe('epoch milliseconds'),
    appId: z.string(),
    operatorId: z.string(),
    containerId: z.string(),
    totalTuples: z.number().describe('that were kept'),
    skippedTuples: z
      .number()
      .optional()
      .describe('that passed meanwhile and were not kept: more than a recording may cost the stream'),
    ports: z.array(
      z.object({
        name: z.string(),
        streamName: z.string(),
        type: z.enum(['input', 'output']),
        id: z.string().describe('index'),
        tupleCount: z.number(),
      }),
    ),
    ended: z.boolean(),
    windowIdRanges: z.array(z.object({ low: z.string(), high: z.string() })),
    properties: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'Recording' });
export type Recording = z.output<typeof Recording>;

export const TupleBatch = z
  .object({
    startOffset: z.string().describe('of the first tuple, over the selected ports; -1: none'),
    tuples: z.array(
      z.object({
        windowId: z.string(),
        tuples: z.array(z.object({ portId: z.string(), data: z.unknown() })),
        skippedTuples: z.number().optional().describe('of this window that were not kept; absent: none'),
      }),
    ),
  })
  .meta({ id: 'TupleBatch' });
export type TupleBatch = z.output<typeof TupleBatch>;
