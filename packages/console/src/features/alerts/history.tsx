import { Button, Group, SegmentedControl, Stack, TextInput } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Empty } from '../../shell/empty.js';
import { Loaded } from '../../shell/loaded.js';
import { Page } from '../../shell/page.js';
import { useNow } from '../../shell/ticker.js';
import { Activations } from './activations.js';
import { periods, readHistorySearch } from './searches.js';
import { AlertTabs } from './tabs.js';
import { entriesOf, shownEntries } from './timeline.js';
import { useAlertHistory, useAlerts } from './use-alerts.js';
import { words } from './words.js';

const choices = ['all', ...periods] as const;

export default function History() {
  const search = useSearch({ from: '/framed/alerts/history' });
  const navigate = useNavigate({ from: '/alerts/history' });
  const now = useNow();
  const active = useAlerts().data?.alerts ?? [];
  const query = useAlertHistory();
  const show = (change: Record<string, unknown>) =>
    void navigate({ search: readHistorySearch({ ...search, ...change }), replace: true });
  return (
    <Page title={`${words.history} · ${words.title}`} heading={words.title}>
      <AlertTabs />
      <Stack gap="md">
        <Group justify="space-between" gap="sm">
          <SegmentedControl
            aria-label={words.period}
            value={search.period ?? 'all'}
            onChange={(period) => show({ period })}
            data={choices.map((value) => ({ value, label: words.periods[value] }))}
          />
          <TextInput
            data-filter
            aria-label={words.filter}
            placeholder={words.filter}
            value={search.q ?? ''}
            onChange={({ currentTarget }) => show({ q: currentTarget.value })}
            w={280}
          />
        </Group>
        <Loaded query={query} what={words.history}>
          {({ history }) => {
            const all = entriesOf(active, history);
            const shown = shownEntries(all, search, now);
            if (all.length === 0) return <Empty title={words.noHistory}>{words.noHistoryHint}</Empty>;
            return shown.length === 0 ? (
              <Empty
                title={words.noMatch}
                action={
                  <Button variant="default" onClick={() => show({ q: undefined, period: undefined })}>
                    {words.showAll}
                  </Button>
                }
              >
                {words.noMatchHint(all.length)}
              </Empty>
            ) : (
              <Activations entries={shown} />
            );
          }}
        </Loaded>
      </Stack>
    </Page>
  );
}
