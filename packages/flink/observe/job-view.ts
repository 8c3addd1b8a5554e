import { Conflict, NotFound, setNewest } from 'headgate/driver-kit';
import type { Job, JobVertex } from '../rest/job-shapes.js';
import type { Seen } from '../rest/polled.js';
import type { Resources } from '../rest/resources.js';
import type { Subtask } from '../rest/vertex-shapes.js';
import { metricQuestions } from './counters.js';
import { type Edge, edgesOf, freeName } from './edges.js';
import { wholeGraph } from './pending.js';
import type { Subtasks } from './subtasks.js';

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
  const { value, at } = await resources.job.seen(jobId);
  return graphOf(value, at);
}

function graphOf(job: Job, at: number): JobGraph {
  const names = new Set<string>();
  const vertices = job.vertices.map((vertex, index) => ({
    index,
    name: freeName(vertex.name, names),
    vertex,
  }));
  const named = vertices.map(({ vertex, name }) => ({ id: vertex.id, name }));
  return { job, vertices, edges: edgesOf(job.plan, named), at };
}

/** Rejects with `NotFound` for an operator that the graph has not, with `Conflict` (`OPERATOR_NOT_DEPLOYED`) for one of no vertex yet. */
export async function readVertex(
  resources: Pick<Resources, 'job'>,
  jobId: string,
  operatorName: string,
): Promise<JobGraph['vertices'][number] & Pick<JobGraph, 'job'>> {
  const graph = await readGraph(resources, jobId);
  const found = graph.vertices.find(({ name }) => name === operatorName);
  if (found) return { ...found, job: graph.job };
  if (wholeGraph(graph).pending.some(({ name }) => name === operatorName))
    throw new Conflict(
      'OPERATOR_NOT_DEPLOYED',
      `${operatorName} does not run yet: what it reads from has to end first`,
    );
  throw new NotFound('operator', operatorName);
}

/** Jobs with all that is in them, put together once in a beat: those who listen look more often than Flink is asked. */
export interface JobViews {
  /** Metrics that can't be had are absent: what is counted is told all the same. */
  read(jobId: string): Promise<JobView>;
}

/** Those of so many jobs stay. */
const kept = 500;

export function createJobViews(
  resources: Pick<Resources, 'job' | 'vertexMetrics'>,
  subtasks: Subtasks,
): JobViews {
  const views = new Map<string, { readonly of: Seen<Job>; readonly view: Promise<JobView> }>();

  async function viewOf({ value: job, at }: Seen<Job>): Promise<JobView> {
    const subtasksOf = subtasks.of(job);
    const graph = graphOf(job, at);
    const vertices = graph.vertices.map(async (one): Promise<VertexView> => {
      const [found, metrics] = await Promise.all([
        subtasksOf(one.vertex.id),
        metricsOf(resources, job.jid, one.vertex),
      ]);
      return { ...one, subtasks: found.toSorted((a, b) => a.subtask - b.subtask), metrics };
    });
    return { ...graph, vertices: await Promise.all(vertices) };
  }

  return {
    async read(jobId) {
      const seen = await resources.job.seen(jobId);
      const last = views.get(jobId);
      if (last?.of === seen) return last.view;
      const view = viewOf(seen);
      setNewest(views, jobId, { of: seen, view }, kept);
      return view;
    },
  };
}

async function metricsOf(
  resources: Pick<Resources, 'vertexMetrics'>,
  jobId: string,
  { id, parallelism }: Pick<JobVertex, 'id' | 'parallelism'>,
): Promise<ReadonlyMap<string, number>> {
  const answers = await Promise.allSettled(
    metricQuestions(parallelism).map((names) => resources.vertexMetrics.get(jobId, id, names)),
  );
  return new Map(answers.flatMap((answer) => (answer.status === 'fulfilled' ? [...answer.value] : [])));
}
