import type { LogicalPlan } from 'headgate/driver-kit';
import type { PlannedVertex } from '../rest/jar-shapes.js';
import { type Edge, edgesOf, freeName } from './edges.js';

/** A graph before there is a job of it. */
export function plannedGraph(nodes: readonly PlannedVertex[]): LogicalPlan {
  const names = new Set<string>();
  const vertices = nodes.map(({ id, parallelism, description }) => {
    const text = plainText(description);
    return { id, name: freeName(chainName(text), names), description: text, parallelism };
  });
  return planOf(vertices, edgesOf(nodes, vertices));
}

/** Edges tell places in `vertices`. */
export const planOf = (
  vertices: readonly {
    readonly name: string;
    readonly description: string;
    /** Below 1, or absent: it is not decided yet. */
    readonly parallelism?: number;
  }[],
  edges: readonly Edge[],
): LogicalPlan => ({
  operators: vertices.map(({ name, description, parallelism = 0 }, index) => ({
    name,
    class: '',
    description,
    attributes: parallelism > 0 ? { parallelism } : {},
    ports: [
      ...edges
        .filter(({ sink }) => sink === index)
        .map((edge) => ({
          name: edge.inputPort,
          type: 'input' as const,
          attributes: {
            shipStrategy: edge.shipStrategy,
            ...(edge.exchange === '' ? {} : { exchange: edge.exchange }),
          },
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
});

/** Flink writes what is chained in a vertex as lines of HTML. */
export const plainText = (html: string): string =>
  html
    .replace(/<br\s*\/?>/g, '\n')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
    .trim();

/**
 * The name that the vertex is going to have. A plan tells its description alone: what is chained as a tree of lines, `a`, `+- b`,
 * `   :- c`, `   +- d`, of which Flink makes `a -> b -> (c, d)`.
 */
function chainName(description: string): string {
  /** By depth: what lines further down come to. */
  const pending: string[][] = [];
  for (const line of description.split('\n').reverse()) {
    const [indent = ''] = /^(?:[ :] {2})*(?:[:+]- )?/.exec(line) ?? [];
    const depth = indent.length / 3;
    const outputs = pending[depth + 1] ?? [];
    pending[depth + 1] = [];
    const name = line.slice(indent.length);
    pending[depth] = [name + chainedTo(outputs), ...(pending[depth] ?? [])];
  }
  return pending[0]?.join(', ') ?? '';
}

function chainedTo(outputs: readonly string[]): string {
  if (outputs.length > 1) return ` -> (${outputs.join(', ')})`;
  return outputs.length === 1 ? ` -> ${outputs[0]}` : '';
}
