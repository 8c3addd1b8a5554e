import type { LogicalOperator, LogicalPlan, PhysOperator } from 'headgate/driver-kit';
import { aggregated, sumIfKnown } from './counters.js';
import type { JobGraph } from './job-view.js';

export function logicalPlanOf({ job, vertices, edges }: JobGraph): LogicalPlan {
  const descriptions = new Map(job.plan.map(({ id, description }) => [id, plainText(description)]));
  return {
    operators: vertices.map(({ index, name, vertex }) => ({
      name,
      class: '',
      description: descriptions.get(vertex.id) ?? '',
      attributes: { parallelism: vertex.parallelism },
      ports: [
        ...edges
          .filter(({ sink }) => sink === index)
          .map((edge) => ({
            name: edge.inputPort,
            type: 'input' as const,
            attributes: { shipStrategy: edge.shipStrategy, exchange: edge.exchange },
          })),
        ...edges
          .filter(({ source }) => source === index)
          .map((edge) => ({ name: edge.outputPort, type: 'output' as const, attributes: {} })),
      ],
      properties: { class: '' },
    })),
    streams: edges.map((edge) => ({
      name: edge.name,
      locality: null,
      source: { operatorName: vertices[edge.source]?.name ?? '', portName: edge.outputPort },
      sinks: [{ operatorName: vertices[edge.sink]?.name ?? '', portName: edge.inputPort }],
    })),
  };
}

/** Flink writes what is chained in a vertex as lines of HTML. */
const plainText = (html: string): string =>
  html
    .replace(/<br\s*\/?>/g, '\n')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
    .trim();

/** `operators`: all of the job's. */
export const logicalOperatorsOf = (
  { vertices }: JobGraph,
  operators: readonly PhysOperator[],
): LogicalOperator[] =>
  vertices.map(({ name }) =>
    logicalOperatorOf(
      name,
      operators.filter(({ logicalName }) => logicalName === name),
    ),
  );

function logicalOperatorOf(name: string, partitions: readonly PhysOperator[]): LogicalOperator {
  const sum = (of: (one: PhysOperator) => number | undefined) => sumIfKnown(partitions.map(of));
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
    counters: aggregated(partitions.map(({ counters }) => numbersOf(counters ?? {}))),
  };
}

const numbersOf = (counters: Readonly<Record<string, unknown>>): Record<string, number> =>
  Object.fromEntries(
    Object.entries(counters).flatMap(([name, value]): [string, number][] =>
      typeof value === 'number' ? [[name, value]] : [],
    ),
  );

const distinct = (values: readonly (string | null)[]): string[] => [
  ...new Set(values.filter((value) => value !== null)),
];
