import { Chip, Group } from '@mantine/core';
import { exactCount } from '../../format/number.js';
import { words } from './words.js';

/** How many there are of each type; those chosen hide the others. One that was chosen stays, also while there is none of it. */
export function TypeChips({
  counts,
  chosen,
  onChoose,
}: {
  readonly counts: readonly { readonly type: string; readonly count: number }[];
  readonly chosen: readonly string[];
  readonly onChoose: (types: string[]) => void;
}) {
  const missing = chosen.filter((type) => !counts.some((one) => one.type === type));
  return (
    <Chip.Group multiple value={[...chosen]} onChange={onChoose}>
      <Group gap="xs" role="group" aria-label={words.types}>
        {[...counts, ...missing.map((type) => ({ type, count: 0 }))].map(({ type, count }) => (
          <Chip key={type} value={type} variant="outline" size="xs">
            {type} {exactCount(count)}
          </Chip>
        ))}
      </Group>
    </Chip.Group>
  );
}
