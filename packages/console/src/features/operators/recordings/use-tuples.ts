import { useQueries } from '@tanstack/react-query';
import { useCallback, useEffect } from 'react';
import { client } from '../../../gateway/client.js';
import { queryClient } from '../../../gateway/queries.js';
import { type Tuple, tuplesIn } from './tuples.js';

/** Tuples that are read at once. */
const pageLength = 200;

export interface Source {
  readonly appid: string;
  readonly opId: string;
  readonly rec: string;
  readonly port: string | undefined;
}

const keyOf = (source: Source) => ['getRecordedTuples', 'pages', source] as const;

const queryOf = ({ appid, opId, rec, port }: Source, more: object) => ({
  params: { appid, opid: opId, id: rec },
  query: { ...more, ...(port === undefined ? {} : { ports: port }) },
});

/** A page of a recording. Large tuples come fewer at once: what is left is asked for again. */
async function pageOf(source: Source, page: number, signal: AbortSignal): Promise<readonly Tuple[]> {
  const found: Tuple[] = [];
  while (found.length < pageLength) {
    const more = { offset: page * pageLength + found.length, limit: pageLength - found.length };
    const text = await client.textOf('getRecordedTuples', { ...queryOf(source, more), signal });
    const { tuples } = tuplesIn(text);
    if (tuples.length === 0) break;
    found.push(...tuples);
  }
  return found;
}

/** The number of the first tuple in a window or after it; `undefined` where there is none. */
export async function offsetOf(source: Source, window: string): Promise<number | undefined> {
  const text = await client.textOf('getRecordedTuples', queryOf(source, { startWindow: window, limit: 1 }));
  const { offset } = tuplesIn(text);
  return offset < 0 ? undefined : offset;
}

export interface Tuples {
  at(index: number): Tuple | undefined;
  readonly error: Error | null;
  retry(): void;
}

/** The tuples from `first` to `last` of `total`, read as they are looked at. */
export function useTuples(source: Source, first: number, last: number, total: number): Tuples {
  const from = Math.floor(first / pageLength);
  const pages = Array.from(
    { length: Math.max(0, Math.floor(last / pageLength) - from + 1) },
    (_, index) => from + index,
  );
  const results = useQueries({
    queries: pages.map((page) => ({
      queryKey: [...keyOf(source), page],
      queryFn: ({ signal }: { signal: AbortSignal }) => pageOf(source, page, signal),
      staleTime: Number.POSITIVE_INFINITY,
      structuralSharing: false,
    })),
  });
  // A recording that goes on has more on its last page by now.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a larger number of tuples is a reason.
  useEffect(() => {
    results.forEach((result, index) => {
      const wanted = Math.min(pageLength, total - (pages[index] ?? 0) * pageLength);
      if (result.data && !result.isFetching && result.data.length < wanted) void result.refetch();
    });
  }, [total]);
  const failing = results.find(({ error }) => error !== null);
  return {
    at: (index) => results[Math.floor(index / pageLength) - from]?.data?.[index % pageLength],
    error: failing?.error ?? null,
    retry: () => void failing?.refetch(),
  };
}

/** What has been read of a recording so far, in order. */
export function useLoadedTuples(source: Source): () => readonly Tuple[] {
  return useCallback(() => {
    const pages = queryClient.getQueriesData<readonly Tuple[]>({ queryKey: keyOf(source) });
    return pages
      .sort(([a], [b]) => Number(a.at(-1)) - Number(b.at(-1)))
      .flatMap(([, tuples]) => tuples ?? []);
  }, [source]);
}
