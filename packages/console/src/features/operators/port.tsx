import { Stack, Table } from '@mantine/core';
import { Link, useParams } from '@tanstack/react-router';
import { bytes } from '../../format/bytes.js';
import { count, rate } from '../../format/number.js';
import { Empty } from '../../shell/empty.js';
import { Loaded } from '../../shell/loaded.js';
import { Name } from '../../shell/name.js';
import { Part } from '../../shell/part.js';
import { TableHead } from '../../shell/table-head.js';
import { Attributes } from './attributes.js';
import { RecordingsOf } from './recordings/recordings-of.js';
import { Section } from './section.js';
import { Trail } from './trail.js';
import { type Physical, usePhysical } from './use-operators.js';
import { words } from './words.js';

export default function PortScreen() {
  const { id, name, port } = useParams({ from: '/framed/apps/$id/operators/$name/ports/$port' });
  const { query, operators } = usePhysical(id, name);
  const having = operators.filter(({ ports }) => ports.some((one) => one.name === port));
  return (
    <>
      <Trail appid={id} name={name} />
      <Part title={words.portTitle(port, name)} heading={<Name>{port}</Name>}>
        <Loaded query={query} what={port} lines={4}>
          {() =>
            having.length === 0 ? (
              <Empty title={words.noPorts} />
            ) : (
              <Stack gap="lg">
                <Section title={words.partitions}>
                  <PerPartition appid={id} name={name} port={port} partitions={having} />
                </Section>
                <RecordingsOf appid={id} name={name} partitions={having} port={port} />
                <Section title={words.attributes}>
                  <Attributes appid={id} name={name} port={port} />
                </Section>
              </Stack>
            )
          }
        </Loaded>
      </Part>
    </>
  );
}

interface Props {
  readonly appid: string;
  readonly name: string;
  readonly port: string;
  readonly partitions: readonly Physical[];
}

function PerPartition({ appid, name, port, partitions }: Props) {
  return (
    <Table.ScrollContainer minWidth={520} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
      <Table aria-label={words.partitions} fz="sm">
        <TableHead
          columns={[
            words.id,
            words.direction,
            { figure: words.perSecond },
            { figure: words.tuples },
            { figure: words.bytes },
          ]}
        />
        <Table.Tbody>
          {partitions.flatMap((one) =>
            one.ports
              .filter((each) => each.name === port)
              .map((each) => (
                <Table.Tr key={`${one.id} ${each.type}`}>
                  <Table.Td>
                    <Link
                      to="/apps/$id/operators/$name/partitions/$opId"
                      params={{ id: appid, name, opId: one.id }}
                    >
                      <bdi>{one.id}</bdi>
                    </Link>
                  </Table.Td>
                  <Table.Td>{words.type[each.type]}</Table.Td>
                  <Table.Td className="figure">{rate(each.tuplesPSMA)}</Table.Td>
                  <Table.Td className="figure">{count(each.totalTuples)}</Table.Td>
                  <Table.Td className="figure">{bytes(each.bufferServerBytesPSMA)}/s</Table.Td>
                </Table.Tr>
              )),
          )}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
