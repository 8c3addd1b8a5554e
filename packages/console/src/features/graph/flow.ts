import { MarkerType } from '@xyflow/react';
import type { ContainerFlowNode } from './container-node.js';
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

export const flowEdges = ({ edges }: ShownGraph, layout: Layout): StreamFlowEdge[] =>
  edges.map((edge) => ({
    id: edge.id,
    type: 'stream',
    source: edge.source,
    target: edge.target,
    data: { edge, points: layout.edges.get(edge.id) ?? [] },
    markerEnd: { type: MarkerType.ArrowClosed, width: 16, height: 16 },
  }));
