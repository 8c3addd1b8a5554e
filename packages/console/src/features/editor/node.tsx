import { Handle, type Node, type NodeProps, Position } from '@xyflow/react';
import { memo } from 'react';
import classes from './editor.module.css';
import type { Shape } from './picture.js';
import type { Port } from './port-types.js';

export type OperatorNode = Node<{ readonly shape: Shape; readonly problems: number }, 'operator'>;

const shortOf = (className: string): string => className.split('.').at(-1) ?? className;

export const OperatorBox = memo(function OperatorBox({ data, selected }: NodeProps<OperatorNode>) {
  const { shape, problems } = data;
  const { operator, inputs, outputs } = shape;
  return (
    <div
      className={classes['node']}
      data-selected={selected}
      data-wrong={problems > 0}
      style={{ width: shape.width, height: shape.height }}
    >
      <div className={classes['nodeHead']}>
        <strong title={operator.name}>
          <bdi>{operator.name}</bdi>
        </strong>
        <small title={operator.class}>
          {problems > 0 && <span aria-hidden>▲ </span>}
          {shortOf(operator.class)}
        </small>
      </div>
      <Ports ports={inputs} kind="target" />
      <Ports ports={outputs} kind="source" />
    </div>
  );
});

function Ports({ ports, kind }: { readonly ports: readonly Port[]; readonly kind: 'source' | 'target' }) {
  return (
    <div className={classes['ports']} data-kind={kind}>
      {ports.map(({ name, type = 'any' }) => (
        <div key={name} className={classes['port']} title={`${name}: ${type}`}>
          <Handle
            id={name}
            type={kind}
            position={kind === 'target' ? Position.Left : Position.Right}
            className={classes['handle'] ?? ''}
          />
          <span>{name}</span>
        </div>
      ))}
    </div>
  );
}
