import type { UseQueryResult } from '@tanstack/react-query';
import { useEffect } from 'react';

/** Reads a list again when its topic has left some of it out: what ended is asked for, and neither dropped nor left running. */
export function useReread(
  { refetch, isFetching }: UseQueryResult<unknown, Error>,
  missing: readonly string[],
): void {
  const left = missing.join(' ');
  useEffect(() => {
    if (left === '' || isFetching) return;
    // Not with each frame: the list of an overloaded cluster may take its time to know.
    const timer = setTimeout(() => void refetch(), 1000);
    return () => clearTimeout(timer);
  }, [left, isFetching, refetch]);
}
