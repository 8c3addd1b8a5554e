import { Slider } from '@mantine/core';
import classes from './log.module.css';
import type { Hit } from './search.js';
import { words } from './words.js';

/** Hits are marks; more of them than this can't be told apart. */
const most = 200;

/** The whole log from top to bottom: where somebody looks, and where something was found. */
export function Rail({
  offset,
  length,
  hits,
  onGo,
}: {
  readonly offset: number;
  readonly length: number;
  readonly hits: readonly Hit[];
  readonly onGo: (offset: number) => void;
}) {
  const each = Math.ceil(hits.length / most);
  return (
    <Slider
      key={length === 0 ? 'empty' : 'log'}
      orientation="vertical"
      className={classes['rail'] ?? ''}
      classNames={{ bar: classes['bar'] ?? '', mark: classes['mark'] ?? '' }}
      // Upwards is towards the beginning, as in the text.
      value={length - offset}
      min={0}
      max={Math.max(1, length)}
      step={Math.max(1, Math.round(length / 500))}
      label={null}
      onChangeEnd={(value) => onGo(Math.max(0, length - value))}
      thumbLabel={words.rail}
      thumbProps={{ 'aria-valuetext': words.railAt(offset, length) }}
      marks={hits.filter((_, index) => index % each === 0).map((hit) => ({ value: length - hit.offset }))}
      size="sm"
    />
  );
}
