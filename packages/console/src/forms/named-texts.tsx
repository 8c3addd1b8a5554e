import { ActionIcon, Button, Group, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { words } from './words.js';

interface Props {
  readonly entries: readonly (readonly [name: string, value: string])[];
  /** What is wrong with the value of one. */
  readonly problemOf: (name: string) => string | undefined;
  /** Names that stand somewhere else. */
  readonly taken?: readonly string[];
  readonly examples?: { readonly name: string; readonly value: string };
  /** `undefined` takes one away. Absent: they can be read only. */
  readonly onSet: ((name: string, value: string | undefined) => void) | undefined;
}

/** Properties whose names only people know: each a text, and one more. */
export function NamedTexts({ entries, problemOf, taken = [], examples = noExamples, onSet }: Props) {
  return (
    <Stack gap="sm">
      {entries.map(([name, value]) => (
        <Group key={name} gap="xs" align="end" wrap="nowrap">
          <TextInput
            label={<bdi>{name}</bdi>}
            styles={{ label: { overflowWrap: 'anywhere' } }}
            value={value}
            readOnly={onSet === undefined}
            error={problemOf(name)}
            onChange={({ currentTarget }) => onSet?.(name, currentTarget.value)}
            flex={1}
          />
          {onSet && (
            <ActionIcon
              variant="subtle"
              color="gray"
              c="var(--mantine-color-text)"
              mb={4}
              aria-label={words.removeProperty(name)}
              onClick={() => onSet(name, undefined)}
            >
              ✕
            </ActionIcon>
          )}
        </Group>
      ))}
      {onSet && (
        <NewText taken={[...entries.map(([name]) => name), ...taken]} examples={examples} onAdd={onSet} />
      )}
    </Stack>
  );
}

const noExamples = { name: '', value: '' };

function NewText({
  taken,
  examples,
  onAdd,
}: Required<Pick<Props, 'taken' | 'examples'>> & {
  readonly onAdd: (name: string, value: string) => void;
}) {
  const [name, setName] = useState('');
  const [value, setValue] = useState('');
  const isTaken = taken.includes(name.trim());
  return (
    <Stack
      component="form"
      gap="xs"
      onSubmit={(event) => {
        event.preventDefault();
        if (name.trim() === '' || isTaken) return;
        onAdd(name.trim(), value);
        setName('');
        setValue('');
      }}
    >
      <TextInput
        label={words.newProperty}
        placeholder={examples.name}
        value={name}
        error={isTaken && words.propertyTaken}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
        autoComplete="off"
      />
      <Group gap="xs" align="end" wrap="nowrap">
        <TextInput
          label={words.propertyValue}
          placeholder={examples.value}
          value={value}
          onChange={({ currentTarget }) => setValue(currentTarget.value)}
          autoComplete="off"
          flex={1}
        />
        <Button type="submit" variant="default" disabled={name.trim() === '' || isTaken}>
          {words.addProperty}
        </Button>
      </Group>
    </Stack>
  );
}
