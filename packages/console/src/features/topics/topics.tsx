import { Grid, NavLink, ScrollArea, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { client } from '../../gateway/client.js';
import { read } from '../../gateway/queries.js';
import { Empty } from '../../shell/empty.js';
import { Name } from '../../shell/name.js';
import { Page } from '../../shell/page.js';
import { groupsOf } from './names.js';
import { TopicView } from './topic-view.js';
import { words } from './words.js';

const always = ['applications', 'cluster.metrics'];

/** Names that somebody has published to, and those of running applications. */
function useNames(): readonly string[] {
  const { data: lately } = useQuery({
    queryKey: ['latest topics'],
    queryFn: ({ signal }) => client.latestTopics(signal),
    refetchInterval: 5000,
  });
  const { data: applications } = useQuery(read('listApplications', { query: { states: 'RUNNING' } }));
  return useMemo(
    () => [
      ...always,
      ...(lately ?? []),
      ...(applications?.apps ?? []).flatMap(({ id }) =>
        ['', '.physicalOperators', '.logicalOperators', '.containers', '.events'].map(
          (part) => `applications.${id}${part}`,
        ),
      ),
    ],
    [lately, applications],
  );
}

export default function Topics() {
  const { topic, q = '' } = useSearch({ from: '/framed/topics' });
  const navigate = useNavigate({ from: '/topics' });
  const names = useNames();
  const groups = useMemo(() => groupsOf(names, q), [names, q]);
  const typed = q.trim();
  return (
    <Page title={topic === undefined ? words.title : `${topic} · ${words.title}`} heading={words.title}>
      <Grid>
        <Grid.Col span={{ base: 12, md: 4, lg: 3 }}>
          <Stack gap="sm">
            <TextInput
              data-filter
              aria-label={words.find}
              placeholder={words.find}
              value={q}
              onChange={({ currentTarget: { value } }) =>
                void navigate({
                  search: {
                    ...(topic === undefined ? {} : { topic }),
                    ...(value === '' ? {} : { q: value }),
                  },
                  replace: true,
                })
              }
            />
            <ScrollArea.Autosize mah="calc(100vh - 190px)" viewportProps={{ tabIndex: 0 }}>
              <nav aria-label={words.title}>
                {typed !== '' && !names.includes(typed) && (
                  <Choice name={typed} label={words.open(typed)} chosen={topic} />
                )}
                {groups.map(({ title, names: inside }) => (
                  <section key={title}>
                    <Text size="xs" className="soft" mt="sm">
                      {title}
                    </Text>
                    {inside.map((name) => (
                      <Choice key={name} name={name} label={name} chosen={topic} />
                    ))}
                  </section>
                ))}
                {groups.length === 0 && typed === '' && <Text size="sm">{words.none}</Text>}
              </nav>
            </ScrollArea.Autosize>
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 8, lg: 9 }}>
          {topic === undefined ? (
            <Empty title={words.choose}>{words.chooseHint}</Empty>
          ) : (
            <TopicView key={topic} topic={topic} />
          )}
        </Grid.Col>
      </Grid>
    </Page>
  );
}

function Choice({
  name,
  label,
  chosen,
}: {
  readonly name: string;
  readonly label: string;
  readonly chosen: string | undefined;
}) {
  return (
    <NavLink
      renderRoot={(props) => <Link to="/topics" search={{ topic: name }} {...props} />}
      label={<Name tail={16}>{label}</Name>}
      active={name === chosen}
      aria-current={name === chosen ? 'page' : undefined}
      py={4}
    />
  );
}
