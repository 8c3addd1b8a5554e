import * as z from 'zod';
import { Moment, Text } from './values.js';

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

const Checkpoint = z.object({
  id: z.number(),
  /** `IN_PROGRESS`, `COMPLETED`, `FAILED`. */
  status: z.string(),
  is_savepoint: z.boolean().catch(false),
  trigger_timestamp: Moment,
  latest_ack_timestamp: Moment,
  end_to_end_duration: z.number().nullish(),
  state_size: z.number().nullish(),
  failure_timestamp: Moment,
  failure_message: z.string().nullish(),
  external_path: z.string().nullish(),
});
export type Checkpoint = z.output<typeof Checkpoint>;

/** `/jobs/:id/checkpoints`, as many as Flink keeps (`web.checkpoints.history`). The newest first. */
export const Checkpoints = z.object({
  history: z
    .array(z.unknown())
    .nullish()
    .transform((entries) => (entries ?? []).flatMap((entry) => Checkpoint.safeParse(entry).data ?? [])),
});
