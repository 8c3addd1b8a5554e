import { Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { bytes } from '../../format/bytes.js';
import { read } from '../../gateway/queries.js';
import { Do, DoItem } from '../../shell/do.js';
import { Empty } from '../../shell/empty.js';
import { IfMay } from '../../shell/if-may.js';
import { Loaded } from '../../shell/loaded.js';
import { MoreMenu } from '../../shell/more-menu.js';
import { Name } from '../../shell/name.js';
import { Panel } from '../../shell/panel.js';
import { State } from '../../shell/state.js';
import { TableHead } from '../../shell/table-head.js';
import { Ago } from '../../shell/time.js';
import { askToDelete, type Savepoint, useSavepointActions } from './actions.js';
import { NewSavepoint } from './new-savepoint.js';
import { words } from './words.js';

interface Props {
  readonly appid: string;
}

export function Savepoints({ appid }: Props) {
  const { order } = useSavepointActions(appid);
  const [isOrdering, setOrdering] = useState(false);
  return (
    <Panel
      title={words.savepoints}
      actions={
        <Do may={order} onClick={() => setOrdering(true)}>
          {words.order}
        </Do>
      }
    >
      <IfMay id="listSavepoints">
        <Kept appid={appid} />
      </IfMay>
      {isOrdering && <NewSavepoint appid={appid} close={() => setOrdering(false)} />}
    </Panel>
  );
}

function Kept({ appid }: Props) {
  const query = useQuery({
    ...read('listSavepoints', { params: { appid } }),
    // No topic tells of them.
    refetchInterval: ({ state }) =>
      state.data?.savepoints.some((one) => one.state === 'IN_PROGRESS') ? 1000 : 10_000,
  });
  return (
    <Loaded query={query} what={words.savepoints}>
      {({ savepoints, isComplete }) => (
        <>
          {!isComplete && (
            <Text size="sm" role="status">
              {words.notAll}
            </Text>
          )}
          {savepoints.length === 0 ? (
            <Empty title={words.none}>{words.noneHint}</Empty>
          ) : (
            <SavepointTable appid={appid} savepoints={savepoints} />
          )}
        </>
      )}
    </Loaded>
  );
}

/** The newest first. */
function SavepointTable({ appid, savepoints }: Props & { readonly savepoints: readonly Savepoint[] }) {
  const { columns } = words;
  return (
    <Table.ScrollContainer minWidth={640} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
      <Table aria-label={words.savepoints} fz="sm">
        <TableHead
          columns={[
            columns.state,
            columns.place,
            columns.by,
            { figure: columns.size },
            { figure: columns.begun },
            { unseen: columns.actions },
          ]}
        />
        <Table.Tbody>
          {[...savepoints].reverse().map((savepoint) => (
            <Line key={savepoint.id} appid={appid} savepoint={savepoint} />
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function Line({ appid, savepoint }: Props & { readonly savepoint: Savepoint }) {
  const { id, state, location, failure, orderedBy, isOfStop, stateSize, triggerTime } = savepoint;
  const { remove } = useSavepointActions(appid);
  return (
    <Table.Tr>
      <Table.Td style={{ whiteSpace: 'nowrap' }}>
        <State state={state} />
      </Table.Td>
      <Table.Td style={{ overflowWrap: 'anywhere' }}>
        <bdi>{location ?? failure ?? id}</bdi>
      </Table.Td>
      <Table.Td>
        {orderedBy === undefined ? words.elsewhere : <Name>{orderedBy}</Name>}
        {isOfStop && <span className="soft"> {words.ofStop}</span>}
      </Table.Td>
      <Table.Td className="figure">{bytes(stateSize)}</Table.Td>
      <Table.Td ta="end">
        <Ago at={triggerTime} />
      </Table.Td>
      <Table.Td ta="end">
        <MoreMenu label={words.actionsOf(id)}>
          <DoItem may={remove(savepoint)} onClick={() => askToDelete(appid, savepoint)} danger>
            {words.delete}
          </DoItem>
        </MoreMenu>
      </Table.Td>
    </Table.Tr>
  );
}
