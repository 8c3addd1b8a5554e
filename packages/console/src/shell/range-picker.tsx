import { Button, Group, SegmentedControl, Text } from '@mantine/core';
import { moment } from '../format/time.js';
import { usePreferences } from '../gateway/preferences.js';
import { type Preset, type presets, type RangeSearch, standing } from './time-range.js';
import { words } from './words.js';

/** Which part of the past is shown. What was chosen by its ends is named, and one leads back from it. */
export function RangePicker<Other extends string = never>({
  search,
  usual,
  others = [],
  onChoose,
}: {
  readonly search: RangeSearch;
  /** What is shown when the address says nothing. */
  readonly usual: Preset | Other;
  /** Before the presets. */
  readonly others?: readonly { readonly value: Other; readonly label: string }[];
  readonly onChoose: (range: Preset | undefined) => void;
}) {
  const { zone } = usePreferences();
  const chosen = standing(search);
  if (chosen)
    return (
      <Group gap="sm">
        <Text size="sm" className="figure">
          {words.range.between(moment(chosen.from, zone), moment(chosen.to, zone))}
        </Text>
        <Button size="compact-sm" variant="default" onClick={() => onChoose(undefined)}>
          {words.range.back}
        </Button>
      </Group>
    );
  return (
    <SegmentedControl
      size="xs"
      aria-label={words.range.title}
      value={search.range ?? usual}
      onChange={(value) => onChoose(value === usual ? undefined : presetOf(value))}
      data={[...others, ...presetNames.map((value) => ({ value, label: words.range[value] }))]}
    />
  );
}

const presetNames = ['15m', '1h', '6h', '1d'] as const satisfies readonly (keyof typeof presets)[];
const presetOf = (value: string): Preset | undefined => presetNames.find((name) => name === value);
