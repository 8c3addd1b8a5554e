import * as z from 'zod';
import { Amount, Moment, Text } from './values.js';

const Exception = z.object({
  exceptionName: Text,
  stacktrace: Text,
  timestamp: Moment,
  /** `Source: numbers (2/2) - execution #5`; absent when it is of no task. */
  taskName: z.string().nullish(),
  taskManagerId: z.string().nullish(),
});
export type FlinkException = z.output<typeof Exception>;

/** `/jobs/:id/exceptions`: the newest first. */
export const Exceptions = z
  .object({
    exceptionHistory: z
      .object({ entries: z.array(z.unknown()).catch([]) })
      .nullish()
      .catch(undefined),
  })
  .transform(({ exceptionHistory }) =>
    (exceptionHistory?.entries ?? []).flatMap((entry) => Exception.safeParse(entry).data ?? []),
  );

/** Checkpoints that are in memory alone have a sentence in brackets there. */
const ExternalPath = z
  .string()
  .nullish()
  .transform((path) => (path && !path.startsWith('<') ? path : undefined));

const Checkpoint = z.object({
  id: z.number(),
  /** `IN_PROGRESS`, `COMPLETED`, `FAILED`. */
  status: z.string(),
  is_savepoint: z.boolean().catch(false),
  /** Of a savepoint: `CANONICAL`, `NATIVE`. */
  savepointFormat: z.string().nullish(),
  /** `SYNC_SAVEPOINT` is that of a stop. */
  checkpoint_type: Text,
  trigger_timestamp: Moment,
  latest_ack_timestamp: Moment,
  end_to_end_duration: Amount,
  state_size: Amount,
  checkpointed_size: Amount,
  processed_data: Amount,
  persisted_data: Amount,
  failure_timestamp: Moment,
  failure_message: z.string().nullish(),
  external_path: ExternalPath,
  discarded: z.boolean().nullish(),
});
export type FlinkCheckpoint = z.output<typeof Checkpoint>;

const Latest = Checkpoint.nullish().catch(undefined);
const count = z.number().catch(0);

/** `/jobs/:id/checkpoints`, as many as Flink keeps (`web.checkpoints.history`). The newest first. */
export const Checkpoints = z.object({
  counts: z
    .object({ total: count, in_progress: count, completed: count, failed: count, restored: count })
    .nullish()
    .catch(undefined),
  latest: z
    .object({
      completed: Latest,
      failed: Latest,
      savepoint: Latest,
      restored: z
        .object({
          id: z.number(),
          restore_timestamp: Moment,
          is_savepoint: z.boolean().catch(false),
          external_path: ExternalPath,
        })
        .nullish()
        .catch(undefined),
    })
    .nullish()
    .catch(undefined),
  history: z
    .array(z.unknown())
    .nullish()
    .transform((entries) => (entries ?? []).flatMap((entry) => Checkpoint.safeParse(entry).data ?? [])),
});
export type Checkpoints = z.output<typeof Checkpoints>;

const Rescale = z.object({
  rescaleUuid: z.string(),
  /** `COMPLETED`, `FAILED`, `IGNORED`; absent while it is under way. */
  terminalState: z.string().nullish(),
  /** `SUCCEEDED`, `EXCEPTION_OCCURRED`. */
  terminatedReason: Text,
  /** `UPDATE_REQUIREMENT`, `NEW_RESOURCE_AVAILABLE`. */
  triggerCause: Text,
  endTimestampInMillis: Moment,
});
export type FlinkRescale = z.output<typeof Rescale>;

/** `/jobs/:id/rescales/history`, as many as Flink keeps (`web.adaptive-scheduler.rescale-history.size`). */
export const Rescales = z
  .array(z.unknown())
  .transform((entries) => entries.flatMap((entry) => Rescale.safeParse(entry).data ?? []));
