import { Table } from '@mantine/core';
import { useMemo } from 'react';
import { percent } from '../../../format/number.js';
import { TableHead } from '../../../shell/table-head.js';
import { type Frame, hottest } from './frames.js';
import { words } from './words.js';

const most = 20;

/** The same samples as a table: which places had the most, wherever they were called from. */
export function Hottest({ root }: { readonly root: Frame }) {
  const frames = useMemo(() => hottest(root, most), [root]);
  return (
    <Table.ScrollContainer minWidth={300} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
      <Table fz="sm" captionSide="top">
        <Table.Caption ta="start" mt={0} mb="xs">
          {words.hottest}
        </Table.Caption>
        <TableHead columns={[{ figure: words.hot.own }, { figure: words.hot.all }, words.hot.frame]} />
        <Table.Tbody>
          {frames.map(({ name, own, all }) => (
            <Table.Tr key={name}>
              <Table.Td className="figure">{percent(own / root.samples)}</Table.Td>
              <Table.Td className="figure">{percent(all / root.samples)}</Table.Td>
              <Table.Td className="mono" style={{ overflowWrap: 'anywhere' }}>
                <bdi>{name}</bdi>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
