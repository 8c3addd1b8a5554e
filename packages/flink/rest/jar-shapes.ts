import * as z from 'zod';
import { PlanNode } from './job-shapes.js';

/** A part of paths. */
const fileName = /^[\w.-]+$/;

/** `/jars/upload`: the id that the jar has from now on, which is the last part of the path that is told. */
export const UploadedJar = z
  .object({ filename: z.string() })
  .transform(({ filename }) => filename.split(/[/\\]/).at(-1) ?? '')
  .pipe(z.string().regex(fileName));

/** `/jars/:id/run` */
export const RunAnswer = z.object({ jobid: z.string() });

/** `/jars/:id/plan`: the vertices of the graph. */
export const PlanAnswer = z
  .object({ plan: z.object({ nodes: z.array(PlanNode.extend({ parallelism: z.number() })) }) })
  .transform(({ plan }) => plan.nodes);
export type PlannedVertex = z.output<typeof PlanAnswer>[number];

/** `/jars`: `name` is the one that it was uploaded under, `uploaded` epoch milliseconds. */
export const UploadedJars = z
  .object({
    files: z.array(z.object({ id: z.string(), name: z.string(), uploaded: z.number() })).nullish(),
  })
  .transform(({ files }) => (files ?? []).filter(({ id }) => fileName.test(id)));
