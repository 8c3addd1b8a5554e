import { Button, Stack, Table, Text } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useTopicRefusal } from '../../gateway/use-topic.js';
import { Empty } from '../../shell/empty.js';
import { Failure } from '../../shell/failure.js';
import { Loaded } from '../../shell/loaded.js';
import { Panel } from '../../shell/panel.js';
import { TableHead } from '../../shell/table-head.js';
import { Moment } from '../../shell/time.js';
import { type AuditSearch, defined } from './audit-search.js';
import { Filters } from './filters.js';
import { RecordDetail } from './record-detail.js';
import { Result } from './result.js';
import { type AuditRecord, useRecords } from './use-records.js';
import { words } from './words.js';

export default function Audit() {
  const search = useSearch({ from: '/framed/admin/audit' });
  const navigate = useNavigate({ from: '/admin/audit' });
  const { query, records } = useRecords(search);
  const refusal = useTopicRefusal('audit');
  const [opened, setOpened] = useState<AuditRecord>();
  const show = (change: { [Key in keyof AuditSearch]: AuditSearch[Key] | undefined }) =>
    void navigate({ search: defined({ ...search, ...change }), replace: true });
  const isFiltered = Object.keys(search).length > 0;
  return (
    <Panel title={words.title}>
      <Filters search={search} show={show} />
      {refusal && <Failure error={new Error(refusal.message)} what={words.title} />}
      <Text size="sm" className="soft">
        {search.until === undefined ? words.live : words.notLive}
      </Text>
      <Loaded query={query} what={words.title} lines={8}>
        {() =>
          records.length === 0 ? (
            <Empty title={isFiltered ? words.noMatch : words.none}>{!isFiltered && words.noneHint}</Empty>
          ) : (
            <Stack>
              <Records records={records} open={setOpened} />
              {query.hasNextPage && (
                <Button
                  variant="default"
                  loading={query.isFetchingNextPage}
                  onClick={() => void query.fetchNextPage()}
                >
                  {words.more}
                </Button>
              )}
            </Stack>
          )
        }
      </Loaded>
      {opened && <RecordDetail record={opened} close={() => setOpened(undefined)} />}
    </Panel>
  );
}

function Records({
  records,
  open,
}: {
  readonly records: readonly AuditRecord[];
  readonly open: (record: AuditRecord) => void;
}) {
  const { columns } = words;
  return (
    <Table.ScrollContainer minWidth={760}>
      <Table fz="sm" verticalSpacing={4} aria-label={words.title}>
        <TableHead
          columns={[
            columns.time,
            columns.result,
            columns.user,
            columns.operation,
            columns.target,
            { unseen: columns.details },
          ]}
        />
        <Table.Tbody>
          {records.map((record) => (
            <Table.Tr key={record.id}>
              <Table.Td style={{ whiteSpace: 'nowrap' }}>
                <Moment at={record.time} />
              </Table.Td>
              <Table.Td>
                <Result result={record.result} />
              </Table.Td>
              <Table.Td>
                <bdi>{record.userName || words.nobody}</bdi>
              </Table.Td>
              <Table.Td>{record.operation}</Table.Td>
              <Table.Td className="mono" style={{ overflowWrap: 'anywhere' }}>
                {record.target}
              </Table.Td>
              <Table.Td ta="end">
                <Button
                  size="compact-sm"
                  variant="subtle"
                  aria-label={words.details(record.operation)}
                  onClick={() => open(record)}
                >
                  {columns.details}
                </Button>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
