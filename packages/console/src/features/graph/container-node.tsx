import type { Node, NodeProps } from '@xyflow/react';
import { memo } from 'react';
import { Name } from '../../shell/name.js';
import classes from './graph.module.css';
import { words } from './words.js';

export type ContainerFlowNode = Node<{ readonly container: string }, 'container'>;

export const ContainerNode = memo(function ContainerNode({
  data: { container },
}: NodeProps<ContainerFlowNode>) {
  return (
    <div className={classes['container']}>
      <Name tail={10}>{words.container(container)}</Name>
    </div>
  );
});
