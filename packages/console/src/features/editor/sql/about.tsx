import { ActionIcon, Button, Group, Stack, Text, TextInput, Title } from '@mantine/core';
import { useState } from 'react';
import { ApplicationTexts } from '../application-texts.js';
import type { Definition } from '../definition.js';
import type { Problem } from '../problems.js';
import { words } from '../words.js';
import { propertiesIn, setOption } from './statements.js';

interface Props {
  readonly definition: Definition;
  readonly problems: readonly Problem[];
  /** Absent: it can be read only. */
  readonly change: ((change: (definition: Definition) => Definition) => void) | undefined;
}

/** What people read of the application, and the options that its launch sets. */
export function About({ definition, problems, change }: Props) {
  return (
    <aside className="panel" aria-label={words.properties}>
      <Stack gap="sm">
        <Title order={2}>{words.application}</Title>
        <ApplicationTexts definition={definition} change={change} />
        <Title order={2}>{words.properties}</Title>
        <Text size="sm" className="soft">
          {words.optionsHint}
        </Text>
        {propertiesIn(definition).map(([name, value]) => (
          <Group key={name} gap="xs" align="end" wrap="nowrap">
            <TextInput
              label={<bdi>{name}</bdi>}
              styles={{ label: { overflowWrap: 'anywhere' } }}
              value={value}
              readOnly={change === undefined}
              error={problems.find(({ path }) => path === `properties.${name}`)?.message}
              onChange={({ currentTarget }) => {
                const next = currentTarget.value;
                change?.((now) => setOption(now, name, next));
              }}
              flex={1}
            />
            {change && (
              <ActionIcon
                variant="subtle"
                color="gray"
                c="var(--mantine-color-text)"
                mb={4}
                aria-label={words.removeOption(name)}
                onClick={() => change((now) => setOption(now, name, undefined))}
              >
                ✕
              </ActionIcon>
            )}
          </Group>
        ))}
        {change && <NewOption taken={propertiesIn(definition).map(([name]) => name)} change={change} />}
      </Stack>
    </aside>
  );
}

function NewOption({
  taken,
  change,
}: {
  readonly taken: readonly string[];
  readonly change: NonNullable<Props['change']>;
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
        change((now) => setOption(now, name.trim(), value));
        setName('');
        setValue('');
      }}
    >
      <TextInput
        label={words.newOption}
        placeholder="execution.checkpointing.interval"
        value={name}
        error={isTaken && words.optionTaken}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
        autoComplete="off"
      />
      <Group gap="xs" align="end" wrap="nowrap">
        <TextInput
          label={words.optionValue}
          placeholder="10 s"
          value={value}
          onChange={({ currentTarget }) => setValue(currentTarget.value)}
          autoComplete="off"
          flex={1}
        />
        <Button type="submit" variant="default" disabled={name.trim() === '' || isTaken}>
          {words.addOption}
        </Button>
      </Group>
    </Stack>
  );
}
