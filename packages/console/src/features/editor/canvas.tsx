import {
  applyNodeChanges,
  Background,
  type Connection,
  Controls,
  type Edge,
  type EdgeChange,
  type NodeChange,
  Panel,
  ReactFlow,
  ReactFlowProvider,
  useReactFlow,
} from '@xyflow/react';
import '@xyflow/react/dist/style.css';
import { useMantineColorScheme } from '@mantine/core';
import { useEffect, useMemo, useState } from 'react';
import type { Definition, End, Place } from './definition.js';
import classes from './editor.module.css';
import { useLayout } from './layout.js';
import { OperatorBox, type OperatorNode } from './node.js';
import { type Line, linesOf, shapesOf } from './picture.js';
import { joinRefusal, type PortsOf } from './port-types.js';
import { words } from './words.js';

interface CanvasProps {
  readonly definition: Definition;
  readonly portsOf: PortsOf;
  /** Problems by operator. */
  readonly problems: ReadonlyMap<string, number>;
  readonly selection: string | undefined;
  readonly isReadOnly: boolean;
  readonly onSelect: (selection: string | undefined) => void;
  readonly onMove: (operator: string, place: Place) => void;
  readonly onConnect: (source: End, sink: End) => void;
  readonly onRemove: (operators: readonly string[], sinks: readonly End[]) => void;
  /** A class was dropped, or `undefined` when something else was. */
  readonly onDrop: (className: string, place: Place) => void;
}

const nodeTypes = { operator: OperatorBox };

export const Canvas = (props: CanvasProps) => (
  <ReactFlowProvider>
    <Flow {...props} />
  </ReactFlowProvider>
);

const endsOf = ({ source, sourceHandle, target, targetHandle }: Connection | Edge): readonly [End, End] => [
  { operatorName: source, portName: sourceHandle ?? '' },
  { operatorName: target, portName: targetHandle ?? '' },
];

function Flow(props: CanvasProps) {
  const { definition, portsOf, selection, isReadOnly } = props;
  const { colorScheme } = useMantineColorScheme();
  const { screenToFlowPosition } = useReactFlow();
  const lines = useMemo(() => linesOf(definition), [definition]);
  const [nodes, setNodes] = useNodes(props, lines);
  const edges = useMemo(() => lines.map((line) => edgeOf(line, selection)), [lines, selection]);
  const [refusal, setRefusal] = useState<string>();
  const isValid = (connection: Connection | Edge): boolean => {
    const [source, sink] = endsOf(connection);
    const found = joinRefusal(definition, portsOf, source, sink);
    setRefusal(found);
    return found === undefined;
  };
  const onNodesChange = (changes: NodeChange<OperatorNode>[]) => {
    setNodes((before) => applyNodeChanges(changes, before));
    for (const change of changes)
      if (change.type === 'select' && change.selected) props.onSelect(`operator:${change.id}`);
  };
  const onEdgesChange = (changes: EdgeChange[]) => {
    for (const change of changes) {
      const line = lines.find(({ id }) => 'id' in change && id === change.id);
      if (line && change.type === 'select' && change.selected) props.onSelect(`stream:${line.stream}`);
    }
  };
  return (
    <div
      className={classes['canvas']}
      role="region"
      aria-label={words.picture}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        const className = event.dataTransfer.getData('text/x-operator-class');
        if (className === '' || isReadOnly) return;
        event.preventDefault();
        props.onDrop(className, screenToFlowPosition({ x: event.clientX, y: event.clientY }));
      }}
    >
      <ReactFlow
        nodes={nodes}
        edges={edges}
        nodeTypes={nodeTypes}
        onNodesChange={onNodesChange}
        onEdgesChange={onEdgesChange}
        onNodeDragStop={(_event, node) => props.onMove(node.id, node.position)}
        onConnect={(connection) => props.onConnect(...endsOf(connection))}
        isValidConnection={isValid}
        onConnectStart={() => setRefusal(undefined)}
        onConnectEnd={() => setRefusal(undefined)}
        onPaneClick={() => props.onSelect(undefined)}
        onDelete={({ nodes: gone, edges: cut }) =>
          props.onRemove(
            gone.map(({ id }) => id),
            cut.map((edge) => endsOf(edge)[1]),
          )
        }
        deleteKeyCode={isReadOnly ? null : ['Delete', 'Backspace']}
        nodesDraggable={!isReadOnly}
        nodesConnectable={!isReadOnly}
        colorMode={colorScheme === 'auto' ? 'system' : colorScheme}
        minZoom={0.1}
        fitView
      >
        <Background />
        <Controls showInteractive={false} />
        {refusal !== undefined && (
          <Panel position="top-center">
            <div className={classes['refusal']} role="alert">
              {refusal}
            </div>
          </Panel>
        )}
        {nodes.length === 0 && (
          <Panel position="top-center">
            <span className="soft">{words.emptyPicture}</span>
          </Panel>
        )}
      </ReactFlow>
    </div>
  );
}

/** The boxes where they belong; while one is dragged it is where the pointer is. */
function useNodes({ definition, portsOf, problems, selection }: CanvasProps, lines: readonly Line[]) {
  const { fitView } = useReactFlow();
  const shapes = useMemo(() => shapesOf(definition, portsOf), [definition, portsOf]);
  const places = useLayout(
    shapes.map(({ operator: { name }, width, height }) => ({ name, width, height })),
    lines.map(({ source, sink }) => [source.operatorName, sink.operatorName] as const),
  );
  const [nodes, setNodes] = useState<OperatorNode[]>([]);
  useEffect(() => {
    setNodes((before) => {
      const known = new Map(before.map((node) => [node.id, node]));
      return shapes.map((shape) => {
        const { name, place } = shape.operator;
        const earlier = known.get(name);
        return {
          ...earlier,
          id: name,
          type: 'operator',
          position: place ?? places.get(name) ?? earlier?.position ?? { x: 0, y: 0 },
          data: { shape, problems: problems.get(name) ?? 0 },
          selected: selection === `operator:${name}`,
          width: shape.width,
          height: shape.height,
          ariaLabel: name,
        };
      });
    });
  }, [shapes, places, problems, selection]);
  useEffect(() => {
    if (places.size > 0) requestAnimationFrame(() => void fitView({ maxZoom: 1, padding: 0.1 }));
  }, [places, fitView]);
  return [nodes, setNodes] as const;
}

const edgeOf = ({ id, stream, source, sink }: Line, selection: string | undefined): Edge => ({
  id,
  source: source.operatorName,
  sourceHandle: source.portName,
  target: sink.operatorName,
  targetHandle: sink.portName,
  selected: selection === `stream:${stream}`,
  ariaLabel: `${stream}: ${source.operatorName} → ${sink.operatorName}`,
});
