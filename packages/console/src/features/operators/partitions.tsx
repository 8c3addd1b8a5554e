import { Table, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { duration } from '../../format/duration.js';
import { exactCount, rate } from '../../format/number.js';
import { State } from '../../shell/state.js';
import { TableHead } from '../../shell/table-head.js';
import { ContainerLink } from './container-link.js';
import { spreadOf } from './spread.js';
import type { Physical } from './use-operators.js';
import { words } from './words.js';

const figures = [
  { title: words.columns.inward, of: (one: Physical) => one.tuplesProcessedPSMA, format: rate },
  { title: words.columns.outward, of: (one: Physical) => one.tuplesEmittedPSMA, format: rate },
  { title: words.columns.latency, of: (one: Physical) => one.latencyMA, format: duration },
] as const;

interface Props {
  readonly appid: string;
  readonly name: string;
  readonly all: readonly Physical[];
}

/** Each partition, and how the load is spread over them. */
export function Partitions({ appid, name, all }: Props) {
  const partitions = all.filter(({ isUnifier }) => !isUnifier);
  const skew = spreadOf(
    partitions.map((one) => Math.max(one.tuplesProcessedPSMA ?? -1, one.tuplesEmittedPSMA ?? -1)),
  )?.skew;
  return (
    <>
      <Table.ScrollContainer minWidth={640} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
        <Table aria-label={words.partitions} fz="sm">
          <TableHead
            columns={[
              words.id,
              words.columns.state,
              ...figures.map(({ title }) => ({ figure: title })),
              { figure: words.columns.failures },
              words.container,
            ]}
          />
          <Table.Tbody>
            {all.map((one) => (
              <Table.Tr key={one.id}>
                <Table.Td>
                  <Link
                    to="/apps/$id/operators/$name/partitions/$opId"
                    params={{ id: appid, name, opId: one.id }}
                  >
                    <bdi>{one.id}</bdi>
                  </Link>
                  {one.isUnifier && <span className="soft"> {words.unifier}</span>}
                </Table.Td>
                <Table.Td>
                  <State state={one.status} />
                </Table.Td>
                {figures.map(({ title, of, format }) => (
                  <Table.Td key={title} className="figure">
                    {format(of(one))}
                  </Table.Td>
                ))}
                <Table.Td className="figure">{exactCount(one.failureCount)}</Table.Td>
                <Table.Td>
                  <ContainerLink appid={appid} id={one.container} />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
          {partitions.length > 1 && <Spreads partitions={partitions} />}
        </Table>
      </Table.ScrollContainer>
      {partitions.length > 1 && skew !== undefined && (
        <Text size="sm" className="soft" mt="xs">
          {words.skew(skew.toFixed(2))}
        </Text>
      )}
    </>
  );
}

function Spreads({ partitions }: { readonly partitions: readonly Physical[] }) {
  const spreads = figures.map(({ title, of, format }) => ({
    title,
    format,
    spread: spreadOf(partitions.map((one) => of(one) ?? Number.NaN)),
  }));
  return (
    <Table.Tfoot>
      {(['min', 'avg', 'max'] as const).map((which) => (
        <Table.Tr key={which}>
          <Table.Th scope="row" colSpan={2}>
            {words[which]}
          </Table.Th>
          {spreads.map(({ title, format, spread }) => (
            <Table.Td key={title} className="figure">
              {format(spread?.[which])}
            </Table.Td>
          ))}
          <Table.Td colSpan={2} />
        </Table.Tr>
      ))}
    </Table.Tfoot>
  );
}
