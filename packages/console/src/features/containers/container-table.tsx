import { Table } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { memo } from 'react';
import { megabytes } from '../../format/bytes.js';
import { percent } from '../../format/number.js';
import type { May } from '../../gateway/capabilities.js';
import { DoItem } from '../../shell/do.js';
import { MoreMenu } from '../../shell/more-menu.js';
import { Name } from '../../shell/name.js';
import { State } from '../../shell/state.js';
import { TableHead } from '../../shell/table-head.js';
import { useNow } from '../../shell/ticker.js';
import { Ago } from '../../shell/time.js';
import { askToKill } from './actions.js';
import { gcShare, hasEnded, known, operatorNames, type Row, usedMemory } from './rows.js';
import { words } from './words.js';

interface Props {
  readonly appid: string;
  readonly rows: readonly Row[];
  readonly mayKill: (row: Row) => May;
}

export function ContainerTable({ appid, rows, mayKill }: Props) {
  const { columns } = words;
  return (
    <Table.ScrollContainer minWidth={760} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
      <Table aria-label={words.title} fz="sm">
        <TableHead
          columns={[
            columns.state,
            columns.container,
            { figure: columns.memory },
            { figure: columns.heartbeat },
            { figure: columns.gc, title: words.ofTime },
            columns.host,
            columns.operators,
            { unseen: columns.actions },
          ]}
        />
        <Table.Tbody>
          {rows.map((row) => (
            <ContainerRow key={row.id} appid={appid} row={row} may={mayKill(row)} />
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

const ContainerRow = memo(function ContainerRow({
  appid,
  row,
  may,
}: {
  readonly appid: string;
  readonly row: Row;
  readonly may: May;
}) {
  const isOver = hasEnded(row);
  return (
    <Table.Tr {...(isOver ? { className: 'soft' } : {})}>
      <Table.Td style={{ whiteSpace: 'nowrap' }}>
        <State state={row.state} />
      </Table.Td>
      <Table.Td>
        <Link to="/apps/$id/containers/$cid" params={{ id: appid, cid: row.id }} aria-label={row.id}>
          <Name tail={12}>{row.id}</Name>
        </Link>
        {row.containerType === 'APP_MASTER' && <div className="soft">{words.master}</div>}
      </Table.Td>
      <Table.Td className="figure">
        {isOver ? '–' : megabytes(usedMemory(row))} / {megabytes(row.memoryMBAllocated)}
      </Table.Td>
      <Table.Td className="figure">
        {isOver ? (
          <>
            {words.ended} <Ago at={known(row.finishedTime)} />
          </>
        ) : (
          <Ago at={known(row.lastHeartbeat)} />
        )}
      </Table.Td>
      <Table.Td className="figure">
        <GcShare row={row} />
      </Table.Td>
      <Table.Td>
        <Name>{row.host}</Name>
      </Table.Td>
      <Table.Td>
        <Operators names={operatorNames(row)} />
      </Table.Td>
      <Table.Td>
        <MoreMenu label={words.actionsOf(row.id)}>
          <DoItem may={may} onClick={() => askToKill(appid, row)} danger>
            {words.kill}
          </DoItem>
        </MoreMenu>
      </Table.Td>
    </Table.Tr>
  );
});

export function GcShare({ row }: { readonly row: Row }) {
  return <>{percent(gcShare(row, useNow()))}</>;
}

const shown = 4;

function Operators({ names }: { readonly names: readonly string[] }) {
  return (
    <span title={names.join(', ')}>
      {names.slice(0, shown).map((name, index) => (
        <span key={name}>
          {index > 0 && ', '}
          <bdi>{name}</bdi>
        </span>
      ))}
      {names.length > shown && ` ${words.more(names.length - shown)}`}
    </span>
  );
}
