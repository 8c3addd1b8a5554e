import { Button, Table } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useMemo } from 'react';
import { read } from '../../gateway/queries.js';
import { Empty } from '../../shell/empty.js';
import { TextLink } from '../../shell/links.js';
import { Loaded } from '../../shell/loaded.js';
import { Name } from '../../shell/name.js';
import { TableHead } from '../../shell/table-head.js';
import { Ago } from '../../shell/time.js';
import { ImportableList } from './importable-list.js';
import { keyOf, type Row, refOf, shownRows } from './rows.js';
import { words } from './words.js';

export function PackageList({ q }: { readonly q: string | undefined }) {
  const query = useQuery(read('listPackages', {}));
  return (
    <Loaded query={query} what={words.title} lines={6}>
      {({ appPackages }) => (appPackages.length === 0 ? <None /> : <Listed all={appPackages} q={q} />)}
    </Loaded>
  );
}

/** What the gateway's own folder has is the shortest way to something that runs. */
const None = () => (
  <Empty title={words.none} action={<ImportableList />}>
    {words.noneHint}
  </Empty>
);

function Listed({ all, q }: { readonly all: readonly Row[]; readonly q: string | undefined }) {
  const rows = useMemo(() => shownRows(all, q), [all, q]);
  const navigate = useNavigate({ from: '/packages' });
  if (rows.length === 0)
    return (
      <Empty
        title={words.noMatch}
        action={
          <Button variant="default" onClick={() => void navigate({ search: {}, replace: true })}>
            {words.clearFilter}
          </Button>
        }
      >
        {words.noMatchHint(all.length)}
      </Empty>
    );
  return (
    <Table.ScrollContainer minWidth={480} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
      <Table aria-label={words.title} highlightOnHover>
        <TableHead
          columns={[words.columns.name, words.columns.version, words.columns.owner, words.columns.changed]}
        />
        <Table.Tbody>
          {rows.map((row) => (
            <Table.Tr key={keyOf(refOf(row))}>
              <Table.Td>
                <TextLink to="/packages/$owner/$name/$version" params={refOf(row)}>
                  <Name>{row.appPackageName}</Name>
                </TextLink>
              </Table.Td>
              <Table.Td>
                <bdi>{row.appPackageVersion}</bdi>
              </Table.Td>
              <Table.Td>
                <Name>{row.owner}</Name>
              </Table.Td>
              <Table.Td>
                <Ago at={row.modificationTime} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
