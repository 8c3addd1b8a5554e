import { Autocomplete, Button, Group, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { words } from '../words.js';
import { useClass } from './use-classes.js';
import type { Editing } from './use-editing.js';

/** The value is text that says the same as its JSON: long numbers go out as they were typed. */
export function SetProperty({
  id,
  name,
  editing,
}: {
  readonly id: string;
  readonly name: string;
  readonly editing: Editing;
}) {
  const operator = editing.applied.plan.operators.find((one) => one.name === name);
  const type = useClass(id, operator?.class);
  const [property, setProperty] = useState('');
  const [value, setValue] = useState('');
  const known = new Set([
    ...(type?.properties.filter(({ canSet }) => canSet).map((one) => one.name) ?? []),
    ...Object.keys(operator?.properties ?? {}),
  ]);
  const now = operator?.properties[property];
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        editing.add({
          requestType: 'SetOperatorPropertyRequest',
          operatorName: name,
          propertyName: property,
          propertyValue: value,
        });
        setProperty('');
        setValue('');
      }}
    >
      <Stack gap="xs">
        <Autocomplete
          label={words.property}
          size="xs"
          required
          data={[...known]}
          value={property}
          onChange={setProperty}
        />
        <TextInput
          label={words.value}
          size="xs"
          value={value}
          onChange={({ currentTarget }) => setValue(currentTarget.value)}
          {...(now === undefined ? {} : { description: words.valueNow(now.slice(0, 200)) })}
        />
        <Group justify="flex-end">
          <Button type="submit" size="compact-sm" variant="default">
            {words.set}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
