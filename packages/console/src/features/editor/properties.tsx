import { Stack, Text, Title } from '@mantine/core';
import { ApplicationTexts } from './application-texts.js';
import { operatorsIn, streamsIn } from './definition.js';
import { OperatorPanel } from './operator-panel.js';
import type { PanelProps } from './panel-props.js';
import { StreamPanel } from './stream-panel.js';
import { words } from './words.js';

/** Of what is selected; of the application itself when nothing is. */
export function Properties({ selection, ...props }: PanelProps & { readonly selection: string | undefined }) {
  const { definition } = props;
  const [, kind, name] = /^(operator|stream):(.*)$/s.exec(selection ?? '') ?? [];
  const operator = kind === 'operator' ? operatorsIn(definition).find((one) => one.name === name) : undefined;
  const stream = kind === 'stream' ? streamsIn(definition).find((one) => one.name === name) : undefined;
  return (
    <aside className="panel" aria-label={words.properties}>
      {operator ? (
        <OperatorPanel key={operator.name} operator={operator} {...props} />
      ) : stream ? (
        <StreamPanel key={stream.name} stream={stream} {...props} />
      ) : (
        <ApplicationPanel {...props} />
      )}
    </aside>
  );
}

const ApplicationPanel = ({ definition, change }: PanelProps) => (
  <Stack gap="sm">
    <Title order={2}>{words.application}</Title>
    <ApplicationTexts definition={definition} change={change} />
    <Text size="sm" className="soft">
      {words.nothingSelected}
    </Text>
  </Stack>
);
