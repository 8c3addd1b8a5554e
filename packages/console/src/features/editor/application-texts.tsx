import { Textarea, TextInput } from '@mantine/core';
import { setText } from './changes.js';
import type { Definition } from './definition.js';
import { words } from './words.js';

interface Props {
  readonly definition: Definition;
  /** Absent: it can be read only. */
  readonly change: ((change: (definition: Definition) => Definition) => void) | undefined;
}

const textIn = (value: unknown): string => (typeof value === 'string' ? value : '');

/** What people read of an application, whatever it is made of. */
export function ApplicationTexts({ definition, change }: Props) {
  const readOnly = change === undefined;
  return (
    <>
      <TextInput
        label={words.displayName}
        value={textIn(definition['displayName'])}
        readOnly={readOnly}
        onChange={({ currentTarget: { value } }) => change?.((now) => setText(now, 'displayName', value))}
      />
      <Textarea
        label={words.description}
        value={textIn(definition['description'])}
        readOnly={readOnly}
        autosize
        minRows={2}
        onChange={({ currentTarget: { value } }) => change?.((now) => setText(now, 'description', value))}
      />
    </>
  );
}
