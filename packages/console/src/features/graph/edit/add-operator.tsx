import { Button, Group, Select, TextInput } from '@mantine/core';
import { useState } from 'react';
import { words } from '../words.js';
import { useClasses } from './use-classes.js';
import type { Editing } from './use-editing.js';

export function AddOperator({ id, editing }: { readonly id: string; readonly editing: Editing }) {
  const [name, setName] = useState('');
  const [className, setClass] = useState<string | null>(null);
  const classes = useClasses(id);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (className === null) return;
        editing.add({ requestType: 'CreateOperatorRequest', operatorName: name, operatorFQCN: className });
        setName('');
        setClass(null);
      }}
    >
      <TextInput
        label={words.name}
        size="xs"
        required
        maxLength={128}
        value={name}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
      />
      <Select
        label={words.className}
        size="xs"
        required
        searchable
        limit={50}
        data={classes}
        value={className}
        onChange={setClass}
      />
      <Group justify="flex-end" mt="xs">
        <Button type="submit" size="compact-sm" variant="default">
          {words.addOperator}
        </Button>
      </Group>
    </form>
  );
}
