import { Table, Text } from '@mantine/core';
import { TableHead } from '../../shell/table-head.js';

/** Names with values as text. */
export function NamedValues({
  title,
  name,
  value,
  entries,
  none,
}: {
  readonly title: string;
  readonly name: string;
  readonly value: string;
  readonly entries: readonly (readonly [name: string, value: string])[];
  readonly none: string;
}) {
  if (entries.length === 0)
    return (
      <Text size="sm" className="soft">
        {none}
      </Text>
    );
  return (
    <Table aria-label={title} fz="sm" layout="fixed">
      <TableHead columns={[name, value]} />
      <Table.Tbody>
        {entries.map(([key, text]) => (
          <Table.Tr key={key}>
            <Table.Td style={{ overflowWrap: 'anywhere' }}>
              <bdi>{key}</bdi>
            </Table.Td>
            <Table.Td className="mono" style={{ overflowWrap: 'anywhere' }}>
              <bdi>{text}</bdi>
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
