import { Button, Stack, Text, TextInput, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { setOf } from '../../forms/launch-properties.js';
import { PropertyFields } from '../../forms/property-fields.js';
import { read } from '../../gateway/queries.js';
import { removeOperator, renameOperator, setProperty } from './changes.js';
import { type Operator, operatorsIn } from './definition.js';
import { Joins } from './joins.js';
import type { PanelProps } from './panel-props.js';
import { words } from './words.js';

export function OperatorPanel({
  operator,
  definition,
  classes,
  packageProperties,
  change,
  select,
}: PanelProps & { readonly operator: Operator }) {
  const { owner, name, version } = useParams({
    from: '/framed/packages/$owner/$name/$version/apps/$app/edit',
  });
  const listed = classes.known.find((one) => one.name === operator.class);
  // With the properties of its properties, and the values of enumerations.
  const { data } = useQuery({
    ...read('getPackageOperator', { params: { owner, name, version, classname: operator.class } }),
    enabled: listed !== undefined,
  });
  const known = data ?? listed;
  const set = setOf(operator.name, packageProperties);
  return (
    <Stack gap="sm">
      <div>
        <Title order={2}>{known?.title ?? operator.class}</Title>
        <Text size="xs" className="mono soft" style={{ overflowWrap: 'anywhere' }}>
          {operator.class}
        </Text>
      </div>
      {known?.shortDesc && <Text size="sm">{known.shortDesc}</Text>}
      <Rename operator={operator} definition={definition} change={change} select={select} />
      <Joins operator={operator} definition={definition} classes={classes} change={change} select={select} />
      <Title order={3} fz="md">
        {words.properties}
      </Title>
      {set.length > 0 && (
        <Text size="sm" className="soft" dir="auto" style={{ overflowWrap: 'anywhere' }}>
          {words.setByPackage(set)}
        </Text>
      )}
      <PropertyFields
        properties={known?.properties ?? []}
        values={operator.properties}
        defaults={known?.defaultValue ?? {}}
        {...(change
          ? {
              onEdit: (key: string, value: unknown) =>
                change((now) => setProperty(now, operator.name, key, value)),
            }
          : {})}
      />
      {change && (
        <Button
          variant="default"
          onClick={() => {
            change((now) => removeOperator(now, operator.name));
            select(undefined);
          }}
        >
          {words.remove}
        </Button>
      )}
    </Stack>
  );
}

/** Taken over when the field is left: each letter would be another operator. */
function Rename({
  operator,
  definition,
  change,
  select,
}: Pick<PanelProps, 'definition' | 'change' | 'select'> & { readonly operator: Operator }) {
  const [name, setName] = useState(operator.name);
  const isTaken = name !== operator.name && operatorsIn(definition).some((one) => one.name === name);
  const error = isTaken ? words.nameTaken : name.includes('.') ? words.nameDot : undefined;
  const take = () => {
    if (error !== undefined || name === '' || name === operator.name) return;
    change?.((now) => renameOperator(now, operator.name, name));
    select(`operator:${name}`);
  };
  return (
    <TextInput
      label={words.name}
      value={name}
      error={error}
      readOnly={change === undefined}
      onChange={({ currentTarget }) => setName(currentTarget.value)}
      onBlur={take}
      onKeyDown={({ key }) => {
        if (key === 'Enter') take();
      }}
    />
  );
}
