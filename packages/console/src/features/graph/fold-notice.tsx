import { Button, Group, Menu, Text } from '@mantine/core';
import type { ShownGraph } from './shown-graph.js';
import { words } from './words.js';

/** So many folds are offered; each has the button in its panel too. */
const most = 20;

/** That not each node is drawn, and how to see more of them. */
export function FoldNotice({
  graph,
  isOpened,
  onUnfold,
  onFold,
}: {
  readonly graph: ShownGraph;
  readonly isOpened: boolean;
  readonly onUnfold: (fold: string) => void;
  readonly onFold: () => void;
}) {
  const { fold, nodes } = graph;
  if (!fold && !isOpened) return null;
  const folds = nodes.filter(({ kind }) => kind !== 'single');
  const arePartitions = folds.every(({ kind }) => kind === 'partitions');
  const largest = folds.sort((a, b) => b.members.length - a.members.length).slice(0, most);
  return (
    <Group gap="sm">
      {fold && (
        <Text size="sm">
          {arePartitions
            ? words.foldedPartitions(fold.members, fold.nodes)
            : words.folded(fold.members, fold.nodes)}
        </Text>
      )}
      {fold && (
        <Menu>
          <Menu.Target>
            <Button size="compact-sm" variant="default">
              {words.unfold}
            </Button>
          </Menu.Target>
          <Menu.Dropdown mah={320} style={{ overflow: 'auto' }}>
            {largest.map(({ id, kind, title, members }) => (
              <Menu.Item key={id} onClick={() => onUnfold(id)}>
                <bdi>{words.foldTitle(kind, title, members.length)}</bdi> {words.times(members.length)}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
      )}
      {isOpened && (
        <Button size="compact-sm" variant="default" onClick={onFold}>
          {words.foldAgain}
        </Button>
      )}
    </Group>
  );
}
