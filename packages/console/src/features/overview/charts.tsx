import { SimpleGrid, Text } from '@mantine/core';
import { useMemo } from 'react';
import { barsOf } from '../../charts/histogram.js';
import { columnsOf, continued, type Sample } from '../../charts/series.js';
import { TimeSeries } from '../../charts/time-series.js';
import { megabytes } from '../../format/bytes.js';
import { duration } from '../../format/duration.js';
import { exactCount, rate } from '../../format/number.js';
import type { Span } from '../../shell/time-range.js';
import type { Figures } from './use-figures.js';
import type { History } from './use-history.js';
import { words } from './words.js';

interface Props {
  readonly id: string;
  readonly span: Span;
  readonly history: History | undefined;
  readonly figures: Figures;
  /** Epoch milliseconds of what failed; `undefined`: nobody can tell. */
  readonly failures: readonly number[] | undefined;
  readonly onSelect: (from: number, to: number) => void;
}

const most = 20_000;

/** There is no half of a failure, on the axis either. */
const whole = (value: number | null | undefined): string =>
  Number.isInteger(value ?? 0) ? exactCount(value) : '';

const lines = {
  rates: [{ label: words.processed }, { label: words.emitted }],
  latency: [{ label: words.latency }],
  memory: [{ label: words.used }, { label: words.allocated }],
  failures: [{ label: words.failed }],
};

/** Four charts with one axis of time and one cursor. */
export function Charts({ id, span, history, figures, failures, onSelect }: Props) {
  const gap = 3 * (history?.step ?? 10_000);
  const rates = useColumns(history?.rates, figures.rates, 2, gap);
  const latency = useColumns(history?.latency, figures.latency, 1, gap);
  const memory = useColumns(history?.memory, figures.memory, 2, gap);
  const failed = useMemo(
    () => failureColumns(failures ?? [], span.from, span.to),
    [failures, span.from, span.to],
  );
  const shared = { group: `overview ${id}`, range: span, onSelect };
  return (
    <>
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <TimeSeries {...shared} title={words.tuples} lines={lines.rates} columns={rates} format={rate} />
        <TimeSeries
          {...shared}
          title={words.latencyOf}
          lines={lines.latency}
          columns={latency}
          format={duration}
        />
        <TimeSeries
          {...shared}
          title={words.memory}
          lines={lines.memory}
          columns={memory}
          format={megabytes}
        />
        {failures && (
          <TimeSeries
            {...shared}
            title={words.failureCount}
            lines={lines.failures}
            columns={failed}
            format={whole}
            kind="bars"
          />
        )}
      </SimpleGrid>
      <Text size="xs" className="soft">
        {words.drag}
      </Text>
    </>
  );
}

const useColumns = (
  history: readonly Sample[] | undefined,
  live: readonly Sample[],
  count: number,
  gap: number,
) => useMemo(() => columnsOf(continued(history ?? [], live, most), count, gap), [history, live, count, gap]);

function failureColumns(moments: readonly number[], from: number, to: number) {
  const bars = barsOf(moments, from, to, 60);
  const samples = bars.map((bar) => ({ at: bar.from, values: [bar.count] }));
  return columnsOf(samples, 1, Number.POSITIVE_INFINITY);
}
