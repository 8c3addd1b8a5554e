import { NotFound } from 'headgate/driver-kit';
import type { Job, JobVertex } from '../rest/job-shapes.js';
import type { Resources } from '../rest/resources.js';
import type { Subtask } from '../rest/vertex-shapes.js';
import { metricQuestions } from './counters.js';
import { type Edge, edgesOf, freeName } from './edges.js';

/** A job with all that is in it, as of one beat. */
export interface JobView {
  readonly job: Job;
  readonly vertices: readonly VertexView[];
  readonly edges: readonly Edge[];
  /** Epoch milliseconds. */
  readonly at: number;
}

export interface VertexView {
  readonly index: number;
  /** Unique in the job: Flink lets several vertices have the same name. */
  readonly name: string;
  readonly vertex: JobVertex;
  readonly subtasks: readonly Subtask[];
  /** `{subtask}.{metric}` to number. */
  readonly metrics: ReadonlyMap<string, number>;
}

/** The graph alone: one call, whatever is in the job. */
export interface JobGraph {
  readonly job: Job;
  readonly vertices: readonly Pick<VertexView, 'index' | 'name' | 'vertex'>[];
  readonly edges: readonly Edge[];
  readonly at: number;
}

export async function readGraph(resources: Pick<Resources, 'job'>, jobId: string): Promise<JobGraph> {
  const { value: job, at } = await resources.job.seen(jobId);
  const names = new Set<string>();
  const vertices = job.vertices.map((vertex, index) => ({
    index,
    name: freeName(vertex.name, names),
    vertex,
  }));
  const named = vertices.map(({ vertex, name }) => ({ id: vertex.id, name }));
  return { job, vertices, edges: edgesOf(job.plan, named), at };
}

/** Rejects with `NotFound` for an operator that the graph has not. */
export async function readVertex(
  resources: Pick<Resources, 'job'>,
  jobId: string,
  operatorName: string,
): Promise<JobGraph['vertices'][number] & Pick<JobGraph, 'job'>> {
  const { job, vertices } = await readGraph(resources, jobId);
  const found = vertices.find(({ name }) => name === operatorName);
  if (!found) throw new NotFound('operator', operatorName);
  return { ...found, job };
}

/** Metrics that can't be had are absent: what is counted is told all the same. */
export async function readJob(
  resources: Pick<Resources, 'job' | 'vertex' | 'vertexMetrics'>,
  jobId: string,
): Promise<JobView> {
  const graph = await readGraph(resources, jobId);
  const vertices = await Promise.all(
    graph.vertices.map(async (one): Promise<VertexView> => {
      const { id } = one.vertex;
      const [{ subtasks }, metrics] = await Promise.all([
        resources.vertex.get(jobId, id),
        metricsOf(resources, jobId, one.vertex),
      ]);
      return { ...one, subtasks: subtasks.toSorted((a, b) => a.subtask - b.subtask), metrics };
    }),
  );
  return { ...graph, vertices };
}

async function metricsOf(
  resources: Pick<Resources, 'vertexMetrics'>,
  jobId: string,
  { id, parallelism }: JobVertex,
): Promise<ReadonlyMap<string, number>> {
  const answers = await Promise.allSettled(
    metricQuestions(parallelism).map((names) => resources.vertexMetrics.get(jobId, id, names)),
  );
  return new Map(answers.flatMap((answer) => (answer.status === 'fulfilled' ? [...answer.value] : [])));
}
