import { Table } from '@mantine/core';
import { useMemo } from 'react';
import { percent } from '../../../format/number.js';
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
        <Table.Thead>
          <Table.Tr>
            <Table.Th ta="end">{words.hot.own}</Table.Th>
            <Table.Th ta="end">{words.hot.all}</Table.Th>
            <Table.Th w="100%">{words.hot.frame}</Table.Th>
          </Table.Tr>
        </Table.Thead>
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
