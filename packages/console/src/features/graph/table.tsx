import { Link } from '@tanstack/react-router';
import { useVirtualizer } from '@tanstack/react-virtual';
import { memo, useMemo, useRef } from 'react';
import { duration } from '../../format/duration.js';
import { exactCount, percent, rate, unknown } from '../../format/number.js';
import { Name } from '../../shell/name.js';
import { State } from '../../shell/state.js';
import classes from './graph.module.css';
import { useFigures, useLiveGraph } from './live.js';
import type { PlanGraph, PlanNode } from './plan-graph.js';
import { worstState } from './scale.js';
import { words } from './words.js';

const height = 36;

/** The same as the graph in lines: nothing is folded, each line can be reached and read. */
export function GraphTable({
  graph,
  selected,
}: {
  readonly graph: PlanGraph;
  readonly selected: ReadonlySet<string>;
}) {
  const { mode } = useLiveGraph();
  const scroller = useRef<HTMLDivElement>(null);
  const rows = graph.nodes;
  const first = useMemo(() => rows.findIndex(({ id }) => selected.has(id)), [rows, selected]);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => height,
    getItemKey: (index) => rows[index]?.id ?? index,
    overscan: 8,
    initialOffset: Math.max(0, first - 3) * height,
  });
  const heads = [
    words.operator,
    words.state,
    mode === 'logical' ? words.partitionsColumn : words.containerColumn,
    words.processed,
    words.emitted,
    words.latency,
    words.lag,
    words.cpu,
    words.failures,
  ];
  return (
    <div
      role="table"
      aria-label={words.columns}
      aria-rowcount={rows.length + 1}
      className={classes['table']}
      ref={scroller}
      tabIndex={0}
    >
      <div role="row" aria-rowindex={1} className={classes['head']}>
        {heads.map((head, column) => (
          <span key={head} role="columnheader" className={column > 2 ? 'figure' : ''}>
            {head}
          </span>
        ))}
      </div>
      <div style={{ height: virtual.getTotalSize(), position: 'relative' }}>
        {virtual.getVirtualItems().map(({ index, start, key }) => {
          const node = rows[index];
          return (
            node && (
              <div
                key={key}
                style={{ position: 'absolute', insetInline: 0, transform: `translateY(${start}px)` }}
              >
                <Row node={node} index={index} isSelected={selected.has(node.id)} />
              </div>
            )
          );
        })}
      </div>
    </div>
  );
}

interface RowProps {
  readonly node: PlanNode;
  readonly index: number;
  readonly isSelected: boolean;
}

const Row = memo(function Row({ node, index, isSelected }: RowProps) {
  const { id, mode } = useLiveGraph();
  const ids = useMemo(() => [node.id], [node]);
  const figures = useFigures(ids);
  const state = figures && worstState(figures.states);
  const texts = [
    rate(figures?.processed),
    rate(figures?.emitted),
    duration(figures?.latency),
    figures?.lag === undefined ? unknown : words.windows(figures.lag),
    figures ? percent(figures.cpu / 100) : unknown,
    exactCount(figures?.failures),
  ];
  const sel = mode === 'logical' ? `op:${node.id}` : `part:${node.id}`;
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      className={classes['row']}
      data-selected={isSelected || undefined}
    >
      <span role="cell" className={classes['cell']}>
        <Link
          from="/apps/$id/graph"
          to="/apps/$id/graph"
          params={{ id }}
          search={(before) => ({ ...before, sel })}
        >
          <Name>{mode === 'logical' ? node.name : `${node.name} ${node.id}`}</Name>
        </Link>
      </span>
      <span role="cell">{state === undefined ? unknown : <State state={state} />}</span>
      <span role="cell" className={classes['cell']}>
        {mode === 'logical' ? (
          exactCount(figures?.partitions)
        ) : (
          <Name tail={10}>{node.container ?? unknown}</Name>
        )}
      </span>
      {texts.map((text, column) => (
        <span key={column} role="cell" className="figure">
          {text}
        </span>
      ))}
    </div>
  );
});
