import * as z from 'zod';
import { AppId } from './applications.js';
import { Flag, NumberInput } from './inputs.js';
import { OperatorId } from './physical-plan.js';
import { inUnit, quantity } from './quantity.js';

/** Ids and window ids are strings. */
export const Recording = z
  .object({
    id: z.string(),
    startTime: quantity('epoch ms').describe('epoch milliseconds'),
    appId: z.string(),
    operatorId: z.string(),
    containerId: z.string(),
    totalTuples: quantity('tuples').describe('that were kept'),
    skippedTuples: quantity('tuples')
      .optional()
      .describe('that passed meanwhile and were not kept: more than a recording may cost the stream'),
    ports: z.array(
      z.object({
        name: z.string(),
        streamName: z.string(),
        type: z.enum(['input', 'output']),
        id: z.string().describe('index'),
        tupleCount: quantity('tuples'),
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
    startOffset: z
      .string()
      .meta(inUnit('tuples'))
      .describe('of the first tuple, over the selected ports; -1: none'),
    tuples: z.array(
      z.object({
        windowId: z.string(),
        tuples: z.array(z.object({ portId: z.string(), data: z.unknown() })),
        skippedTuples: quantity('tuples')
          .optional()
          .describe('of this window that were not kept; absent: none'),
      }),
    ),
  })
  .meta({ id: 'TupleBatch' });
export type TupleBatch = z.output<typeof TupleBatch>;

/** What the engine shows of a tuple as it is recorded. */
export const RecordedTuple = z
  .object({
    portId: z.string(),
    windowId: z.string(),
    tupleCount: quantity('tuples').describe(
      'tuples of the recording up to this one; a gap: more came than are shown',
    ),
    data: z.unknown(),
  })
  .meta({ id: 'RecordedTuple' });

export const RecordingList = z.object({ recordings: z.array(Recording) });
export const RecordingIdReply = z.object({ id: z.string() });
export const RecordingId = OperatorId.extend({ id: z.string() });
export const LiveRecording = AppId.extend({
  startTime: z.string().meta(inUnit('epoch ms')).describe('`recordingStartTime` of the operator or port'),
});

export const RecordingStart = z
  .object({
    numWindows: NumberInput.pipe(z.int().min(1).max(1_000_000_000))
      .exactOptional()
      .describe('windows to record; absent: until it is stopped')
      .meta(inUnit('windows')),
  })
  .optional();
export type RecordingStart = z.output<typeof RecordingStart>;

/** By number or by window: `docs/decisions.md`, Pages of a recording. */
export const TuplesQuery = z
  .object({
    offset: NumberInput.pipe(z.int().min(0))
      .exactOptional()
      .describe('tuples to leave out, counted over the selected ports. Default: 0')
      .meta(inUnit('tuples')),
    startWindow: z
      .string()
      .regex(/^\d{1,20}$/, 'expected a window id')
      .exactOptional()
      .describe('window id to begin with, instead of `offset`'),
    limit: NumberInput.pipe(z.int().min(1).max(1000))
      .default(1000)
      .describe('tuples at most; fewer come when they are large')
      .meta(inUnit('tuples')),
    ports: z
      .string()
      .max(4096, { abort: true })
      .exactOptional()
      .describe('comma-separated ids of ports of the recording. Default: all'),
    executeEmptyWindow: Flag.default(false).describe('whether windows without tuples are listed too'),
  })
  .refine(({ offset, startWindow }) => offset === undefined || startWindow === undefined, {
    path: ['startWindow'],
    message: 'give it or `offset`, not both',
  });
export type TuplesQuery = z.output<typeof TuplesQuery>;
