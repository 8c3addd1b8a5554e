import '@xyflow/react/dist/style.css';
import {
  Background,
  type Connection,
  Controls,
  MiniMap,
  ReactFlow,
  type ReactFlowInstance,
} from '@xyflow/react';
import { type KeyboardEvent, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { type ContainerFlowNode, ContainerNode } from './container-node.js';
import { flowEdges, flowNodes } from './flow.js';
import classes from './graph.module.css';
import { type Layout, placesOf } from './layout-input.js';
import { type OperatorFlowNode, OperatorNode } from './operator-node.js';
import type { ShownEdge, ShownGraph, ShownNode } from './shown-graph.js';
import { StreamEdge, type StreamFlowEdge } from './stream-edge.js';
import { type Direction, walked } from './walking.js';
import { words } from './words.js';

const nodeTypes = { operator: OperatorNode, container: ContainerNode };
const edgeTypes = { stream: StreamEdge };
const directions: Readonly<Record<string, Direction>> = {
  ArrowRight: 'forward',
  ArrowLeft: 'back',
  ArrowUp: 'up',
  ArrowDown: 'down',
};
/** Below it words can't be read, and cost frames. */
const wordsFrom = 0.5;

type FlowNode = ContainerFlowNode | OperatorFlowNode;

interface Props {
  readonly graph: ShownGraph;
  readonly layout: Layout;
  /** Id of the node that is selected, which is brought into sight. */
  readonly selected: string | undefined;
  readonly onNode: (node: ShownNode, how: 'click' | 'walk') => void;
  readonly onEdge: (edge: ShownEdge) => void;
  readonly onNothing: () => void;
  /** Absent: nothing can be connected. Names of the operators. */
  readonly onConnect?: (from: ShownNode, to: ShownNode) => void;
}

export function Canvas({ graph, layout, selected, onNode, onEdge, onNothing, onConnect }: Props) {
  const nodes = useMemo(() => flowNodes(graph, layout), [graph, layout]);
  const edges = useMemo(() => flowEdges(graph, layout), [graph, layout]);
  const places = useMemo(() => placesOf(graph, layout), [graph, layout]);
  const nodeOf = useCallback((id: string | null) => graph.nodes.find((node) => node.id === id), [graph]);
  const [flow, setFlow] = useState<ReactFlowInstance<FlowNode, StreamFlowEdge>>();
  const frame = useRef<HTMLDivElement>(null);
  // What is selected is brought into sight below; without it all of the graph is.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another layout is what has to be fitted.
  useEffect(() => {
    if (selected === undefined) void flow?.fitView({ maxZoom: 1, padding: 0.08 });
  }, [flow, layout]);

  useEffect(() => {
    const place = selected === undefined ? undefined : places.get(selected);
    const size = frame.current?.getBoundingClientRect();
    if (!flow || !place || !size || size.width === 0) return;
    const { x, y, zoom } = flow.getViewport();
    const [left, top] = [place.x * zoom + x, place.y * zoom + y];
    const isSeen =
      zoom >= wordsFrom &&
      left >= 0 &&
      top >= 0 &&
      left + place.width * zoom <= size.width &&
      top + place.height * zoom <= size.height;
    if (!isSeen)
      void flow.setCenter(place.x + place.width / 2, place.y + place.height / 2, {
        zoom: Math.max(zoom, 0.8),
      });
  }, [flow, places, selected]);

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') onNothing();
    const direction = directions[event.key];
    if (!direction || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const next =
      selected === undefined ? graph.nodes[0]?.id : walked(selected, direction, graph.edges, places);
    const node = nodeOf(next ?? null);
    if (node) onNode(node, 'walk');
  };
  const connect = ({ source, target }: Connection) => {
    const [from, to] = [nodeOf(source), nodeOf(target)];
    if (from && to && from !== to) onConnect?.(from, to);
  };
  return (
    <div
      ref={frame}
      className={classes['canvas']}
      role="group"
      aria-label={words.graph(graph.nodes.length)}
      tabIndex={0}
      onKeyDown={onKeyDown}
    >
      <ReactFlow
        nodes={nodes}
        edges={edges}
        nodeTypes={nodeTypes}
        edgeTypes={edgeTypes}
        onInit={setFlow}
        minZoom={0.02}
        maxZoom={2}
        nodesDraggable={false}
        nodesConnectable={onConnect !== undefined}
        nodesFocusable={false}
        edgesFocusable={false}
        elementsSelectable={false}
        disableKeyboardA11y
        deleteKeyCode={null}
        onlyRenderVisibleElements={nodes.length > 150}
        onNodeClick={(_, { data }) => 'node' in data && onNode(data.node, 'click')}
        onEdgeClick={(_, { data }) => data && onEdge(data.edge)}
        onPaneClick={onNothing}
        onConnect={connect}
        onMove={(_, { zoom }) => frame.current?.toggleAttribute('data-far', zoom < wordsFrom)}
      >
        <Background gap={24} />
        <Controls showInteractive={false} />
        {nodes.length > 30 && <MiniMap pannable ariaLabel={null} className={classes['map'] ?? ''} />}
      </ReactFlow>
    </div>
  );
}
