import { Table, Text } from '@mantine/core';

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
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{name}</Table.Th>
          <Table.Th>{value}</Table.Th>
        </Table.Tr>
      </Table.Thead>
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
