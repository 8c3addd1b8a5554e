import { Badge, Group, Table, Text } from '@mantine/core';
import { both, type May, unless, useMay } from '../../gateway/capabilities.js';
import { client } from '../../gateway/client.js';
import { changed } from '../../gateway/queries.js';
import { Do } from '../../shell/do.js';
import { said } from '../../shell/notify.js';
import { confirm } from '../../shell/question.js';
import { TableHead } from '../../shell/table-head.js';
import type { PropertyRow } from './property-rows.js';
import { words } from './words.js';

export function PropertyTable({
  rows,
  edit,
}: {
  readonly rows: readonly PropertyRow[];
  readonly edit: (row: PropertyRow) => void;
}) {
  const { columns } = words;
  return (
    <Table.ScrollContainer minWidth={720}>
      <Table fz="sm" verticalSpacing="xs" aria-label={words.properties}>
        <TableHead columns={[columns.name, columns.value, columns.from, { unseen: columns.actions }]} />
        <Table.Tbody>
          {rows.map((row) => (
            <PropertyLine key={row.name} row={row} edit={edit} />
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

/** Which of the scopes this API writes. */
function useChangeable(): (row: PropertyRow, may: May) => May {
  return ({ scope, name }, may) =>
    both(
      may,
      // The switch of the usage report is listed as TRANSIENT and changed all the same, on its own screen.
      unless(scope === 'TRANSIENT' && name !== 'platform.phoneHome.enable', words.fixed),
      unless(scope === 'USER', words.ofAccount),
    );
}

function PropertyLine({
  row,
  edit,
}: {
  readonly row: PropertyRow;
  readonly edit: (row: PropertyRow) => void;
}) {
  const may = useMay();
  const changeable = useChangeable();
  const { name, value, scope, description, defaultValue, inForce, isWaiting } = row;
  return (
    <Table.Tr>
      <Table.Td maw={420}>
        <code>{name}</code>
        <Text size="xs" className="soft">
          {description}
        </Text>
      </Table.Td>
      <Table.Td maw={300} style={{ overflowWrap: 'anywhere' }}>
        {value === undefined ? (
          <span className="soft">{defaultValue ?? words.notSet}</span>
        ) : (
          <bdi>{value}</bdi>
        )}
        <Group gap={4} mt={2}>
          {isWaiting && (
            <Badge tt="none" fw={500} color="orange" variant="outline" c="var(--state-warning)">
              {words.waits}
            </Badge>
          )}
          {inForce !== undefined && inForce !== 'at once' && (
            <Badge tt="none" fw={500} color="gray" variant="outline" c="var(--text-soft)">
              {words.inForce[inForce]}
            </Badge>
          )}
        </Group>
        {value !== undefined && defaultValue !== undefined && defaultValue !== value && (
          <Text size="xs" className="soft">
            {words.isDefault(defaultValue)}
          </Text>
        )}
      </Table.Td>
      <Table.Td>
        {scope ? words.scopes[scope] : defaultValue === undefined ? '' : words.defaultValue}
      </Table.Td>
      <Table.Td>
        <Group gap={4} justify="flex-end" wrap="nowrap">
          <Do
            size="compact-sm"
            may={changeable(row, may('putProperty'))}
            aria-label={words.changeOf(name)}
            onClick={() => edit(row)}
          >
            {words.change}
          </Do>
          {value !== undefined && (
            <Do
              size="compact-sm"
              may={changeable(row, may('deleteProperty'))}
              aria-label={words.removeOf(name)}
              onClick={() => askToRemove(row)}
            >
              {words.remove}
            </Do>
          )}
        </Group>
      </Table.Td>
    </Table.Tr>
  );
}

function askToRemove({ name, defaultValue }: PropertyRow): void {
  confirm({
    title: words.removeTitle(name),
    text: words.removeText(defaultValue),
    verb: words.remove,
    async act() {
      await client.deleteProperty({ params: { PROPERTY_NAME: name } });
      said(words.propertyRemoved(name));
      await changed('listProperties', 'listKnownProperties', 'listConfigIssues');
    },
  });
}
