import { Button, Group, Stack, Text } from '@mantine/core';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { exactCount } from '../../format/number.js';
import { useMay } from '../../gateway/capabilities.js';
import { typesOf } from '../../gateway/event-list.js';
import { serverNow } from '../../gateway/server-clock.js';
import { useEvents } from '../../gateway/use-events.js';
import { Empty } from '../../shell/empty.js';
import { Loaded } from '../../shell/loaded.js';
import { RangePicker } from '../../shell/range-picker.js';
import { presets } from '../../shell/time-range.js';
import { chosenTypes, type EventsSearch } from './events-search.js';
import { Histogram } from './histogram.js';
import { EventList } from './list.js';
import { TypeChips } from './type-chips.js';
import { words } from './words.js';

/** What happened to an application, the newest first. */
export default function Events() {
  const { id } = useParams({ from: '/framed/apps/$id/events' });
  const search = useSearch({ from: '/framed/apps/$id/events' });
  const navigate = useNavigate({ from: '/apps/$id/events' });
  const may = useMay()('listEvents');
  const { range, to } = search;
  const from = useMemo(() => search.from ?? (range && serverNow() - presets[range]), [search.from, range]);
  const { query, events, isCut } = useEvents(id, { from, to, isLive: to === undefined, isEnabled: may.ok });
  const types = chosenTypes(search);
  const type = search.type;
  const shown = useMemo(() => {
    const wanted = new Set(type?.split(','));
    return type === undefined ? events : events.filter((event) => wanted.has(event.type));
  }, [events, type]);
  const show = (next: EventsSearch, isNewPage = false) =>
    void navigate({ search: next, replace: !isNewPage });
  const withTypes = type === undefined ? {} : { type };
  if (!may.ok) return <Empty title={words.title}>{may.reason}</Empty>;
  return (
    <Stack gap="sm">
      <Group justify="space-between" gap="sm">
        <RangePicker
          search={search}
          usual="newest"
          others={[{ value: 'newest', label: words.newest }]}
          onChoose={(chosen) => show({ ...withTypes, ...(chosen ? { range: chosen } : {}) })}
        />
        <Text size="sm" className="soft">
          {words.count(exactCount(shown.length))}
        </Text>
      </Group>
      <Loaded query={query} what={words.title} lines={8}>
        {() =>
          events.length === 0 ? (
            <Nothing isRange={from !== undefined} onNewest={() => show(withTypes)} />
          ) : (
            <>
              <TypeChips
                counts={typesOf(events)}
                chosen={types}
                onChoose={(next) => {
                  const { type: _, ...others } = search;
                  show(next.length === 0 ? others : { ...others, type: next.join(',') });
                }}
              />
              <Histogram
                events={shown}
                from={from}
                to={to}
                onSelect={(span) => show({ ...withTypes, ...span }, true)}
              />
              {isCut && <Text size="sm">{words.isCut(exactCount(events.length))}</Text>}
              <EventList events={shown} />
              {from === undefined && query.hasNextPage && (
                <Button
                  variant="default"
                  loading={query.isFetchingNextPage}
                  onClick={() => void query.fetchNextPage()}
                >
                  {words.earlier}
                </Button>
              )}
            </>
          )
        }
      </Loaded>
    </Stack>
  );
}

function Nothing({ isRange, onNewest }: { readonly isRange: boolean; readonly onNewest: () => void }) {
  if (!isRange) return <Empty title={words.none}>{words.noneHint}</Empty>;
  const back = (
    <Button variant="default" onClick={onNewest}>
      {words.showNewest}
    </Button>
  );
  return (
    <Empty title={words.noneOfRange} action={back}>
      {words.noneOfRangeHint}
    </Empty>
  );
}
