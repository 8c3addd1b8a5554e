import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { Marks } from '../../forms/long-text-view.js';
import type { LogPlace } from './access.js';
import { patternOf, walked } from './search.js';
import type { Place } from './use-place.js';
import { type Searching, useLogSearch } from './use-search.js';
import type { ViewSearch } from './view-search.js';

interface Input {
  readonly q: string | undefined;
  readonly place: Place;
  readonly length: number;
  readonly change: (to: { readonly q: ViewSearch['q'] | undefined }) => void;
}

export interface Hits {
  readonly searching: Searching;
  readonly marks: Marks;
  begin(grep: string, direction: 'up' | 'down'): void;
  walk(direction: 'up' | 'down'): void;
}

/** A search, what it has found, and where in it somebody stands. A link with a search begins it, too. */
export function useHits(log: LogPlace, { q, place, length, change }: Input): Hits {
  const searching = useLogSearch(log);
  const { search, start, clear } = searching;
  const [current, setCurrent] = useState<number>();
  const isSent = useRef(false);
  const from = place.top ?? length;

  const begin = useCallback(
    (grep: string, direction: 'up' | 'down') => {
      isSent.current = false;
      setCurrent(undefined);
      change({ q: grep === '' ? undefined : grep });
      if (grep === '') clear();
      else start(grep, from, length, direction);
    },
    [change, clear, start, from, length],
  );

  const first = useRef(q);
  useEffect(() => {
    if (first.current === undefined || length === 0) return;
    // Whoever follows a link stands where it leads to; the hits come beside.
    isSent.current = place.top !== undefined;
    start(first.current, from, length, 'up');
    first.current = undefined;
  }, [start, from, length, place.top]);

  const hits = search?.hits;
  const goTo = useCallback(
    (offset: number) => {
      setCurrent(offset);
      place.go(offset);
    },
    [place.go],
  );
  // To the first that is found, once.
  useEffect(() => {
    if (isSent.current || !hits || hits.length === 0) return;
    isSent.current = true;
    const nearest = walked(hits, from, search.direction);
    if (nearest) goTo(nearest.offset);
  }, [hits, search, from, goTo]);

  const walk = useCallback(
    (direction: 'up' | 'down') => {
      const next = walked(hits ?? [], current ?? from, direction);
      if (next) goTo(next.offset);
    },
    [hits, current, from, goTo],
  );

  const grep = search?.grep;
  const marks = useMemo(
    (): Marks => ({
      hits: new Set(hits?.map(({ offset }) => offset)),
      pattern: grep === undefined ? undefined : patternOf(grep),
      current,
    }),
    [hits, grep, current],
  );
  return { searching, marks, begin, walk };
}
