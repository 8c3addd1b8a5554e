import { Anchor, Badge, Group, Stack, Table, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { textOf } from '../../forms/property-values.js';
import { read } from '../../gateway/queries.js';
import { TableHead } from '../../shell/table-head.js';
import type { PackageRef } from './rows.js';
import type { OperatorClass } from './shapes.js';
import { words } from './words.js';

interface Props {
  /** As the list has it. */
  readonly known: OperatorClass;
  readonly of: PackageRef;
}

export function OperatorDocumentation({ known, of }: Props) {
  // With the properties of its properties, and the values of enumerations.
  const { data = known } = useQuery(read('getPackageOperator', { params: { ...of, classname: known.name } }));
  const { name, title, shortDesc, longDesc, doclink, tags = [] } = data;
  return (
    <Stack gap="md" component="article" aria-label={title ?? name}>
      <div>
        <Title order={2}>{title ?? name}</Title>
        <Text size="sm" className="mono soft" style={{ overflowWrap: 'anywhere' }}>
          {name}
        </Text>
      </div>
      {tags.length > 0 && (
        <Group gap="xs">
          {tags.map((tag) => (
            <Badge key={tag} variant="default" radius="sm" tt="none">
              {tag}
            </Badge>
          ))}
        </Group>
      )}
      {[shortDesc, longDesc].map(
        (text) =>
          text && (
            <Text key={text} size="sm" style={{ whiteSpace: 'pre-line' }} dir="auto" maw={720}>
              {text}
            </Text>
          ),
      )}
      {doclink && /^https?:/.test(doclink) && (
        <Anchor href={doclink} target="_blank" rel="noopener noreferrer" size="sm">
          {words.moreDocumentation}
        </Anchor>
      )}
      <Ports title={words.inputs} ports={data.inputPorts} />
      <Ports title={words.outputs} ports={data.outputPorts} />
      <Properties of={data} />
    </Stack>
  );
}

function Ports({ title, ports }: { readonly title: string; readonly ports: OperatorClass['inputPorts'] }) {
  if (ports.length === 0) return null;
  return (
    <section>
      <Title order={3} fz="md" mb="xs">
        {title}
      </Title>
      <Table.ScrollContainer minWidth={320} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
        <Table aria-label={title}>
          <Table.Tbody>
            {ports.map(({ name, type, optional, description }) => (
              <Table.Tr key={name}>
                <Table.Td>{name}</Table.Td>
                <Table.Td className="mono">{type ?? words.anyType}</Table.Td>
                <Table.Td>{optional ? words.optional : words.needed}</Table.Td>
                <Table.Td>{description}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </section>
  );
}

function Properties({ of: { properties, defaultValue = {} } }: { readonly of: OperatorClass }) {
  if (properties.length === 0) return null;
  return (
    <section>
      <Title order={3} fz="md" mb="xs">
        {words.properties}
      </Title>
      <Table.ScrollContainer minWidth={480} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
        <Table aria-label={words.properties}>
          <TableHead
            columns={[words.columns.name, words.columns.type, words.columns.default, words.columns.meaning]}
          />
          <Table.Tbody>
            {properties.map(({ name, type, values, description }) => (
              <Table.Tr key={name}>
                <Table.Td>{name}</Table.Td>
                <Table.Td className="mono">{values?.join(' | ') ?? type}</Table.Td>
                <Table.Td className="mono">{textOf(defaultValue[name])}</Table.Td>
                <Table.Td>{description}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </section>
  );
}
