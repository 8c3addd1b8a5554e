import { Alert, Button, List, Text } from '@mantine/core';
import type { PlanDifference } from '../plan-shape.js';
import { words } from '../words.js';

/** What others did to the plan since the batch was begun. */
export function Meanwhile({
  difference,
  onRebase,
}: {
  readonly difference: readonly PlanDifference[];
  readonly onRebase: () => void;
}) {
  return (
    <Alert variant="outline" color="orange" title={words.meanwhile} role="alert">
      <Text size="sm">{words.meanwhileHint}</Text>
      <List size="sm" listStyleType="none" my="xs">
        {difference.map(({ mark, kind, name, detail }) => (
          <List.Item key={`${kind} ${name} ${detail}`} style={{ overflowWrap: 'anywhere' }}>
            {words.signs[mark]} <bdi>{words.difference(kind, name, detail)}</bdi>
          </List.Item>
        ))}
      </List>
      <Button size="compact-sm" variant="default" onClick={onRebase}>
        {words.applyOnTop}
      </Button>
    </Alert>
  );
}
