import { Chip, Group } from '@mantine/core';
import { exactCount } from '../../format/number.js';
import { signs } from '../../shell/states.js';
import { groups, type Group as StateGroup } from './list-search.js';
import { words } from './words.js';

/** How many there are of each state; one chosen hides the others. */
export function Chips({
  counts,
  chosen,
  onChoose,
}: {
  readonly counts: Readonly<Record<StateGroup, number>>;
  readonly chosen: StateGroup | undefined;
  readonly onChoose: (group: StateGroup | undefined) => void;
}) {
  return (
    <Group gap="xs">
      {groups
        .filter((group) => counts[group] > 0 || group === chosen)
        .map((group) => (
          <Chip
            key={group}
            checked={group === chosen}
            onChange={(isChosen) => onChoose(isChosen ? group : undefined)}
            variant="outline"
            size="sm"
          >
            <span data-state={group === 'waiting' ? 'waiting-still' : group}>{signs[group]}</span>{' '}
            {exactCount(counts[group])} {words[group]}
          </Chip>
        ))}
    </Group>
  );
}
