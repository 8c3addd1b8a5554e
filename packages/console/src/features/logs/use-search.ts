import { useCallback, useEffect, useRef, useState } from 'react';
import { isClientError } from '../../shell/words.js';
import { grepIn, type LogPlace } from './access.js';
import { found, foundTooMuch, nextSlice, type Search, startSearch } from './search.js';

export interface Searching {
  readonly search: Search | undefined;
  readonly isRunning: boolean;
  readonly failure: Error | undefined;
  start(grep: string, from: number, length: number, direction: 'up' | 'down'): void;
  stop(): void;
  clear(): void;
}

/** A search of the whole log, slice by slice, until it is done or stopped. */
export function useLogSearch(place: LogPlace): Searching {
  const [search, setSearch] = useState<Search>();
  const [isRunning, setRunning] = useState(false);
  const [failure, setFailure] = useState<Error>();
  const running = useRef<AbortController>(undefined);
  const { appid, containerId, logName } = place;

  const stop = useCallback(() => {
    running.current?.abort();
    running.current = undefined;
    setRunning(false);
  }, []);

  const start = useCallback(
    (grep: string, from: number, length: number, direction: 'up' | 'down') => {
      stop();
      const mine = new AbortController();
      running.current = mine;
      const params = { appid, containerId, logName };
      setFailure(undefined);
      setRunning(true);
      const first = startSearch(grep, { from: Math.min(from, length), length, direction });
      setSearch(first);
      slices(params, first, mine.signal, setSearch)
        .catch((error: unknown) => {
          if (!mine.signal.aborted) setFailure(error instanceof Error ? error : new Error(String(error)));
        })
        .finally(() => {
          if (running.current === mine) setRunning(false);
        });
    },
    [appid, containerId, logName, stop],
  );

  const clear = useCallback(() => {
    stop();
    setSearch(undefined);
    setFailure(undefined);
  }, [stop]);

  // Another log is another search.
  // biome-ignore lint/correctness/useExhaustiveDependencies: of the log that is left.
  useEffect(() => clear, [appid, containerId, logName, clear]);

  return { search, isRunning, failure, start, stop, clear };
}

async function slices(
  params: LogPlace,
  first: Search,
  signal: AbortSignal,
  tell: (search: Search) => void,
): Promise<void> {
  let search = first;
  for (let slice = nextSlice(search); slice; slice = nextSlice(search)) {
    try {
      search = found(search, slice, await grepIn(params, search.grep, slice, signal));
    } catch (error) {
      const smaller = isTooMuch(error) ? foundTooMuch(search) : undefined;
      if (!smaller) throw error;
      search = smaller;
    }
    if (signal.aborted) return;
    tell(search);
  }
}

const isTooMuch = (error: unknown): boolean => isClientError(error) && error.code === 'ANSWER_TOO_LARGE';
