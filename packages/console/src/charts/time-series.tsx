import 'uplot/dist/uPlot.min.css';
import { useComputedColorScheme } from '@mantine/core';
import { useElementSize, useMergedRef } from '@mantine/hooks';
import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import { moment, momentWithOffset } from '../format/time.js';
import { usePreferences } from '../gateway/preferences.js';
import { ChartTable } from './chart-table.js';
import { type Columns, type Line, thinned } from './series.js';
import classes from './time-series.module.css';

interface Props {
  readonly title: string;
  readonly lines: readonly Line[];
  readonly columns: Columns;
  /** Of values on the axis and in the legend. */
  readonly format: (value: number | null | undefined) => string;
  /** Charts of one group share a cursor. */
  readonly group?: string;
  readonly height?: number;
  /** A range that somebody has drawn with the pointer, in epoch milliseconds. Absent: nothing can be drawn. */
  readonly onSelect?: (from: number, to: number) => void;
  /** Of the axis of time, in epoch milliseconds. Absent: as far as there are values. */
  readonly range?: { readonly from: number; readonly to: number };
  /** Default `line`. Of bars each value belongs to the time that begins with it. */
  readonly kind?: 'line' | 'bars';
}

const dashes: readonly (number[] | undefined)[] = [
  undefined,
  undefined,
  undefined,
  [8, 4],
  [2, 3],
  [8, 3, 2, 3],
];

/** Values over time. The one place where uPlot is used: made once, given new data, made anew for new lines, colours or sizes. */
export function TimeSeries(props: Props) {
  const { title, lines, columns, format, group, height = 160, onSelect, range, kind = 'line' } = props;
  const { ref: sized, width } = useElementSize<HTMLDivElement>();
  const place = useRef<HTMLDivElement>(null);
  const ref = useMergedRef(sized, place);
  const { zone } = usePreferences();
  const scheme = useComputedColorScheme();
  const plot = useRef<uPlot>(undefined);
  const select = useRef(onSelect);
  select.current = onSelect;
  const latest = useRef(columns);
  latest.current = columns;
  const shown = useRef(range);
  shown.current = range;
  const labels = lines.map(({ label }) => label).join('\n');

  // biome-ignore lint/correctness/useExhaustiveDependencies: colours come from the scheme, lines from their labels.
  useEffect(() => {
    if (width === 0 || !place.current) return;
    const element = place.current;
    const made = new uPlot(
      optionsOf({
        element,
        lines,
        width,
        height,
        format,
        zone,
        group,
        canSelect: onSelect !== undefined,
        select,
        shown,
        kind,
      }),
      dataOf(latest.current, width),
      element,
    );
    plot.current = made;
    return () => {
      plot.current = undefined;
      made.destroy();
    };
  }, [width, height, labels, scheme, zone, group, kind, onSelect === undefined, range === undefined]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: another range is another picture of the same values.
  useEffect(() => plot.current?.setData(dataOf(columns, width)), [columns, width, range?.from, range?.to]);

  return (
    <figure className={classes['figure']} aria-label={title}>
      <figcaption>{title}</figcaption>
      <div ref={ref} className={classes['plot']} style={{ minHeight: height }} />
      <ChartTable title={title} lines={lines} columns={columns} format={format} />
    </figure>
  );
}

const dataOf = (columns: Columns, width: number): uPlot.AlignedData => {
  const [xs, ...rest] = thinned(columns, Math.max(60, width * 2));
  return [[...xs], ...rest.map((line) => [...line])];
};

/** Clocks, with seconds only where they differ; days where a step is one. */
function timesOf(seconds: readonly number[], zone: string): string[] {
  const [first = 0, second = first] = seconds;
  const at = (one: number) => moment(one * 1000, zone);
  if (second - first >= 86_400) return seconds.map((one) => at(one).slice(0, 10));
  const hasSeconds = seconds.some((one) => one % 60 !== 0);
  return seconds.map((one) => at(one).slice(11, hasSeconds ? 19 : 16));
}

const endsOf = ({ from, to } = { from: 0, to: 1000 }): [number, number] => [from / 1000, to / 1000];

function barsIn(color: string): Partial<uPlot.Series> {
  const paths = uPlot.paths.bars?.({ align: 1, size: [0.9, 40] });
  return { fill: color, points: { show: false }, ...(paths ? { paths } : {}) };
}

interface OptionsInput {
  readonly element: HTMLElement;
  readonly lines: readonly Line[];
  readonly width: number;
  readonly height: number;
  readonly format: Props['format'];
  readonly zone: string;
  readonly group: string | undefined;
  readonly canSelect: boolean;
  readonly select: { readonly current: Props['onSelect'] };
  readonly shown: { readonly current: Props['range'] };
  readonly kind: NonNullable<Props['kind']>;
}

function optionsOf(input: OptionsInput): uPlot.Options {
  const { element, lines, width, height, format, zone, group, canSelect, select, shown, kind } = input;
  const style = getComputedStyle(element);
  const color = (name: string) => style.getPropertyValue(name).trim();
  const axis = {
    stroke: color('--text-soft'),
    grid: { stroke: color('--line'), width: 1 },
    ticks: { show: false },
  };
  return {
    width,
    height,
    ...(zone === 'browser'
      ? {}
      : { tzDate: (seconds: number) => uPlot.tzDate(new Date(seconds * 1000), zone) }),
    cursor: {
      ...(group === undefined ? {} : { sync: { key: group } }),
      drag: { x: canSelect, y: false, setScale: false },
    },
    legend: { live: true },
    series: [
      {
        label: 'Time',
        value: (_, seconds) => (seconds === null ? '–' : momentWithOffset(seconds * 1000, zone)),
      },
      ...lines.map(({ label }, index) => ({
        label,
        stroke: color(`--series-${(index % 6) + 1}`),
        width: 1.5,
        spanGaps: false,
        ...(kind === 'bars' ? barsIn(color(`--series-${(index % 6) + 1}`)) : {}),
        ...(dashes[index] ? { dash: dashes[index] } : {}),
        value: (_: uPlot, value: number | null) => format(value),
      })),
    ],
    axes: [
      { ...axis, size: 28, values: (_, seconds) => timesOf(seconds, zone) },
      { ...axis, size: 64, values: (_, values) => values.map((value) => format(value)) },
    ],
    scales: {
      ...(shown.current ? { x: { range: () => endsOf(shown.current) } } : {}),
      y: { range: (_, least, most) => [Math.min(0, least ?? 0), most > 0 ? most * 1.1 : 1] },
    },
    hooks: {
      setSelect: [
        (u) => {
          if (u.select.width < 4) return;
          const [from, to] = [u.select.left, u.select.left + u.select.width].map(
            (x) => u.posToVal(x, 'x') * 1000,
          );
          select.current?.(Math.floor(from ?? 0), Math.ceil(to ?? 0));
          u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
        },
      ],
    },
  };
}
