import { Stack, Table, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useCallback } from 'react';
import { duration } from '../../format/duration.js';
import { rate } from '../../format/number.js';
import { read } from '../../gateway/queries.js';
import { useTopicPart } from '../../gateway/use-topic.js';
import { Name } from '../../shell/name.js';
import { State } from '../../shell/state.js';
import { TableHead } from '../../shell/table-head.js';
import { useLiveGraph } from './live.js';
import type { PlanNode } from './plan-graph.js';
import { words } from './words.js';

/** So many are shown; the table view has all. */
const most = 50;

interface Partition {
  readonly id: string;
  readonly logicalName: string;
  readonly status: string;
  readonly tuplesProcessedPSMA?: number | undefined;
  readonly tuplesEmittedPSMA?: number | undefined;
  readonly latencyMA?: number | undefined;
}

const nothing: readonly Partition[] = [];

/** The partitions of a logical operator, each with a link to where it is in the physical plan. */
export function Partitions({ name }: { readonly name: string }) {
  const { id, isLive } = useLiveGraph();
  const { data } = useQuery({
    ...read('listPhysicalOperators', { params: { appid: id } }),
    structuralSharing: false,
  });
  const live = useTopicPart(
    isLive ? (`applications.${id}.physicalOperators` as const) : undefined,
    useCallback((message: { readonly operators: readonly Partition[] }) => message.operators, []),
  );
  const all = (live ?? data?.operators ?? nothing).filter(({ logicalName }) => logicalName === name);
  if (all.length === 0) return null;
  return (
    <Stack gap="xs">
      <Title order={3} size="h5">
        {words.partitions(all.length)}
      </Title>
      <Table verticalSpacing={2} horizontalSpacing={4} fz="xs">
        <TableHead
          columns={[
            words.partition,
            words.state,
            { figure: words.processed },
            { figure: words.emitted },
            { figure: words.latency },
          ]}
        />
        <Table.Tbody>
          {all.slice(0, most).map((one) => (
            <Table.Tr key={one.id}>
              <Table.Td>
                <Link
                  from="/apps/$id/graph"
                  to="/apps/$id/graph"
                  params={{ id }}
                  search={{ mode: 'physical', sel: `part:${one.id}` }}
                >
                  {one.id}
                </Link>
              </Table.Td>
              <Table.Td>
                <State state={one.status} />
              </Table.Td>
              <Table.Td className="figure">{rate(one.tuplesProcessedPSMA)}</Table.Td>
              <Table.Td className="figure">{rate(one.tuplesEmittedPSMA)}</Table.Td>
              <Table.Td className="figure">{duration(one.latencyMA)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      {all.length > most && <Text size="xs">{words.more(all.length - most)}</Text>}
    </Stack>
  );
}

/** What a fold holds. */
export function Members({ nodes }: { readonly nodes: readonly PlanNode[] }) {
  const { id, mode } = useLiveGraph();
  return (
    <Stack gap="xs">
      <Title order={3} size="h5">
        {words.members}
      </Title>
      <Text size="xs" component="div">
        {nodes.slice(0, most).map((node) => (
          <div key={node.id}>
            <Link
              from="/apps/$id/graph"
              to="/apps/$id/graph"
              params={{ id }}
              search={(before) => ({
                ...before,
                sel: mode === 'logical' ? `op:${node.id}` : `part:${node.id}`,
              })}
            >
              <Name>{mode === 'logical' ? node.name : `${node.name} ${node.id}`}</Name>
            </Link>
          </div>
        ))}
        {nodes.length > most && words.more(nodes.length - most)}
      </Text>
    </Stack>
  );
}
