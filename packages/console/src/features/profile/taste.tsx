import { SegmentedControl, Select, Stack, Switch, Text, useMantineColorScheme } from '@mantine/core';
import { useId, useMemo } from 'react';
import { type Preferences, prefer, usePreferences } from '../../gateway/preferences.js';
import { failed } from '../../shell/notify.js';
import { Panel } from '../../shell/panel.js';
import { words } from './words.js';

const schemes = ['auto', 'light', 'dark'] as const;
const densities = ['comfortable', 'compact'] as const;

const choose = (change: Partial<Omit<Preferences, 'version'>>) =>
  prefer(change).catch((error: unknown) => failed(words.notKept, error));

/** Kept with the user's settings, but for the theme: that is this browser's. */
export function Taste() {
  const { zone, density, shortcuts } = usePreferences();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const zones = useMemo(zoneChoices, []);
  const [themeId, densityId] = [useId(), useId()];
  return (
    <Panel title={words.taste}>
      <Stack gap="sm">
        <div>
          <Text size="sm" fw={500} id={themeId}>
            {words.theme}
          </Text>
          <SegmentedControl
            aria-labelledby={themeId}
            value={colorScheme}
            onChange={(value) => setColorScheme(schemes.find((one) => one === value) ?? 'auto')}
            data={schemes.map((value) => ({ value, label: words.themes[value] }))}
          />
        </div>
        <Select
          label={words.zone}
          description={words.zoneHint}
          data={zones}
          value={zone}
          searchable
          allowDeselect={false}
          onChange={(value) => void choose({ zone: value ?? 'browser' })}
        />
        <div>
          <Text size="sm" fw={500} id={densityId}>
            {words.density}
          </Text>
          <SegmentedControl
            aria-labelledby={densityId}
            value={density}
            onChange={(value) =>
              void choose({ density: densities.find((one) => one === value) ?? 'comfortable' })
            }
            data={densities.map((value) => ({ value, label: words.densities[value] }))}
          />
        </div>
        <Switch
          label={words.shortcuts}
          description={words.shortcutsHint}
          checked={shortcuts}
          onChange={({ currentTarget }) => void choose({ shortcuts: currentTarget.checked })}
        />
      </Stack>
    </Panel>
  );
}

function zoneChoices() {
  const here = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const named = Intl.supportedValuesOf('timeZone').filter((name) => name !== 'UTC');
  return [
    { value: 'browser', label: words.browserZone(here) },
    { value: 'UTC', label: 'UTC' },
    ...named.map((name) => ({ value: name, label: name })),
  ];
}
