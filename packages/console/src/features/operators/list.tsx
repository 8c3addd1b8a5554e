import { Link } from '@tanstack/react-router';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useRef } from 'react';
import { duration } from '../../format/duration.js';
import { exactCount, rate, unknown } from '../../format/number.js';
import { usePreferences } from '../../gateway/preferences.js';
import { Name } from '../../shell/name.js';
import table from '../../shell/row-table.module.css';
import { State } from '../../shell/state.js';
import classes from './operators.module.css';
import { type Row, shortClass, stateOf } from './rows.js';
import { words } from './words.js';

interface Props {
  readonly appid: string;
  readonly rows: readonly Row[];
  readonly lags: ReadonlyMap<string, number | undefined>;
}

/** Operators in the order of the plan: that never jumps. The lines on screen exist, whatever their number. */
export function OperatorList({ appid, rows, lags }: Props) {
  const { density } = usePreferences();
  const scroller = useRef<HTMLDivElement>(null);
  const height = density === 'compact' ? 32 : 40;
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => height,
    getItemKey: (index) => rows[index]?.name ?? index,
    overscan: 8,
  });
  const { state, name, ...figures } = words.columns;
  return (
    <div
      role="table"
      aria-label={words.title}
      aria-rowcount={rows.length + 1}
      className={`${table['scroller']} ${classes['scroller']}`}
      ref={scroller}
      tabIndex={0}
      data-density={density}
    >
      <div role="row" aria-rowindex={1} className={`${table['head']} ${classes['head']}`}>
        <span role="columnheader">{state}</span>
        <span role="columnheader">{name}</span>
        {Object.values(figures).map((title) => (
          <span key={title} role="columnheader" className="figure">
            {title}
          </span>
        ))}
      </div>
      <div className={classes['lines']} style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index, start, key }) => {
          const row = rows[index];
          return (
            row && (
              <div key={key} className={classes['line']} style={{ transform: `translateY(${start}px)` }}>
                <Line appid={appid} row={row} lag={lags.get(row.name)} index={index} />
              </div>
            )
          );
        })}
      </div>
    </div>
  );
}

function Line({
  appid,
  row,
  lag,
  index,
}: {
  readonly appid: string;
  readonly row: Row;
  readonly lag: number | undefined;
  readonly index: number;
}) {
  return (
    <div role="row" aria-rowindex={index + 2} className={`${table['row']} ${classes['row']}`}>
      <span role="cell">
        <State state={stateOf(row.status)} />
      </span>
      <span role="cell" className={classes['name']}>
        <Link to="/apps/$id/operators/$name" params={{ id: appid, name: row.name }}>
          <Name>{row.name}</Name>
        </Link>
        <small className="soft" title={row.className}>
          {shortClass(row.className)}
        </small>
      </span>
      <span role="cell" className="figure">
        {rate(row.tuplesProcessedPSMA)}
      </span>
      <span role="cell" className="figure">
        {rate(row.tuplesEmittedPSMA)}
      </span>
      <span role="cell" className="figure">
        {duration(row.latencyMA)}
      </span>
      <span role="cell" className="figure">
        {lag === undefined ? unknown : words.windows(lag)}
      </span>
      <span role="cell" className="figure">
        {row.partitions.length}
      </span>
      <span role="cell" className="figure">
        {exactCount(row.failureCount)}
      </span>
    </div>
  );
}
