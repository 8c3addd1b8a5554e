import { CloseButton, Group, Text } from '@mantine/core';
import type { End } from './definition.js';
import { words } from './words.js';

interface Props {
  readonly sink: End;
  readonly onRemove: (() => void) | undefined;
}

export const SinkLine = ({ sink, onRemove }: Props) => (
  <Group gap="sm" justify="space-between" wrap="nowrap">
    <Text size="sm" className="soft">
      → {words.fromPort(sink.operatorName, sink.portName)}
    </Text>
    {onRemove && (
      <CloseButton
        size="sm"
        aria-label={words.disconnect(sink.operatorName, sink.portName)}
        onClick={onRemove}
      />
    )}
  </Group>
);
