import { SimpleGrid } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { columnsOf } from '../../charts/series.js';
import { TimeSeries } from '../../charts/time-series.js';
import { megabytes } from '../../format/bytes.js';
import { percent } from '../../format/number.js';
import { useMay } from '../../gateway/capabilities.js';
import { read } from '../../gateway/queries.js';
import { Failure } from '../../shell/failure.js';
import { isClientError } from '../../shell/words.js';
import type { Row } from './rows.js';
import { continuedLooks, gcSamples, type Look, lookOf, looksAt, memorySamples } from './samples.js';
import { words } from './words.js';

const memoryLines = [{ label: words.used }, { label: words.allocated }];
const gcLines = [{ label: words.gcLine }];
/** Engines keep statistics each 10 s or so; where nothing was told for longer, the line is broken. */
const gapMillis = 60_000;
/** Looks that came live: half an hour of one a second. */
const mostLive = 1800;
const most = 5000;

/** What was recorded, and then what comes. */
export function Charts({
  appid,
  row,
  receivedAt,
}: {
  readonly appid: string;
  readonly row: Row;
  readonly receivedAt: number | undefined;
}) {
  const { id, memoryMBAllocated } = row;
  const may = useMay()('listContainerStats');
  const { data, error, refetch } = useQuery({
    ...read('listContainerStats', { params: { appid } }),
    enabled: may.ok,
  });
  const live = useLooks(row, receivedAt);
  const { memory, gc } = useMemo(() => {
    const looks = continuedLooks(looksAt(data?.containerStats ?? [], id), live, most);
    return {
      memory: columnsOf(memorySamples(looks, memoryMBAllocated), 2, gapMillis),
      gc: columnsOf(gcSamples(looks), 1, gapMillis),
    };
  }, [data, live, id, memoryMBAllocated]);
  // Nothing is recorded yet, or the driver keeps nothing: the chart begins now.
  const isFailed = error && !(isClientError(error) && [404, 501].includes(error.status));
  return (
    <>
      {isFailed && <Failure error={error} what={words.memoryOverTime} retry={refetch} />}
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
        <TimeSeries
          title={words.memoryOverTime}
          lines={memoryLines}
          columns={memory}
          format={megabytes}
          group="container"
        />
        <TimeSeries
          title={words.gcOverTime}
          lines={gcLines}
          columns={gc}
          format={percent}
          group="container"
        />
      </SimpleGrid>
    </>
  );
}

function useLooks(row: Row, receivedAt: number | undefined): readonly Look[] {
  const [looks, setLooks] = useState<readonly Look[]>([]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each message is one look.
  useEffect(() => {
    const look = receivedAt === undefined ? undefined : lookOf(row);
    if (look)
      setLooks((before) => (before.at(-1)?.at === look.at ? before : [...before.slice(1 - mostLive), look]));
  }, [receivedAt]);
  return looks;
}
