import { Stack, Text } from '@mantine/core';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef, useState } from 'react';
import { writeExact } from '../../../format/exact-json.js';
import { exactCount } from '../../../format/number.js';
import { windowTime } from '../../../format/windows.js';
import { Moment } from '../../../shell/time.js';
import classes from './recording.module.css';
import { lineOf, type Tuple } from './tuples.js';
import { words } from './words.js';

/** Of a tuple on one line, which no screen shows whole. */
const mostCharacters = 1000;

interface Props {
  readonly count: number;
  readonly at: (index: number) => Tuple | undefined;
  readonly portName: (id: string) => string;
  readonly width: number;
  /** Which lines are looked at, last included. */
  readonly onRange?: (first: number, last: number) => void;
  /** Number of the line that has to be in sight. */
  readonly goTo?: number | undefined;
}

/** Tuples, a line each; one chosen is shown whole below. */
export function TupleList({ count, at, portName, width, onRange, goTo }: Props) {
  const scroller = useRef<HTMLDivElement>(null);
  const [chosen, setChosen] = useState<Tuple>();
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => 28,
    overscan: 20,
  });
  const items = virtual.getVirtualItems();
  const [first, last] = [items[0]?.index ?? 0, items.at(-1)?.index ?? 0];
  useEffect(() => onRange?.(first, last), [onRange, first, last]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the virtualizer stays the same.
  useEffect(() => {
    if (goTo !== undefined && count > 0) virtual.scrollToIndex(goTo, { align: 'start' });
  }, [goTo, count === 0]);
  return (
    <Stack gap="xs">
      <section ref={scroller} className={classes['scroller']} tabIndex={0} aria-label={words.tupleList}>
        <div className={classes['lines']} style={{ height: virtual.getTotalSize() }}>
          {items.map(({ index, start }) => (
            <Line
              key={index}
              index={index}
              start={start}
              tuple={at(index)}
              portName={portName}
              width={width}
              chosen={chosen}
              onChoose={setChosen}
            />
          ))}
        </div>
      </section>
      {chosen ? (
        <section className="panel" aria-label={words.tuple}>
          <pre className={`mono ${classes['whole']}`} tabIndex={0}>
            {writeExact(chosen.data)}
          </pre>
        </section>
      ) : (
        <Text size="sm" className="soft">
          {words.chooseTuple}
        </Text>
      )}
    </Stack>
  );
}

function Line({
  index,
  start,
  tuple,
  portName,
  width,
  chosen,
  onChoose,
}: {
  readonly index: number;
  readonly start: number;
  readonly tuple: Tuple | undefined;
  readonly portName: (id: string) => string;
  readonly width: number;
  readonly chosen: Tuple | undefined;
  readonly onChoose: (tuple: Tuple) => void;
}) {
  return (
    <button
      type="button"
      className={classes['line']}
      style={{ transform: `translateY(${start}px)`, width: '100%' }}
      aria-current={tuple !== undefined && tuple === chosen}
      onClick={() => tuple && onChoose(tuple)}
    >
      <span className={`figure soft ${classes['number']}`}>{exactCount(index + 1)}</span>
      <span className="soft">
        {tuple ? <Moment at={windowTime(tuple.windowId, width)} short /> : words.waiting}
      </span>
      {tuple && <bdi className="soft">{portName(tuple.portId)}</bdi>}
      <bdi className={`mono ${classes['text']}`}>
        {tuple ? lineOf(tuple.data).slice(0, mostCharacters) : ''}
      </bdi>
    </button>
  );
}
