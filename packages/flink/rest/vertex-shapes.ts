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
