import { Table, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { read } from '../../gateway/queries.js';
import { Loaded } from '../../shell/loaded.js';
import { Panel } from '../../shell/panel.js';
import { TableHead } from '../../shell/table-head.js';
import { shownEntries } from './entries.js';
import { words } from './words.js';

/** What the cluster says of its configuration; the gateway has masked what is secret. */
export function Configuration() {
  const { q = '' } = useSearch({ from: '/framed/cluster' });
  const navigate = useNavigate({ from: '/cluster' });
  const query = useQuery(read('getClusterConfig', {}));
  return (
    <Panel
      title={words.configuration}
      actions={
        <TextInput
          data-filter
          aria-label={words.filter}
          placeholder={words.filter}
          value={q}
          onChange={({ currentTarget: { value } }) =>
            void navigate({ search: value === '' ? {} : { q: value }, replace: true })
          }
          w={240}
        />
      }
    >
      <Loaded query={query} what={words.configuration}>
        {(configuration) => <Entries configuration={configuration} filter={q} />}
      </Loaded>
    </Panel>
  );
}

function Entries({
  configuration,
  filter,
}: {
  readonly configuration: Readonly<Record<string, string>>;
  readonly filter: string;
}) {
  const entries = useMemo(() => shownEntries(configuration, filter), [configuration, filter]);
  const all = Object.keys(configuration).length;
  if (all === 0) return <Text size="sm">{words.noConfiguration}</Text>;
  return (
    <>
      <Text size="sm" className="soft" role="status">
        {entries.length === 0 ? words.noMatch : words.entries(entries.length, all)}
      </Text>
      {entries.length > 0 && (
        <Table.ScrollContainer minWidth={320} mah={480}>
          <Table stickyHeader fz="sm" aria-label={words.configuration}>
            <TableHead columns={[words.name, words.value]} />
            <Table.Tbody>
              {entries.map(([name, value]) => (
                <Table.Tr key={name}>
                  <Table.Td className="mono">{name}</Table.Td>
                  <Table.Td style={{ overflowWrap: 'anywhere' }} dir="auto">
                    {value}
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
    </>
  );
}
