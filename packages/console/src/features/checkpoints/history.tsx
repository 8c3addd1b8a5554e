import { Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { bytes } from '../../format/bytes.js';
import { duration } from '../../format/duration.js';
import { count } from '../../format/number.js';
import { type AnswerOf, read } from '../../gateway/queries.js';
import { Fact, FactGrid } from '../../shell/fact-grid.js';
import { Loaded } from '../../shell/loaded.js';
import { State } from '../../shell/state.js';
import { TableHead } from '../../shell/table-head.js';
import { Ago } from '../../shell/time.js';
import { words } from './words.js';

type Answer = AnswerOf<'getCheckpoints'>;
type Checkpoint = Answer['history'][number];

/** How many there were, the last ones, and each that the cluster keeps. */
export function History({ appid }: { readonly appid: string }) {
  const query = useQuery({
    ...read('getCheckpoints', { params: { appid } }),
    // No topic tells of them.
    refetchInterval: 5000,
  });
  return (
    <Loaded query={query} what={words.checkpoints}>
      {({ counts, latest, history }) =>
        counts === undefined ? (
          <Text size="sm">{words.makesNone}</Text>
        ) : (
          <>
            <Totals counts={counts} latest={latest} />
            {history.length === 0 ? (
              <Text size="sm" className="soft">
                {words.noHistory}
              </Text>
            ) : (
              <CheckpointTable checkpoints={history} />
            )}
          </>
        )
      }
    </Loaded>
  );
}

function Totals({
  counts,
  latest: { completed, failed, restored },
}: {
  readonly counts: NonNullable<Answer['counts']>;
  readonly latest: Answer['latest'];
}) {
  const { facts } = words;
  return (
    <FactGrid>
      <Fact term={facts.completed}>{count(counts.completed)}</Fact>
      <Fact term={facts.failed}>{count(counts.failed)}</Fact>
      <Fact term={facts.inProgress}>{count(counts.inProgress)}</Fact>
      <Fact term={facts.latest}>
        <Ago at={completed?.latestAckTime ?? completed?.triggerTime} />
      </Fact>
      {restored && (
        <Fact term={facts.restored}>
          <bdi>{restored.externalPath ?? restored.id}</bdi>
        </Fact>
      )}
      {failed && (
        <Fact term={facts.failure}>
          <Ago at={failed.failureTime ?? failed.triggerTime} />
          {failed.failureMessage !== undefined && (
            <>
              : <bdi>{failed.failureMessage}</bdi>
            </>
          )}
        </Fact>
      )}
    </FactGrid>
  );
}

function CheckpointTable({ checkpoints }: { readonly checkpoints: readonly Checkpoint[] }) {
  const { columns } = words;
  return (
    <Table.ScrollContainer minWidth={640} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
      <Table aria-label={words.checkpoints} fz="sm">
        <TableHead
          columns={[
            columns.state,
            columns.id,
            { figure: columns.begun },
            { figure: columns.took },
            { figure: columns.size },
            { figure: columns.written },
            columns.place,
          ]}
        />
        <Table.Tbody>
          {checkpoints.map((one) => (
            <Table.Tr key={one.id}>
              <Table.Td style={{ whiteSpace: 'nowrap' }}>
                <State state={one.state} />
              </Table.Td>
              <Table.Td>
                {one.id}
                {one.isSavepoint && <span className="soft"> {words.savepoint}</span>}
              </Table.Td>
              <Table.Td ta="end">
                <Ago at={one.triggerTime} />
              </Table.Td>
              <Table.Td className="figure">{duration(one.duration)}</Table.Td>
              <Table.Td className="figure">{bytes(one.stateSize)}</Table.Td>
              <Table.Td className="figure">{bytes(one.checkpointedSize)}</Table.Td>
              <Table.Td style={{ overflowWrap: 'anywhere' }}>
                <bdi>{one.failureMessage ?? one.externalPath ?? ''}</bdi>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
