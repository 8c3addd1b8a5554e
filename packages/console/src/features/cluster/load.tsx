import { SimpleGrid, Text } from '@mantine/core';
import { useMemo } from 'react';
import { columnsOf } from '../../charts/series.js';
import { TimeSeries } from '../../charts/time-series.js';
import { megabytes } from '../../format/bytes.js';
import { count, percent, rate } from '../../format/number.js';
import { useTopicRefusal } from '../../gateway/use-topic.js';
import { Failure } from '../../shell/failure.js';
import { Loaded } from '../../shell/loaded.js';
import { Panel } from '../../shell/panel.js';
import { type Load, samplesOf } from './history.js';
import { useLoad } from './use-load.js';
import { words } from './words.js';

/** Messages come each five seconds: three that are missing are a gap. */
const gapMillis = 16_000;

interface Chart {
  readonly title: string;
  readonly figures: readonly { readonly name: string; readonly label: string }[];
  readonly format: (value: number | null | undefined) => string;
}

const { lines } = words;
const charts: readonly Chart[] = [
  {
    title: words.applications,
    figures: [
      { name: 'numAppsRunning', label: lines.running },
      { name: 'numAppsPending', label: lines.pending },
      { name: 'numAppsFailed', label: lines.failed },
    ],
    format: count,
  },
  {
    title: words.tuples,
    figures: [
      { name: 'tuplesProcessedPSMA', label: lines.processed },
      { name: 'tuplesEmittedPSMA', label: lines.emitted },
    ],
    format: rate,
  },
  {
    title: words.memory,
    figures: [
      { name: 'currentMemoryAllocatedMB', label: lines.allocated },
      { name: 'maxMemoryAllocatedMB', label: lines.most },
    ],
    format: megabytes,
  },
  {
    title: words.processor,
    figures: [{ name: 'cpuPercentage', label: lines.used }],
    format: (value) => percent(typeof value === 'number' ? value / 100 : value),
  },
  {
    title: words.containers,
    figures: [
      { name: 'numContainers', label: lines.containers },
      { name: 'numOperators', label: lines.operators },
    ],
    format: count,
  },
];

/** The load, as far back as this screen is open: the gateway keeps no history of it. */
export function LoadPanel() {
  const { query, history } = useLoad();
  const refusal = useTopicRefusal('cluster.metrics');
  return (
    <Panel title={words.load}>
      <Text size="sm" className="soft">
        {words.sincePage}
      </Text>
      {refusal && <Failure error={new Error(refusal.message)} what={words.refused} />}
      <Loaded query={query} what={words.load} lines={6}>
        {() => (
          <SimpleGrid cols={{ base: 1, md: 2, xl: 3 }} spacing="md">
            {charts.map((chart) => (
              <LoadChart key={chart.title} chart={chart} history={history} />
            ))}
          </SimpleGrid>
        )}
      </Loaded>
    </Panel>
  );
}

function LoadChart({ chart, history }: { readonly chart: Chart; readonly history: readonly Load[] }) {
  const { title, figures, format } = chart;
  const columns = useMemo(() => {
    const names = figures.map(({ name }) => name);
    return columnsOf(samplesOf(history, names), names.length, gapMillis);
  }, [history, figures]);
  return <TimeSeries title={title} lines={figures} columns={columns} format={format} group="cluster" />;
}
