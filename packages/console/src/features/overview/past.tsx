import { Text } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { momentWithOffset } from '../../format/time.js';
import { useMay } from '../../gateway/capabilities.js';
import { isFailure } from '../../gateway/event-list.js';
import { usePreferences } from '../../gateway/preferences.js';
import { serverNow } from '../../gateway/server-clock.js';
import { useEvents } from '../../gateway/use-events.js';
import { Failure } from '../../shell/failure.js';
import { Panel } from '../../shell/panel.js';
import { RangePicker } from '../../shell/range-picker.js';
import { useNow } from '../../shell/ticker.js';
import { spanOf, standing } from '../../shell/time-range.js';
import { Charts } from './charts.js';
import type { Figures } from './use-figures.js';
import { type History, useHistory } from './use-history.js';
import { words } from './words.js';

const usual = '1h';

interface Props {
  readonly app: { readonly id: string; readonly startedTime: number; readonly finishedTime: number };
  readonly figures: Figures;
}

/** How an application was over time: from what is kept, and then as it comes. */
export function Past({ app, figures }: Props) {
  const search = useSearch({ from: '/framed/apps/$id/' });
  const navigate = useNavigate({ from: '/apps/$id' });
  const may = useMay();
  const now = useNow();
  const isOver = app.finishedTime > 0;
  const isLive = !isOver && standing(search) === undefined;
  const end = isOver ? app.finishedTime : now;
  const span = spanOf(search, app.startedTime, end, usual);
  const key = JSON.stringify([search, app.finishedTime]);
  const spanNow = () => spanOf(search, app.startedTime, isOver ? app.finishedTime : serverNow(), usual);
  const mayRead = may('listOperatorStats').ok && may('listContainerStats').ok;
  const history = useHistory(app.id, key, spanNow, mayRead);
  const failures = useFailures(app.id, key, spanNow, isLive, standing(search)?.to);
  return (
    <Panel
      title={words.charts}
      actions={
        <RangePicker
          search={search}
          usual={usual}
          onChoose={(range) => void navigate({ to: '.', search: range ? { range } : {}, replace: true })}
        />
      }
    >
      {history.error && (
        <Failure error={history.error} what={words.charts} retry={() => void history.refetch()} />
      )}
      {history.data && <Notes history={history.data} isOver={isOver} asked={span.from} />}
      <Charts
        id={app.id}
        span={span}
        history={history.data}
        figures={isLive ? figures : nothing}
        failures={failures}
        onSelect={(from, to) => void navigate({ to: '.', search: { from, to } })}
      />
    </Panel>
  );
}

const nothing: Figures = { rates: [], latency: [], memory: [] };

/** When something failed, in epoch milliseconds. */
function useFailures(
  id: string,
  key: string,
  span: () => { readonly from: number },
  isLive: boolean,
  to: number | undefined,
): readonly number[] | undefined {
  const may = useMay();
  const isEnabled = may('listEvents').ok;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a range that ends now begins where it did when it was chosen.
  const from = useMemo(() => span().from, [key]);
  const { events } = useEvents(id, { from, to, isLive, isEnabled });
  return useMemo(
    () => (isEnabled ? events.filter(isFailure).map(({ timestamp }) => timestamp) : undefined),
    [events, isEnabled],
  );
}

function Notes({
  history,
  isOver,
  asked,
}: {
  readonly history: History;
  readonly isOver: boolean;
  readonly asked: number;
}) {
  const { zone } = usePreferences();
  const { missing, operators, from } = history;
  const note =
    missing === 'too many operators'
      ? words.tooMany(operators)
      : missing === 'none kept'
        ? isOver
          ? words.noStatsEnded
          : words.noStats
        : from > asked + 60_000
          ? words.shortened(momentWithOffset(from, zone))
          : undefined;
  return note === undefined ? null : (
    <Text size="sm" className="soft">
      {note}
    </Text>
  );
}
