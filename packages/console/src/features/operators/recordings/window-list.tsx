import { Button, Group, Stack, Text, TextInput, Title } from '@mantine/core';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useMemo, useRef, useState } from 'react';
import { exactCount } from '../../../format/number.js';
import { windowTime } from '../../../format/windows.js';
import { Moment } from '../../../shell/time.js';
import classes from './recording.module.css';
import { windowsIn } from './windows.js';
import { words } from './words.js';

interface Props {
  readonly ranges: readonly { readonly low: string; readonly high: string }[];
  readonly width: number;
  readonly chosen: string | undefined;
  readonly onChoose: (window: string) => void;
}

/** The windows of a recording with their times; one chosen is where the tuples begin. */
export function WindowList({ ranges, width, chosen, onChoose }: Props) {
  const windows = useMemo(() => windowsIn(ranges), [ranges]);
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: windows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 28,
    overscan: 10,
  });
  // Only where it was chosen by a link or by its id: what was clicked is in sight.
  // biome-ignore lint/correctness/useExhaustiveDependencies: a list that grows does not move.
  useEffect(() => {
    if (chosen !== undefined && windows.length > 0) virtual.scrollToIndex(windows.indexOf(chosen));
  }, [chosen, windows.length === 0]);
  return (
    <Stack gap="xs">
      <Title order={3} fz="md">
        {words.windows} <span className="soft">{exactCount(windows.length)}</span>
      </Title>
      <GoTo onGo={onChoose} />
      {windows.length === 0 ? (
        <Text size="sm" className="soft">
          {words.noWindow}
        </Text>
      ) : (
        <section ref={scroller} className={classes['scroller']} tabIndex={0} aria-label={words.windows}>
          <div className={classes['lines']} style={{ height: virtual.getTotalSize() }}>
            {virtual.getVirtualItems().map(({ index, start }) => {
              const id = windows.at(index) ?? '';
              return (
                <button
                  key={id}
                  type="button"
                  className={classes['line']}
                  style={{ transform: `translateY(${start}px)`, width: '100%' }}
                  aria-current={id === chosen}
                  onClick={() => onChoose(id)}
                >
                  <Moment at={windowTime(id, width)} short />
                  <span className="mono">{id}</span>
                </button>
              );
            })}
          </div>
        </section>
      )}
    </Stack>
  );
}

function GoTo({ onGo }: { readonly onGo: (window: string) => void }) {
  const [text, setText] = useState('');
  const isWrong = text !== '' && !/^\d{1,20}$/.test(text);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (text !== '' && !isWrong) onGo(text);
      }}
    >
      <Group gap="xs" align="start" wrap="nowrap">
        <TextInput
          aria-label={words.toWindow}
          placeholder={words.toWindow}
          value={text}
          onChange={({ currentTarget }) => setText(currentTarget.value.trim())}
          error={isWrong && words.notWindow}
          size="xs"
          flex={1}
        />
        <Button type="submit" size="xs" variant="default">
          {words.go}
        </Button>
      </Group>
    </form>
  );
}
