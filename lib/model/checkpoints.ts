import * as z from 'zod';
import { AppId } from './applications.js';
import { SingleLine } from './inputs.js';
import { quantity } from './quantity.js';

const moment = quantity('epoch ms');
const size = quantity('bytes');

const SavepointFormat = z
  .enum(['CANONICAL', 'NATIVE'])
  .describe(
    '`CANONICAL`: can be read by every version and state backend; `NATIVE`: quicker, of the backend in use',
  );

/** What is not known, and what there is not yet, is absent. */
export const Savepoint = z
  .object({
    id: z.string(),
    state: z
      .enum(['IN_PROGRESS', 'COMPLETED', 'FAILED', 'UNKNOWN'])
      .describe('`UNKNOWN`: it was ordered, and nobody knows any more what became of it'),
    triggerTime: moment,
    endTime: moment.exactOptional().describe('since when it is there, or has failed'),
    location: z.string().exactOptional().describe('where the cluster finds it'),
    stateSize: size.exactOptional(),
    formatType: SavepointFormat.exactOptional(),
    targetDirectory: z.string().exactOptional().describe('what was asked for'),
    isOfStop: z.boolean().describe('whether the application ends with it'),
    orderedBy: z.string().exactOptional().describe('user of the gateway; absent: it was ordered elsewhere'),
    checkpointId: z.string().exactOptional(),
    failure: z.string().exactOptional().describe('why there is none, or why nobody knows'),
  })
  .meta({ id: 'Savepoint' });
export type Savepoint = z.output<typeof Savepoint>;

export const SavepointList = z.object({
  savepoints: z.array(Savepoint),
  isComplete: z
    .boolean()
    .describe(
      'false: the cluster does not tell its history now, and those that others ordered may be missing',
    ),
});
export type SavepointList = z.output<typeof SavepointList>;

export const SavepointId = AppId.extend({ id: z.string() });

export const SavepointOrder = z
  .object({
    targetDirectory: SingleLine(2048)
      .min(1)
      .exactOptional()
      .describe('URI of a folder that the cluster can write to. Default: what it is set up with'),
    formatType: SavepointFormat.exactOptional(),
  })
  .optional();
export type SavepointOrder = z.output<typeof SavepointOrder>;

const Checkpoint = z
  .object({
    id: z.string(),
    state: z.enum(['IN_PROGRESS', 'COMPLETED', 'FAILED']),
    isSavepoint: z.boolean(),
    triggerTime: moment.exactOptional(),
    latestAckTime: moment.exactOptional().describe('when the last part of the application had made its part'),
    duration: quantity('ms').exactOptional(),
    stateSize: size.exactOptional().describe('of the whole state'),
    checkpointedSize: size.exactOptional().describe('of what was written for it'),
    processedData: size.exactOptional().describe('that passed while streams were aligned'),
    persistedData: size.exactOptional().describe('that was kept because it was under way'),
    externalPath: z.string().exactOptional(),
    isDiscarded: z.boolean().exactOptional().describe('whether the cluster has deleted it'),
    failureTime: moment.exactOptional(),
    failureMessage: z.string().exactOptional(),
  })
  .meta({ id: 'Checkpoint' });

const number = quantity('checkpoints');

/** What is not known is absent. */
export const CheckpointHistory = z
  .object({
    counts: z
      .object({ total: number, inProgress: number, completed: number, failed: number, restored: number })
      .exactOptional()
      .describe('since the application began; absent: it makes none'),
    latest: z.object({
      completed: Checkpoint.exactOptional(),
      failed: Checkpoint.exactOptional(),
      savepoint: Checkpoint.exactOptional(),
      restored: z
        .object({
          id: z.string(),
          restoreTime: moment.exactOptional(),
          isSavepoint: z.boolean(),
          externalPath: z.string().exactOptional(),
        })
        .exactOptional()
        .describe('with which it went on last'),
    }),
    history: z.array(Checkpoint).describe('the newest first, as many as the cluster keeps'),
  })
  .meta({ id: 'CheckpointHistory' });
export type CheckpointHistory = z.output<typeof CheckpointHistory>;
