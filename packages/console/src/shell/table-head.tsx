import { Table } from '@mantine/core';

/** Its words; with `figure` it stands over numbers, `unseen` is only read out, as over buttons that say themselves what they do. */
type Column = string | { readonly figure: string; readonly title?: string } | { readonly unseen: string };

function Head({ column }: { readonly column: Column }) {
  if (typeof column === 'string') return <Table.Th>{column}</Table.Th>;
  if ('unseen' in column)
    return (
      <Table.Th>
        <span className="visually-hidden">{column.unseen}</span>
      </Table.Th>
    );
  return (
    <Table.Th className="figure" title={column.title}>
      {column.figure}
    </Table.Th>
  );
}

/** The first line of a table, whose columns are what the parts of each row stand under. */
export const TableHead = ({ columns }: { readonly columns: readonly Column[] }) => (
  <Table.Thead>
    <Table.Tr>
      {columns.map((column, place) => (
        <Head key={place} column={column} />
      ))}
    </Table.Tr>
  </Table.Thead>
);
