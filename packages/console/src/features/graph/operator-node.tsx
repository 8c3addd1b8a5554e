import { Handle, type Node, type NodeProps, Position } from '@xyflow/react';
import { memo } from 'react';
import { Name } from '../../shell/name.js';
import classes from './graph.module.css';
import { useIsSelected } from './highlight.js';
import { useNodeFigures } from './live.js';
import type { ShownNode } from './shown-graph.js';
import { words } from './words.js';

export type OperatorFlowNode = Node<{ readonly node: ShownNode }, 'operator'>;

/** An operator, a partition or a fold. Only its structure is handed to it: its figures it takes by itself. */
export const OperatorNode = memo(function OperatorNode({
  data: { node },
  isConnectable,
}: NodeProps<OperatorFlowNode>) {
  const { color, sign, text, partitions, flow } = useNodeFigures(node);
  const isSelected = useIsSelected(node.id);
  const { mark, kind, title, members } = node;
  return (
    <div
      className={classes['node']}
      data-color={color}
      data-selected={isSelected || undefined}
      data-mark={mark}
      data-fold={kind === 'single' ? undefined : kind}
    >
      <Handle
        type="target"
        position={Position.Left}
        isConnectable={isConnectable}
        className={classes['handle']}
      />
      <div className={classes['title']}>
        {mark && (
          <span className={classes['mark']} title={words.marks[mark]}>
            {words.signs[mark]}
          </span>
        )}
        <Name>{words.foldTitle(kind, title, members.length)}</Name>
        {partitions > 1 && <span className={classes['count']}>{words.times(partitions)}</span>}
      </div>
      <div className={classes['figures']}>
        <span>
          <span className={classes['sign']} aria-hidden>
            {sign}
          </span>{' '}
          {text}
        </span>
        <span>{flow}</span>
      </div>
      <Handle
        type="source"
        position={Position.Right}
        isConnectable={isConnectable}
        className={classes['handle']}
      />
    </div>
  );
});
