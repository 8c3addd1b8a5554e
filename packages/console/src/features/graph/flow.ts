import { MarkerType } from '@xyflow/react';
import type { ContainerFlowNode } from './container-node.js';
import { labelSide } from './edge-path.js';
import { type Layout, nodeSize } from './layout-input.js';
import type { OperatorFlowNode } from './operator-node.js';
import type { ShownGraph } from './shown-graph.js';
import type { StreamFlowEdge } from './stream-edge.js';

const groupId = (container: string): string => `group:${container}`;

/** Made once a layout. Groups come before what they hold. */
export function flowNodes(
  { nodes, groups }: ShownGraph,
  layout: Layout,
): (ContainerFlowNode | OperatorFlowNode)[] {
  const inGroups = new Set(groups);
  return [
    ...groups.flatMap((container): ContainerFlowNode[] => {
      const box = layout.groups.get(container);
      if (!box) return [];
      const { x, y, width, height } = box;
      return [
        {
          id: groupId(container),
          type: 'container',
          position: { x, y },
          width,
          height,
          data: { container },
          selectable: false,
          connectable: false,
        },
      ];
    }),
    ...nodes.flatMap((node): OperatorFlowNode[] => {
      const box = layout.nodes.get(node.id);
      if (!box) return [];
      const isInside = node.group !== undefined && inGroups.has(node.group);
      return [
        {
          id: node.id,
          type: 'operator',
          position: { x: box.x, y: box.y },
          ...nodeSize,
          data: { node },
          ...(node.kind === 'single' && node.mark !== 'removed' ? {} : { connectable: false }),
          ...(isInside ? { parentId: groupId(node.group ?? '') } : {}),
        },
      ];
    }),
  ];
}

export function flowEdges({ edges }: ShownGraph, layout: Layout): StreamFlowEdge[] {
  const leaving = countsOf(edges.map(({ source }) => source));
  const arriving = countsOf(edges.map(({ target }) => target));
  return edges.map((edge) => ({
    id: edge.id,
    type: 'stream',
    source: edge.source,
    target: edge.target,
    data: {
      edge,
      points: layout.edges.get(edge.id) ?? [],
      side: labelSide(leaving.get(edge.source) ?? 0, arriving.get(edge.target) ?? 0),
    },
    markerEnd: { type: MarkerType.ArrowClosed, width: 16, height: 16 },
  }));
}

function countsOf(ids: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1);
  return counts;
}
