import { Table } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { count, unknown } from '../../../format/number.js';
import { DoItem } from '../../../shell/do.js';
import { MoreMenu } from '../../../shell/more-menu.js';
import { Name } from '../../../shell/name.js';
import { State } from '../../../shell/state.js';
import { TableHead } from '../../../shell/table-head.js';
import { Ago } from '../../../shell/time.js';
import { askToRemove, askToStop, type Kept, useMayRecord } from './actions.js';
import { words } from './words.js';

export interface Recording extends Kept {
  readonly startTime: number;
  readonly totalTuples: number;
}

interface Props {
  readonly appid: string;
  readonly recordings: readonly Recording[];
  /** Of a partition, by its id; what is gone has no name any more. */
  readonly nameOf: (opId: string) => string | undefined;
}

/** The newest first. */
export function RecordingTable({ appid, recordings, nameOf }: Props) {
  const { columns } = words;
  return (
    <Table.ScrollContainer minWidth={640} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
      <Table aria-label={words.title} fz="sm">
        <TableHead
          columns={[
            columns.state,
            columns.id,
            columns.operator,
            columns.ports,
            { figure: columns.tuples },
            { figure: columns.begun },
            { unseen: columns.actions },
          ]}
        />
        <Table.Tbody>
          {[...recordings].reverse().map((recording) => (
            <Line
              key={`${recording.operatorId} ${recording.id}`}
              appid={appid}
              recording={recording}
              name={nameOf(recording.operatorId)}
            />
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

export const RecordingState = ({ ended }: { readonly ended: boolean }) => (
  <State state={ended ? words.ended : words.going} kind={ended ? 'ended' : 'running'} />
);

function Line({
  appid,
  recording,
  name,
}: {
  readonly appid: string;
  readonly recording: Recording;
  readonly name: string | undefined;
}) {
  const { id, operatorId, ports, ended, totalTuples, startTime } = recording;
  const { stop, remove } = useMayRecord(appid);
  return (
    <Table.Tr>
      <Table.Td style={{ whiteSpace: 'nowrap' }}>
        <RecordingState ended={ended} />
      </Table.Td>
      <Table.Td>
        <Link
          to="/apps/$id/operators/$name/partitions/$opId/recordings/$rec"
          params={{ id: appid, name: name ?? operatorId, opId: operatorId, rec: id }}
        >
          <Name tail={10}>{id}</Name>
        </Link>
      </Table.Td>
      <Table.Td>
        <Name>{name ?? unknown}</Name> <span className="soft">{operatorId}</span>
      </Table.Td>
      <Table.Td>
        <bdi>{ports.map((port) => port.name).join(', ')}</bdi>
      </Table.Td>
      <Table.Td className="figure">{count(totalTuples)}</Table.Td>
      <Table.Td className="figure">
        <Ago at={startTime} />
      </Table.Td>
      <Table.Td>
        <MoreMenu label={words.actionsOf(id)}>
          <DoItem may={stop(recording)} onClick={() => askToStop(appid, recording)}>
            {words.stop}
          </DoItem>
          <DoItem may={remove(recording)} onClick={() => askToRemove(appid, recording)} danger>
            {words.remove}
          </DoItem>
        </MoreMenu>
      </Table.Td>
    </Table.Tr>
  );
}
