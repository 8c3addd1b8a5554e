import { ActionIcon, Button, Group, Text, TextInput, Tooltip } from '@mantine/core';
import { useState } from 'react';
import { Failure } from '../../shell/failure.js';
import { isDone, maxHits, searchedBytes } from './search.js';
import type { Searching } from './use-search.js';
import { words } from './words.js';

/** What is searched for, how far it is, and the way from hit to hit. */
export function SearchBar({
  q,
  searching,
  onSearch,
  onWalk,
}: {
  readonly q: string;
  readonly searching: Searching;
  /** Nothing ends it. */
  readonly onSearch: (grep: string, direction: 'up' | 'down') => void;
  readonly onWalk: (direction: 'up' | 'down') => void;
}) {
  const [typed, setTyped] = useState(q);
  const [direction, setDirection] = useState<'up' | 'down'>('up');
  const { search, isRunning, failure, stop } = searching;
  const hasHits = (search?.hits.length ?? 0) > 0;
  const turn = direction === 'up' ? words.upwards : words.downwards;
  return (
    <>
      <Group
        gap="sm"
        component="form"
        onSubmit={(event) => {
          event.preventDefault();
          onSearch(typed, direction);
        }}
      >
        <TextInput
          data-filter
          aria-label={words.search}
          placeholder={words.searchHint}
          value={typed}
          onChange={({ currentTarget }) => setTyped(currentTarget.value)}
          flex="1 1 220px"
          maw={420}
        />
        <Tooltip label={turn}>
          <ActionIcon
            variant="default"
            size="lg"
            aria-label={turn}
            onClick={() => setDirection(direction === 'up' ? 'down' : 'up')}
          >
            {direction === 'up' ? '↑' : '↓'}
          </ActionIcon>
        </Tooltip>
        {isRunning ? (
          <Button variant="default" onClick={stop}>
            {words.stop}
          </Button>
        ) : (
          <Button variant="default" type="submit">
            {words.searchNow}
          </Button>
        )}
        {search && (
          <>
            <Walk label={words.previous} isOn={hasHits} onClick={() => onWalk('up')}>
              ‹
            </Walk>
            <Walk label={words.next} isOn={hasHits} onClick={() => onWalk('down')}>
              ›
            </Walk>
            <Text size="sm" role="status">
              {words.progress(searchedBytes(search), search.length, search.hits.length, isDone(search))}
              {search.hits.length >= maxHits && ` · ${words.tooMany(maxHits)}`}
            </Text>
          </>
        )}
      </Group>
      {failure && <Failure error={failure} what={words.search} />}
    </>
  );
}

function Walk({
  label,
  isOn,
  onClick,
  children,
}: {
  readonly label: string;
  readonly isOn: boolean;
  readonly onClick: () => void;
  readonly children: string;
}) {
  return (
    <Tooltip label={label}>
      <ActionIcon variant="default" size="lg" aria-label={label} disabled={!isOn} onClick={onClick}>
        {children}
      </ActionIcon>
    </Tooltip>
  );
}
