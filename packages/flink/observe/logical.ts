import type { LogicalOperator, LogicalPlan, PhysOperator } from 'headgate/driver-kit';
import { aggregated, sumIfKnown } from './counters.js';
import type { JobGraph } from './job-view.js';
import { wholeGraph } from './pending.js';
import { plainText, planOf } from './planned.js';

export function logicalPlanOf(graph: JobGraph): LogicalPlan {
  const { job, vertices } = graph;
  const descriptions = new Map(job.plan.map(({ id, description }) => [id, plainText(description)]));
  const { pending, edges } = wholeGraph(graph);
  const made = vertices.map(({ name, vertex }) => ({
    name,
    description: descriptions.get(vertex.id) ?? '',
    parallelism: vertex.parallelism,
  }));
  return planOf([...made, ...pending], edges);
}

/** `operators`: all of the job's. */
export const logicalOperatorsOf = (
  graph: Pick<JobGraph, 'job' | 'vertices' | 'edges'>,
  operators: readonly PhysOperator[],
): LogicalOperator[] =>
  [...graph.vertices, ...wholeGraph(graph).pending].map(({ name }) =>
    logicalOperatorOf(
      name,
      operators.filter(({ logicalName }) => logicalName === name),
    ),
  );

function logicalOperatorOf(name: string, partitions: readonly PhysOperator[]): LogicalOperator {
  const sum = (of: (one: PhysOperator) => number | undefined) =>
    partitions.length === 0 ? undefined : sumIfKnown(partitions.map(of));
  const status: Record<string, number> = {};
  for (const one of partitions) status[one.status] = (status[one.status] ?? 0) + 1;
  return {
    name,
    className: '',
    containerIds: distinct(partitions.map(({ container }) => container)),
    hosts: distinct(partitions.map(({ host }) => host)),
    partitions: partitions.map(({ id }) => id),
    unifiers: [],
    failureCount: partitions.reduce((total, { failureCount }) => total + failureCount, 0),
    lastHeartbeat: partitions.reduce((least, { lastHeartbeat }) => Math.max(least, lastHeartbeat), -1),
    status,
    totalTuplesProcessed: sum(({ totalTuplesProcessed }) => totalTuplesProcessed),
    totalTuplesEmitted: sum(({ totalTuplesEmitted }) => totalTuplesEmitted),
    tuplesProcessedPSMA: sum(({ tuplesProcessedPSMA }) => tuplesProcessedPSMA),
    tuplesEmittedPSMA: sum(({ tuplesEmittedPSMA }) => tuplesEmittedPSMA),
    counters: aggregated(partitions.map(({ counters }) => counters ?? {})),
  };
}

const distinct = (values: readonly (string | null)[]): string[] => [
  ...new Set(values.filter((value) => value !== null)),
];
