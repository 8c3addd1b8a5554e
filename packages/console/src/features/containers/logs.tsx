import { Stack, Table, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { bytes } from '../../format/bytes.js';
import { read } from '../../gateway/queries.js';
import { Empty } from '../../shell/empty.js';
import { Loaded } from '../../shell/loaded.js';
import { Name } from '../../shell/name.js';
import { TableHead } from '../../shell/table-head.js';
import { words } from './words.js';

/** The log files of a container, each with the way to it. */
export function Logs({ appid, containerId }: { readonly appid: string; readonly containerId: string }) {
  const query = useQuery(read('listLogs', { params: { appid, containerId } }));
  return (
    <Stack gap="sm" component="section">
      <Title order={3} fz="md">
        {words.logs}
      </Title>
      <Loaded query={query} what={words.logs}>
        {({ logs }) =>
          logs.length === 0 ? (
            <Empty title={words.noLogs}>{words.noLogsHint}</Empty>
          ) : (
            <Table aria-label={words.logs} fz="sm" maw={480}>
              <TableHead columns={[words.log, { figure: words.size }]} />
              <Table.Tbody>
                {logs.map(({ name, length }) => (
                  <Table.Tr key={name}>
                    <Table.Td>
                      <Link
                        to="/apps/$id/containers/$cid/logs/$log"
                        params={{ id: appid, cid: containerId, log: name }}
                        aria-label={name}
                      >
                        <Name>{name}</Name>
                      </Link>
                    </Table.Td>
                    <Table.Td className="figure">{bytes(length)}</Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          )
        }
      </Loaded>
    </Stack>
  );
}
