import * as z from 'zod';
import { Counted } from './job-shapes.js';
import { Moment, numberIn, Text } from './values.js';

export const Subtask = z.object({
  subtask: z.number(),
  status: Text,
  attempt: z.number().catch(0),
  /** `host:port` of its task manager; Flink before 1.19 calls it `host`. */
  endpoint: z.string().nullish(),
  host: z.string().nullish(),
  'taskmanager-id': z.string().nullish(),
  'start-time': Moment,
  'end-time': Moment,
  metrics: Counted,
});
export type Subtask = z.output<typeof Subtask>;

/** `/jobs/:id/vertices/:id` */
export const Vertex = z.object({ id: z.string(), name: Text, subtasks: z.array(Subtask) });

/** `.../metrics?get=...`: metric to number. What is no number is left out. */
export const MetricValues = z
  .array(z.object({ id: z.string(), value: z.union([z.string(), z.number()]).nullish() }))
  .transform(
    (metrics) =>
      new Map(
        metrics.flatMap(({ id, value }): [string, number][] => {
          const number = numberIn(value ?? undefined);
          return number === undefined ? [] : [[id, number]];
        }),
      ),
  );

/** From 0 to 1; `NaN`, as text, for what is not measured. */
const Ratio = z
  .union([z.string(), z.number()])
  .nullish()
  .transform((ratio) => numberIn(ratio ?? undefined));

/** `/jobs/:id/vertices/:id/backpressure`: `status` is `ok` once there are figures. The oldest are of tasks that may be gone. */
export const BackPressureAnswer = z.object({
  status: Text,
  'end-timestamp': Moment,
  subtasks: z
    .array(
      z.object({
        subtask: z.number(),
        backpressureLevel: Text,
        ratio: Ratio,
        busyRatio: Ratio,
        idleRatio: Ratio,
      }),
    )
    .nullish()
    .transform((subtasks) => subtasks ?? []),
});
