import { Code, Text } from '@mantine/core';
import { writeExact } from '../../format/exact-json.js';
import type { Values } from '../../forms/property-values.js';
import type { Choice } from './choices.js';
import { words } from './words.js';

/** What will be sent, as it will be sent. */
export function Body({ body, choice }: { readonly body: Values; readonly choice: Choice }) {
  const chosen = Object.entries(choice);
  return (
    <section aria-label={words.body}>
      <Text size="sm" fw={600} mb="xs">
        {words.body}
      </Text>
      <Code block tabIndex={0}>
        {[...chosen.map(([name, value]) => `${name} = ${value}`), writeExact(body)].join('\n')}
      </Code>
    </section>
  );
}
