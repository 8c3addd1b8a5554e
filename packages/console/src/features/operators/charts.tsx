import { SimpleGrid } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { type Columns, columnsOf, continued, type Sample } from '../../charts/series.js';
import { TimeSeries } from '../../charts/time-series.js';
import { duration } from '../../format/duration.js';
import { percent, rate } from '../../format/number.js';
import { useMay } from '../../gateway/capabilities.js';
import { read } from '../../gateway/queries.js';
import { Failure } from '../../shell/failure.js';
import { isClientError } from '../../shell/words.js';
import { sampleOf, samplesOf } from './samples.js';
import { words } from './words.js';

/** Engines keep statistics each 10 s or so; where nothing was told for longer, the line is broken. */
const gapMillis = 60_000;
const mostLive = 1800;
const most = 12_000;
const rateLines = [{ label: words.inLine }, { label: words.outLine }];
const latencyLines = [{ label: words.latency }];
const processorLines = [{ label: words.processor }];
const ofHundred = (value: number | null | undefined): string =>
  percent(value === null || value === undefined ? undefined : value / 100);

interface Props {
  readonly appid: string;
  readonly name: string;
  /** One partition; default: all of them together. */
  readonly opId?: string;
  /** As the topic tells them now. */
  readonly figures: Parameters<typeof sampleOf>[1] | undefined;
  readonly receivedAt: number | undefined;
}

/** What was recorded, and then what comes. */
export function Charts({ appid, name, opId, figures, receivedAt }: Props) {
  const may = useMay()('listOperatorStats');
  const { data, error, refetch } = useQuery({
    ...read('listOperatorStats', { params: { appid, opName: name } }),
    enabled: may.ok,
  });
  const [live, setLive] = useState<readonly Sample[]>([]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each message is one sample.
  useEffect(() => {
    if (receivedAt === undefined || !figures) return;
    setLive((before) => [...before.slice(1 - mostLive), sampleOf(receivedAt, figures)]);
  }, [receivedAt]);
  const [xs, inward = [], outward = [], late = [], processor = []] = useMemo(() => {
    const history = samplesOf(data?.operatorStats ?? [], gapMillis, opId);
    return columnsOf(continued(history, live, most), 4, gapMillis);
  }, [data, live, opId]);
  const rates: Columns = useMemo(() => [xs, inward, outward], [xs, inward, outward]);
  const latency: Columns = useMemo(() => [xs, late], [xs, late]);
  const cpu: Columns = useMemo(() => [xs, processor], [xs, processor]);
  // Nothing is recorded yet, or the driver keeps nothing: the charts begin now.
  const isFailed = error && !(isClientError(error) && [404, 501].includes(error.status));
  return (
    <>
      {isFailed && <Failure error={error} what={words.rates} retry={refetch} />}
      <SimpleGrid cols={{ base: 1, md: 3 }} spacing="lg">
        <TimeSeries title={words.rates} lines={rateLines} columns={rates} format={rate} group={name} />
        <TimeSeries
          title={words.latency}
          lines={latencyLines}
          columns={latency}
          format={duration}
          group={name}
        />
        <TimeSeries
          title={words.processor}
          lines={processorLines}
          columns={cpu}
          format={ofHundred}
          group={name}
        />
      </SimpleGrid>
    </>
  );
}
