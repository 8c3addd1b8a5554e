import { Stack, Text, Title } from '@mantine/core';
import { NamedTexts } from '../../../forms/named-texts.js';
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
export const About = ({ definition, problems, change }: Props) => (
  <aside className="panel" aria-label={words.properties}>
    <Stack gap="sm">
      <Title order={2}>{words.application}</Title>
      <ApplicationTexts definition={definition} change={change} />
      <Title order={2}>{words.properties}</Title>
      <Text size="sm" className="soft">
        {words.optionsHint}
      </Text>
      <NamedTexts
        entries={propertiesIn(definition)}
        problemOf={(name) => problems.find(({ path }) => path === `properties.${name}`)?.message}
        examples={{ name: 'execution.checkpointing.interval', value: '10 s' }}
        onSet={change && ((name, value) => change((now) => setOption(now, name, value)))}
      />
    </Stack>
  </aside>
);
