import { NumberInput, Stack, Switch, Textarea, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import type { AlertFields } from './alert-fields.js';
import { words } from './words.js';

const daySeconds = 24 * 60 * 60;

/** What there is to an alert beside its condition, which stands between its name and the rest. */
export function Facts({
  fields,
  isNew,
  change,
  children,
}: {
  readonly fields: AlertFields;
  readonly isNew: boolean;
  readonly change: (part: Partial<AlertFields>) => void;
  readonly children: ReactNode;
}) {
  return (
    <Stack gap="md">
      {isNew && (
        <TextInput
          label={words.name}
          value={fields.name}
          maxLength={128}
          onChange={({ currentTarget }) => change({ name: currentTarget.value })}
        />
      )}
      {children}
      <NumberInput
        label={words.threshold}
        value={fields.thresholdSeconds}
        min={0}
        max={30 * daySeconds}
        decimalScale={3}
        maw={240}
        onChange={(typed) => change({ thresholdSeconds: Number(typed) || 0 })}
      />
      <TextInput
        label={words.email}
        description={words.emailHint}
        value={fields.email}
        onChange={({ currentTarget }) => change({ email: currentTarget.value })}
      />
      <Textarea
        label={words.description}
        value={fields.description}
        maxLength={4096}
        autosize
        minRows={2}
        maxRows={8}
        onChange={({ currentTarget }) => change({ description: currentTarget.value })}
      />
      <Switch
        label={words.isDisabled}
        checked={fields.disabled}
        onChange={({ currentTarget }) => change({ disabled: currentTarget.checked })}
      />
    </Stack>
  );
}
