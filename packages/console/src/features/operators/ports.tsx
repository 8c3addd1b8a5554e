import { Table, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { bytes } from '../../format/bytes.js';
import { count, rate, unknown } from '../../format/number.js';
import { Name } from '../../shell/name.js';
import { TableHead } from '../../shell/table-head.js';
import { portsOf } from './port-rows.js';
import type { Physical } from './use-operators.js';
import { words } from './words.js';

interface Props {
  readonly appid: string;
  readonly name: string;
  readonly partitions: readonly Physical[];
}

/** The ports of an operator, summed up over the partitions given. */
export function Ports({ appid, name, partitions }: Props) {
  const ports = portsOf(partitions);
  if (ports.length === 0)
    return (
      <Text size="sm" className="soft">
        {words.noPorts}
      </Text>
    );
  return (
    <Table.ScrollContainer minWidth={520} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
      <Table aria-label={words.ports} fz="sm">
        <TableHead
          columns={[
            words.port,
            words.direction,
            { figure: words.perSecond },
            { figure: words.tuples },
            { figure: words.bytes },
            { figure: words.queue },
          ]}
        />
        <Table.Tbody>
          {ports.map((port) => (
            <Table.Tr key={`${port.type} ${port.name}`}>
              <Table.Td>
                <Link
                  to="/apps/$id/operators/$name/ports/$port"
                  params={{ id: appid, name, port: port.name }}
                >
                  <Name>{port.name}</Name>
                </Link>
              </Table.Td>
              <Table.Td>{words.type[port.type]}</Table.Td>
              <Table.Td className="figure">{rate(port.tuplesPSMA)}</Table.Td>
              <Table.Td className="figure">{count(port.totalTuples)}</Table.Td>
              <Table.Td className="figure">
                {(port.bufferServerBytesPSMA ?? 0) > 0 ? `${bytes(port.bufferServerBytesPSMA)}/s` : unknown}
              </Table.Td>
              <Table.Td className="figure">{count(port.queueSizeMA)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
