import { useVirtualizer } from '@tanstack/react-virtual';
import { useMemo, useRef, useState } from 'react';
import { usePreferences } from '../../gateway/preferences.js';
import table from '../../shell/row-table.module.css';
import classes from './applications.module.css';
import type { Sorting } from './list-search.js';
import { ApplicationRow } from './row.js';
import { inOrderOf, nextSorting, type Row } from './rows.js';
import { words } from './words.js';

const columns = [
  { title: words.columns.state, sort: 'state' },
  { title: words.columns.name, sort: 'name' },
  { title: words.columns.user, sort: 'user' },
  { title: words.columns.processed, isFigure: true },
  { title: words.columns.emitted, isFigure: true },
  { title: words.columns.latency, isFigure: true },
  { title: words.columns.up, sort: 'started', isFigure: true },
  { title: words.columns.actions, isHidden: true },
] as const;

interface Props {
  readonly rows: readonly Row[];
  readonly sort: Sorting | undefined;
  readonly onSort: (sort: Sorting | undefined) => void;
}

/** A list of any length, of which the lines on screen exist. Its order stands still while somebody points into it. */
export function ApplicationList({ rows, sort, onSort }: Props) {
  const { density } = usePreferences();
  const [frozen, setFrozen] = useState<readonly string[]>();
  const shown = useMemo(() => (frozen ? inOrderOf(frozen, rows) : rows), [frozen, rows]);
  const scroller = useRef<HTMLDivElement>(null);
  const height = density === 'compact' ? 32 : 40;
  const virtual = useVirtualizer({
    count: shown.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => height,
    getItemKey: (index) => shown[index]?.id ?? index,
    overscan: 6,
  });
  const freeze = () => setFrozen((before) => before ?? rows.map(({ id }) => id));
  const thaw = () => setFrozen(undefined);
  return (
    <div
      role="table"
      aria-label={words.title}
      aria-rowcount={shown.length + 1}
      className={`${table['scroller']} ${classes['scroller']}`}
      ref={scroller}
      tabIndex={0}
      onMouseEnter={freeze}
      onMouseLeave={thaw}
      onFocus={freeze}
      onBlur={({ currentTarget, relatedTarget }) => {
        if (!currentTarget.contains(relatedTarget)) thaw();
      }}
      data-density={density}
    >
      <div role="row" aria-rowindex={1} className={`${table['head']} ${classes['head']}`}>
        {columns.map((column) => (
          <Head key={column.title} column={column} sort={sort} onSort={onSort} />
        ))}
      </div>
      <div style={{ height: virtual.getTotalSize(), position: 'relative' }}>
        {virtual.getVirtualItems().map(({ index, start, key }) => {
          const app = shown[index];
          return (
            app && (
              <div
                key={key}
                style={{ position: 'absolute', insetInline: 0, transform: `translateY(${start}px)` }}
              >
                <ApplicationRow app={app} index={index} />
              </div>
            )
          );
        })}
      </div>
    </div>
  );
}

function Head({
  column,
  sort,
  onSort,
}: {
  readonly column: (typeof columns)[number];
  readonly sort: Sorting | undefined;
  readonly onSort: Props['onSort'];
}) {
  const className = 'isFigure' in column ? 'figure' : '';
  if (!('sort' in column))
    return (
      <span role="columnheader" className={className}>
        <span className={'isHidden' in column ? 'visually-hidden' : ''}>{column.title}</span>
      </span>
    );
  const direction = sort === column.sort ? 'ascending' : sort === `-${column.sort}` ? 'descending' : 'none';
  const sign = { ascending: ' ↑', descending: ' ↓', none: '' }[direction];
  return (
    <span role="columnheader" className={className} aria-sort={direction}>
      <button
        type="button"
        className={classes['sort']}
        onClick={() => onSort(nextSorting(column.sort, sort))}
      >
        {column.title}
        {sign}
      </button>
    </span>
  );
}
