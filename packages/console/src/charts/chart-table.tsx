import { Table } from '@mantine/core';
import { useState } from 'react';
import { momentWithOffset } from '../format/time.js';
import { usePreferences } from '../gateway/preferences.js';
import type { Columns, Line } from './series.js';
import { words } from './words.js';

const most = 50;

/** The same as figures, for whoever does not see a picture: the newest first. */
export function ChartTable({
  title,
  lines,
  columns,
  format,
}: {
  readonly title: string;
  readonly lines: readonly Line[];
  readonly columns: Columns;
  readonly format: (value: number | null | undefined) => string;
}) {
  const [isOpen, setOpen] = useState(false);
  const { zone } = usePreferences();
  const [xs, ...values] = columns;
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{words.showData}</summary>
      {isOpen && (
        <Table.ScrollContainer minWidth={300} mah={240}>
          <Table aria-label={title} fz="xs">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{words.time}</Table.Th>
                {lines.map(({ label }) => (
                  <Table.Th key={label}>{label}</Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {xs
                .map((x, index) => ({ x, index }))
                .slice(-most)
                .reverse()
                .map(({ x, index }) => (
                  <Table.Tr key={x}>
                    <Table.Td>{momentWithOffset(x * 1000, zone)}</Table.Td>
                    {lines.map(({ label }, line) => (
                      <Table.Td key={label} className="figure">
                        {format(values[line]?.[index])}
                      </Table.Td>
                    ))}
                  </Table.Tr>
                ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
    </details>
  );
}
