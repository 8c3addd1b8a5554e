import type { Job, StreamNode } from '../rest/job-shapes.js';
import { type Edge, edgesOf, freeName } from './edges.js';
import { plainText } from './planned.js';

/** An operator of which there is no vertex yet: that is made, of one or several of them, when what it reads from is done. */
interface PendingOperator {
  readonly name: string;
  readonly description: string;
}

interface WholeGraph {
  readonly pending: readonly PendingOperator[];
  /** Between all, the pending ones after the vertices. */
  readonly edges: readonly Edge[];
}

/**
 * A graph with what Flink has not made vertices of so far, as it does with jobs in batches since 2.0. Other jobs have none of that. Operators
 * that are in a vertex are not told one by one: what is measured is the vertex.
 */
export function wholeGraph({
  job,
  vertices,
  edges,
}: {
  readonly job: Job;
  readonly vertices: readonly { readonly name: string; readonly vertex: { readonly id: string } }[];
  readonly edges: readonly Edge[];
}): WholeGraph {
  const nodes = job['stream-graph'];
  const open = nodes.filter(({ job_vertex_id }) => !job_vertex_id);
  if (open.length === 0) return { pending: [], edges };
  const names = new Set(vertices.map(({ name }) => name));
  const pending = open.map((node) => ({ node, name: freeName(plainText(node.operator), names) }));
  const places = new Map(nodes.map((node) => [node.id, placeOf(node)]));
  const followers = pending.map(({ node }) => ({
    id: placeOf(node),
    description: node.description,
    inputs: node.inputs.flatMap((input) => {
      const id = places.get(input.id);
      return id === undefined ? [] : { ...input, id, exchange: '' };
    }),
  }));
  const all = [
    ...vertices.map(({ vertex: { id }, name }) => ({ id, name })),
    ...pending.map(({ node, name }) => ({ id: placeOf(node), name })),
  ];
  return {
    pending: pending.map(({ node, name }) => ({ name, description: plainText(node.description) })),
    edges: edgesOf([...job.plan, ...followers], all),
  };
}

/** The vertex that it is in; else it stands for itself. Ids of vertices are long. */
const placeOf = ({ id, job_vertex_id }: StreamNode): string => job_vertex_id || `pending ${id}`;
