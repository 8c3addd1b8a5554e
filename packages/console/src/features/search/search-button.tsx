import { Button } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { lazy, Suspense, useState } from 'react';
import { words } from './words.js';

const Search = lazy(() => import('./search.js'));

/** Opens the search, also by Ctrl K or ⌘ K. What it is made of comes when it is asked for first. */
export function SearchButton() {
  const [times, setTimes] = useState(0);
  const open = () => setTimes((before) => before + 1);
  useHotkeys([['mod+K', open]], []);
  return (
    <>
      <Button
        variant="default"
        size="compact-md"
        onClick={open}
        visibleFrom="sm"
        rightSection={<kbd className="soft">{words.shortcut}</kbd>}
      >
        {words.search}
      </Button>
      {times > 0 && (
        <Suspense fallback={null}>
          <Search asked={times} />
        </Suspense>
      )}
    </>
  );
}
