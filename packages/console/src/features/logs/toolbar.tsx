import { Button, Group, Select, Switch } from '@mantine/core';
import { prefer, usePreferences } from '../../gateway/preferences.js';
import { isLevel, type Level, levels } from './levels.js';
import { words } from './words.js';

const choices = [
  { value: '', label: words.allLevels },
  ...levels.slice(1).map((level) => ({ value: level, label: words.fromLevel(level) })),
];

export function Toolbar({
  isFollowing,
  level,
  download,
  onFollow,
  onLevel,
  children,
}: {
  readonly isFollowing: boolean;
  readonly level: Level | undefined;
  readonly download: string;
  readonly onFollow: (isFollowing: boolean) => void;
  readonly onLevel: (level: Level | undefined) => void;
  readonly children: React.ReactNode;
}) {
  const { logWrap } = usePreferences();
  return (
    <Group gap="md">
      <Switch
        label={words.follow}
        checked={isFollowing}
        onChange={({ currentTarget }) => onFollow(currentTarget.checked)}
      />
      <Switch
        label={words.wrap}
        checked={logWrap}
        onChange={({ currentTarget }) => void prefer({ logWrap: currentTarget.checked })}
      />
      <Select
        aria-label={words.levels}
        data={choices}
        value={level ?? ''}
        allowDeselect={false}
        onChange={(value) => onLevel(isLevel(value) ? value : undefined)}
        w={170}
      />
      {children}
      <Button component="a" variant="default" href={download} download>
        {words.download}
      </Button>
    </Group>
  );
}
