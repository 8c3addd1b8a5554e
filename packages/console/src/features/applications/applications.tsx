import { Button, Group, Stack, TextInput } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { Empty } from '../../shell/empty.js';
import { Loaded } from '../../shell/loaded.js';
import { Page } from '../../shell/page.js';
import { Chips } from './chips.js';
import { ApplicationList } from './list.js';
import type { ListSearch } from './list-search.js';
import { countsOf, shownRows } from './rows.js';
import { useApplications } from './use-applications.js';
import { words } from './words.js';

export default function Applications() {
  const search = useSearch({ from: '/framed/apps' });
  const navigate = useNavigate({ from: '/apps' });
  const { query, rows } = useApplications();
  const counts = useMemo(() => countsOf(rows), [rows]);
  const shown = useMemo(() => shownRows(rows, search), [rows, search]);
  // A filter is not a page: it replaces the entry of the history.
  const show = (change: { [Key in keyof ListSearch]: ListSearch[Key] | undefined }) =>
    void navigate({ search: defined({ ...search, ...change }), replace: true });
  return (
    <Page title={words.title}>
      <Stack gap="sm">
        <Group justify="space-between" gap="sm">
          <Chips counts={counts} chosen={search.state} onChoose={(state) => show({ state })} />
          <TextInput
            data-filter
            aria-label={words.filter}
            placeholder={words.filter}
            value={search.q ?? ''}
            onChange={({ currentTarget }) => show({ q: currentTarget.value || undefined })}
            w={280}
          />
        </Group>
        <Loaded query={query} what={words.title} lines={8}>
          {() =>
            rows.length === 0 ? (
              <Empty title={words.none}>{words.noneHint}</Empty>
            ) : shown.length === 0 ? (
              <Empty
                title={words.noMatch}
                action={
                  <Button variant="default" onClick={() => show({ q: undefined, state: undefined })}>
                    {words.clearFilter}
                  </Button>
                }
              >
                {words.noMatchHint(rows.length)}
              </Empty>
            ) : (
              <ApplicationList rows={shown} sort={search.sort} onSort={(sort) => show({ sort })} />
            )
          }
        </Loaded>
      </Stack>
    </Page>
  );
}

/** Without what is not there: a query has no key without a value. */
const defined = (search: { [Key in keyof ListSearch]: ListSearch[Key] | undefined }): ListSearch =>
  Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined));
