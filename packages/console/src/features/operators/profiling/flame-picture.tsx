import { Stack, Text } from '@mantine/core';
import { type KeyboardEvent, memo, useMemo, useRef, useState } from 'react';
import { count, percent } from '../../../format/number.js';
import classes from './flame.module.css';
import { type Box, flameLayout, walked } from './flame-layout.js';
import { type Frame, type FramePath, packageOf, shortFrame } from './frames.js';
import { words } from './words.js';

interface Props {
  readonly root: Frame;
  /** What is looked at. */
  readonly path: FramePath;
  readonly onPath: (path: FramePath) => void;
  readonly isFound: (name: string) => boolean;
  readonly isSearching: boolean;
}

/** Pixels. */
const rowHeight = 22;

/** One box a frame, what it called below it. To those who do not see it, it is a tree. */
export function FlamePicture({ root, path, onPath, isFound, isSearching }: Props) {
  const { boxes, rows, tooNarrow } = useMemo(() => flameLayout(root, path), [root, path]);
  const [at, setAt] = useState('');
  const current = boxes.find(({ key }) => key === at) ?? boxes[0];
  const tree = useRef<HTMLDivElement>(null);
  const look = (next: FramePath, key: string) => {
    onPath(next);
    setAt(key);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey || !current) return;
    const next = walked(boxes, current.key, event.key);
    if (next) {
      setAt(next.key);
      tree.current?.querySelector<HTMLElement>(`[data-key="${next.key}"]`)?.focus();
    } else if (event.key === 'Enter' || event.key === ' ') look(current.path, current.key);
    else if (event.key === 'Escape' && path.length > 0) look([], current.key);
    else if (!event.key.startsWith('Arrow')) return;
    event.preventDefault();
  };
  return (
    <Stack gap="xs">
      <div className={classes['scroller']}>
        <div
          ref={tree}
          role="tree"
          aria-label={words.picture}
          className={classes['picture']}
          style={{ height: rows * rowHeight }}
          data-searching={isSearching || undefined}
          onKeyDown={onKeyDown}
          onClick={({ target }) => {
            const key = target instanceof HTMLElement ? target.dataset['key'] : undefined;
            const box = boxes.find((one) => one.key === key);
            if (box) look(box.path, box.key);
          }}
          onFocus={({ target }) => setAt(target.dataset['key'] ?? at)}
          onMouseOver={({ target }) => {
            if (target instanceof HTMLElement) setAt(target.dataset['key'] ?? at);
          }}
        >
          {boxes.map((box) => (
            <FrameBox
              key={box.key}
              box={box}
              root={root}
              isCurrent={box.key === current?.key}
              isLookedAt={box.row === path.length}
              isFound={isFound(box.frame.name)}
            />
          ))}
        </div>
      </div>
      <Text size="sm" className={classes['told'] ?? ''} dir="ltr">
        {current && labelOf(current.frame, root, current.row)}
      </Text>
      <Text size="xs" className="soft">
        {words.keys} {tooNarrow > 0 && words.tooNarrow(tooNarrow)}
      </Text>
    </Stack>
  );
}

const labelOf = ({ name, samples }: Frame, root: Frame, row: number): string =>
  words.frame(row === 0 ? words.whole : name, percent(samples / root.samples), count(samples));

interface BoxProps {
  readonly box: Box;
  readonly root: Frame;
  /** The one that the keyboard is at. */
  readonly isCurrent: boolean;
  readonly isLookedAt: boolean;
  readonly isFound: boolean;
}

const FrameBox = memo(function FrameBox({ box, root, isCurrent, isLookedAt, isFound }: BoxProps) {
  const { key, frame, row, from, width, isAbove } = box;
  return (
    <div
      role="treeitem"
      tabIndex={isCurrent ? 0 : -1}
      aria-level={row + 1}
      aria-selected={isLookedAt && !isAbove}
      aria-label={labelOf(frame, root, row)}
      className={classes['frame']}
      data-key={key}
      data-above={isAbove || undefined}
      data-found={isFound || undefined}
      data-tone={row === 0 ? undefined : toneOf(frame.name)}
      style={{
        insetInlineStart: `${from * 100}%`,
        width: `${width * 100}%`,
        top: row * rowHeight,
        height: rowHeight - 1,
      }}
    >
      {row === 0 ? words.whole : shortFrame(frame.name)}
    </div>
  );
});

/** As many as the style has. */
const tones = 5;

/** The platform's own is grey; each other package has always the same of a few. */
function toneOf(name: string): string {
  const of = packageOf(name);
  if (/^(java|javax|jdk|sun)(\.|$)/.test(of)) return 'platform';
  let sum = 0;
  for (const character of of) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 65_521;
  return String(sum % tones);
}
