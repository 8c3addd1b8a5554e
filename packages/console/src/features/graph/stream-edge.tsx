import { BaseEdge, type Edge, type EdgeProps } from '@xyflow/react';
import { memo } from 'react';
import { useIsCritical } from './critical-path.js';
import { type LabelSide, labelPlace, roundedPath } from './edge-path.js';
import classes from './graph.module.css';
import { useIsSelected } from './highlight.js';
import type { Point } from './layout-input.js';
import { useEdgeRate } from './live.js';
import type { ShownEdge } from './shown-graph.js';
import { words } from './words.js';

interface Drawn {
  readonly edge: ShownEdge;
  readonly points: readonly Point[];
  readonly side: LabelSide;
}

export type StreamFlowEdge = Edge<Drawn & Record<string, unknown>, 'stream'>;

/** One stream, or several between the same two; its rate stands on it. */
export const StreamEdge = memo(function StreamEdge({
  data,
  sourceX,
  sourceY,
  targetX,
  targetY,
  markerEnd,
}: EdgeProps<StreamFlowEdge>) {
  if (!data) return null;
  const straight = [
    { x: sourceX, y: sourceY },
    { x: targetX, y: targetY },
  ];
  const points = data.points.length > 1 ? data.points : straight;
  return (
    <Line
      edge={data.edge}
      points={points}
      side={data.side}
      {...(markerEnd === undefined ? {} : { markerEnd })}
    />
  );
});

function Line({
  edge,
  points,
  side,
  markerEnd,
}: {
  readonly edge: ShownEdge;
  readonly points: readonly Point[];
  readonly side: LabelSide;
  readonly markerEnd?: string;
}) {
  const rate = useEdgeRate(edge);
  const isCritical = useIsCritical(edge);
  const isSelected = useIsSelected(edge.id);
  const { x, y } = labelPlace(points, side);
  const sign = edge.mark ? `${words.signs[edge.mark]} ` : '';
  return (
    <g
      className={classes['edge']}
      data-critical={isCritical || undefined}
      data-selected={isSelected || undefined}
      data-mark={edge.mark}
    >
      <BaseEdge
        path={roundedPath(points)}
        interactionWidth={16}
        {...(markerEnd === undefined ? {} : { markerEnd })}
      />
      <text x={x} y={y - 5} textAnchor="middle" className={classes['rate']}>
        {sign}
        {edge.links.length > 1 ? `${rate} ${words.times(edge.links.length)}` : rate}
      </text>
    </g>
  );
}
