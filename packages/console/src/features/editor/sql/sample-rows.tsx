import { Table, Text } from '@mantine/core';
import { textOf } from '../../../forms/property-values.js';
import type { AnswerOf } from '../../../gateway/queries.js';
import { words } from '../words.js';
import classes from './sql.module.css';

export type Sampled = AnswerOf<'samplePackageApplication'>;

/** What a query came to. What becomes of the rows is told where they are not all added. */
export function SampleRows({ sampled: { columns, rows, cut } }: { readonly sampled: Sampled }) {
  const tellsKinds = rows.some(({ kind }) => kind !== 'INSERT');
  return (
    <>
      <Text size="sm" role="status">
        {words.sampledRows(rows.length)}
        {cut === undefined ? '' : ` ${words.cuts[cut]}`}
      </Text>
      {rows.length > 0 && (
        <div className={classes['rows']} tabIndex={0} role="region" aria-label={words.sampledTable}>
          <Table aria-label={words.sampledTable} fz="sm" stickyHeader>
            <Table.Thead>
              <Table.Tr>
                {tellsKinds && <Table.Th>{words.change}</Table.Th>}
                {columns.map(({ name, type }, place) => (
                  <Table.Th key={place}>
                    <bdi>{name}</bdi> <span className="soft">{type}</span>
                  </Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {rows.map(({ kind, values }, place) => (
                <Table.Tr key={place}>
                  {tellsKinds && <Table.Td style={{ whiteSpace: 'nowrap' }}>{words.rowKinds[kind]}</Table.Td>}
                  {values.map((value, column) => (
                    <Table.Td key={column} className={typeof value === 'number' ? 'figure' : 'mono'}>
                      {value === null ? <span className="soft">NULL</span> : <bdi>{textOf(value)}</bdi>}
                    </Table.Td>
                  ))}
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </div>
      )}
    </>
  );
}
