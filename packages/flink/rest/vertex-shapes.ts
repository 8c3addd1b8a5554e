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

/** `.../metrics?get=...`: metric to number. What is no number is left out. Read so often that a plain loop is worth it. */
export const MetricValues = z
  .array(z.object({ id: z.string(), value: z.unknown() }))
  .transform((metrics, { addIssue }): ReadonlyMap<string, number> => {
    const numbers = new Map<string, number>();
    for (const { id, value } of metrics) {
      if (value === undefined || value === null) continue;
      if (typeof value !== 'string' && typeof value !== 'number') addIssue('neither text nor a number');
      else {
        const number = numberIn(value);
        if (number !== undefined) numbers.set(id, number);
      }
    }
    return numbers;
  });

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
