import * as z from 'zod';
import { Moment, Text } from './values.js';

const Counts = z
  .record(z.string(), z.number())
  .nullish()
  .transform((counts) => counts ?? {});

const Listed = z.object({
  jid: z.string(),
  name: Text,
  state: z.string(),
  'start-time': Moment,
  'end-time': Moment,
});
export type JobSummary = z.output<typeof Listed>;

/** `tasks`: state, in small letters, to number of subtasks; `total` of all. */
const ListedJob = Listed.extend({ tasks: Counts });

/** `/jobs/overview`. Entries that can't be understood are left out: one of them must not hide the others. */
export const JobsOverview = z
  .object({ jobs: z.array(z.unknown()) })
  .transform(({ jobs }) => jobs.flatMap((job) => ListedJob.safeParse(job).data ?? []));

/** What a vertex, or a subtask, has counted: each figure with whether all of it is known. */
export const Counted = z
  .looseObject({
    'read-records': z.number().nullish(),
    'read-records-complete': z.boolean().nullish(),
    'write-records': z.number().nullish(),
    'write-records-complete': z.boolean().nullish(),
  })
  .nullish()
  .transform((counted) => ({
    read: counted?.['read-records-complete'] === false ? undefined : (counted?.['read-records'] ?? undefined),
    written:
      counted?.['write-records-complete'] === false ? undefined : (counted?.['write-records'] ?? undefined),
  }));

const JobVertex = z.object({
  id: z.string(),
  name: Text,
  parallelism: z.number(),
  maxParallelism: z.number().nullish(),
  status: Text,
  'start-time': Moment,
  tasks: Counts,
  metrics: Counted,
});
export type JobVertex = z.output<typeof JobVertex>;

export const PlanNode = z.object({
  id: z.string(),
  description: Text,
  inputs: z
    .array(z.object({ id: z.string(), num: z.number().catch(0), ship_strategy: Text, exchange: Text }))
    .nullish()
    .transform((inputs) => inputs ?? []),
});
export type PlanNode = z.output<typeof PlanNode>;

/** `job_vertex_id`: absent as long as it is in no vertex. */
const StreamNode = z.object({
  id: z.string(),
  operator: Text,
  description: Text,
  job_vertex_id: z.string().nullish(),
  inputs: PlanNode.shape.inputs,
});
export type StreamNode = z.output<typeof StreamNode>;

/** `/jobs/:id`, which holds what `/jobs/:id/plan` tells too. */
export const Job = Listed.extend({
  'application-id': z.string().nullish(),
  'job-type': Text,
  schedulerType: z.string().nullish(),
  maxParallelism: z.number().nullish(),
  timestamps: Counts,
  vertices: z
    .array(JobVertex)
    .nullish()
    .transform((vertices) => vertices ?? []),
  plan: z
    .object({
      nodes: z
        .array(PlanNode)
        .nullish()
        .transform((nodes) => nodes ?? []),
    })
    .nullish()
    .transform((plan) => plan?.nodes ?? []),
  /** Since 2.0, of jobs whose vertices are made one after the other: all of their operators. */
  'stream-graph': z
    .object({ nodes: z.array(StreamNode).nullish() })
    .nullish()
    .transform((graph) => graph?.nodes ?? []),
});
export type Job = z.output<typeof Job>;

/** `/jobs/:id/config` */
export const JobConfiguration = z.object({
  'execution-config': z
    .record(z.string(), z.unknown())
    .nullish()
    .transform((config) => config ?? {}),
});
