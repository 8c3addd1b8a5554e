import { SegmentedControl, Stack, Switch, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { megabytes } from '../../format/bytes.js';
import { duration } from '../../format/duration.js';
import { compact, count, percent, rate } from '../../format/number.js';
import { momentWithOffset } from '../../format/time.js';
import { useMay } from '../../gateway/capabilities.js';
import { client } from '../../gateway/client.js';
import { usePreferences } from '../../gateway/preferences.js';
import { type AnswerOf, changed, read } from '../../gateway/queries.js';
import { Facts } from '../../shell/facts.js';
import { Loaded } from '../../shell/loaded.js';
import { failed, said } from '../../shell/notify.js';
import { Panel } from '../../shell/panel.js';
import { isClientError } from '../../shell/words.js';
import { words } from './words.js';

const periods = ['total', 'previous', 'current'] as const;
type Period = (typeof periods)[number];

export default function Usage() {
  const [period, setPeriod] = useState<Period>('total');
  const query = useQuery(read('getUsageReport', { query: { period } }));
  const { error } = query;
  const isUnmeasured = isClientError(error) && error.status === 404;
  return (
    <Panel title={words.usage} actions={<MeasureSwitch />}>
      <Text size="sm" className="soft">
        {words.usageHint}
      </Text>
      <SegmentedControl
        aria-label={words.period}
        value={period}
        onChange={(value) => setPeriod(periods.find((one) => one === value) ?? 'total')}
        data={periods.map((value) => ({ value, label: words.periods[value] }))}
      />
      {isUnmeasured ? (
        <Text size="sm">{words.noReport}</Text>
      ) : (
        <Loaded query={query} what={words.usage}>
          {({ metrics }) => <Figures metrics={metrics} />}
        </Loaded>
      )}
    </Panel>
  );
}

function MeasureSwitch() {
  const may = useMay();
  const { data } = useQuery(read('getUsageSwitch', {}));
  const allowed = may('putUsageSwitch');
  /** Until the gateway has it. */
  const [sent, setSent] = useState<boolean>();
  const set = async (isOn: boolean) => {
    setSent(isOn);
    try {
      await client.putUsageSwitch({ body: { value: isOn } });
      said(isOn ? words.on : words.off);
    } catch (error) {
      failed(words.usageSwitch, error);
    }
    await changed('getUsageSwitch', 'getUsageReport', 'listProperties');
    setSent(undefined);
  };
  return (
    <Stack gap={0}>
      <Switch
        label={words.usageSwitch}
        checked={sent ?? data?.value === 'true'}
        disabled={!allowed.ok || data === undefined || sent !== undefined}
        onChange={({ currentTarget }) => void set(currentTarget.checked)}
        {...(allowed.ok ? {} : { description: allowed.reason })}
      />
    </Stack>
  );
}

function Figures({ metrics }: { readonly metrics: AnswerOf<'getUsageReport'>['metrics'] }) {
  const { zone } = usePreferences();
  const { figures } = words;
  return (
    <Facts
      facts={[
        [figures.start, momentWithOffset(metrics.startTime, zone)],
        [figures.end, momentWithOffset(metrics.endTime, zone)],
        [figures.up, duration(metrics.gatewayUpTimeMills)],
        [
          figures.apps,
          words.range(
            count(metrics.appsRunningMin),
            compact(metrics.appsRunningAvg),
            count(metrics.appsRunningMax),
          ),
        ],
        [figures.age, duration(metrics.ageOfAppsAvg)],
        [figures.finished, count(metrics.numAppsFinished)],
        [figures.processed, rate(metrics.tuplesProcessedPSMA)],
        [figures.emitted, rate(metrics.tuplesEmittedPSMA)],
        [figures.cpu, percent(metrics.cpuPercentage === undefined ? undefined : metrics.cpuPercentage / 100)],
        [figures.memory, megabytes(metrics.currentMemoryAllocatedMB)],
        [figures.memoryMost, megabytes(metrics.memMBMax)],
        [figures.containers, compact(metrics.numOfContainersAvg)],
        [figures.operators, compact(metrics.numOfOperatorsAvg)],
      ]}
    />
  );
}
