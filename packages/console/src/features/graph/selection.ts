import type { PlanNode } from './plan-graph.js';
import type { ShownGraph, ShownNode } from './shown-graph.js';

export type Mode = 'logical' | 'physical';

/** What of a graph is looked at: a node of it, and in a fold perhaps one member; or a stream. */
export type Chosen =
  | { readonly kind: 'node'; readonly node: ShownNode; readonly member?: PlanNode }
  | { readonly kind: 'stream'; readonly name: string };

export const selOfNode = (node: ShownNode, mode: Mode): string => {
  const [first] = node.members;
  if (node.kind === 'partitions') return `op:${first?.name}`;
  if (node.kind !== 'single') return node.id;
  return mode === 'logical' ? `op:${first?.name}` : `part:${first?.id}`;
};

export const selOfOperator = (name: string): string => `op:${name}`;

/** `undefined` for what is not there any more. */
export function chosenBy(sel: string | undefined, graph: ShownGraph): Chosen | undefined {
  const [, kind, rest = ''] = /^(\w+):(.+)$/s.exec(sel ?? '') ?? [];
  if (kind === 'stream') {
    const isThere = graph.edges.some(({ links }) => links.some(({ stream }) => stream === rest));
    return isThere ? { kind, name: rest } : undefined;
  }
  if (kind === 'fold') {
    const node = graph.nodes.find(({ id }) => id === sel);
    return node && { kind: 'node', node };
  }
  const isIt = kind === 'op' ? ({ name }: PlanNode) => name === rest : ({ id }: PlanNode) => id === rest;
  for (const node of graph.nodes) {
    const member = node.members.find(isIt);
    if (member)
      return node.members.length === 1 || node.kind === 'partitions'
        ? { kind: 'node', node }
        : { kind: 'node', node, member };
  }
  return undefined;
}
