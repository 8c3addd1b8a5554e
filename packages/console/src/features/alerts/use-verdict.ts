import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { client } from '../../gateway/client.js';
import { isClientError } from '../../shell/words.js';

/** Typing goes on for about this long between two keys. */
const debounceMillis = 600;
/** Figures move, and so does what a condition gives. */
const againMillis = 15_000;

/** What a condition gives now, and would have given: of the text as it was when the last key was pressed. One is asked at a time. */
export function useVerdict(condition: string, thresholdSeconds: number) {
  const [asked] = useDebouncedValue(condition, debounceMillis);
  const [seconds] = useDebouncedValue(thresholdSeconds, debounceMillis);
  const script = asked.trim();
  const query = useQuery({
    queryKey: ['verdict', script, seconds],
    // Given up when another text is asked about: the gateway stops as well.
    queryFn: ({ signal }) =>
      client.validateScript({
        body: { script, backtest: true, timeThresholdMillis: Math.round(seconds * 1000) },
        signal,
      }),
    enabled: script !== '',
    staleTime: 0,
    gcTime: 0,
    placeholderData: keepPreviousData,
    refetchInterval: againMillis,
    // Others of the same user are being tried: its turn comes.
    retry: (count, error) => isClientError(error) && error.status === 429 && count < 5,
    retryDelay: 2000,
  });
  const isBehind = query.isPlaceholderData || condition.trim() !== script;
  return { query, isBehind };
}

export type Verdict = NonNullable<ReturnType<typeof useVerdict>['query']['data']>;
