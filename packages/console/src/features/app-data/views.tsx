import { Progress, Stack, Table, Text } from '@mantine/core';
import { useEffect, useMemo, useState } from 'react';
import { TimeSeries } from '../../charts/time-series.js';
import { compact } from '../../format/number.js';
import { TableHead } from '../../shell/table-head.js';
import classes from './app-data.module.css';
import { chartOf, nothingTold, told } from './lines.js';
import { cellText, isNumeric, numberOf, type Row } from './protocol.js';
import { words } from './words.js';

const mostRows = 500;
const mostBars = 50;

export function RowTable({
  names,
  rows,
}: {
  readonly names: readonly string[];
  readonly rows: readonly Row[];
}) {
  return (
    <Table fz="sm" stickyHeader>
      <TableHead columns={names.map((name) => (isNumeric(rows[0]?.[name]) ? { figure: name } : name))} />
      <Table.Tbody>
        {placed(rows.slice(0, mostRows)).map(({ place, row }) => (
          <Table.Tr key={place}>
            {names.map((name) => (
              <Table.Td
                key={name}
                dir="auto"
                className={isNumeric(row[name]) ? 'figure' : (classes['text'] ?? '')}
              >
                {cellText(row[name])}
              </Table.Td>
            ))}
          </Table.Tr>
        ))}
      </Table.Tbody>
      {rows.length > mostRows && <Table.Caption>{words.rowCount(rows.length)}</Table.Caption>}
    </Table>
  );
}

interface Drawn {
  readonly label: string | undefined;
  readonly value: string;
}

/** As wide as the largest of them; below 0 there is no bar. */
export function Bars({ rows, label, value }: Drawn & { readonly rows: readonly Row[] }) {
  const shown = placed(rows.slice(0, mostBars)).filter(({ row }) => isNumeric(row[value]));
  const most = Math.max(0, ...shown.map(({ row }) => numberOf(row[value]) ?? 0)) || 1;
  return (
    <Stack gap="xs">
      {shown.map(({ place, row }) => {
        const name = label === undefined ? `${place + 1}` : cellText(row[label]);
        return (
          <div key={place} className={classes['bar']}>
            <bdi dir="auto" title={name}>
              {name}
            </bdi>
            <Progress
              value={Math.max(0, ((numberOf(row[value]) ?? 0) / most) * 100)}
              size="lg"
              radius="xs"
              aria-label={name}
            />
            <span className="figure">{cellText(row[value])}</span>
          </div>
        );
      })}
    </Stack>
  );
}

/** Of the first row. */
export function BigValue({ row, label, value }: Drawn & { readonly row: Row }) {
  return (
    <>
      <div className={classes['big']}>{cellText(row[value])}</div>
      <Text size="sm" className="soft" dir="auto">
        {label === undefined ? value : cellText(row[label])}
      </Text>
    </>
  );
}

/** Since the page was opened: a source tells what is, and not what was. */
export function Lines({
  rows,
  at,
  label,
  value,
}: Drawn & { readonly rows: readonly Row[]; readonly at: number }) {
  const [all, setAll] = useState(nothingTold);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a sample for each result, also where it says the same.
  useEffect(() => setAll((before) => told(before, rows, at, label, value)), [at, label, value]);
  const { lines, columns } = useMemo(() => chartOf(all), [all]);
  return <TimeSeries title={value} lines={lines} columns={columns} format={compact} height={110} />;
}

/** Rows have no names of their own: their place is what they are known by. */
const placed = (rows: readonly Row[]) => rows.map((row, place) => ({ row, place }));
