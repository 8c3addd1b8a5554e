import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { client } from '../../gateway/client.js';
import { isClientError } from '../../shell/words.js';
import type { AlertFields } from './alert-fields.js';

/** Typing goes on for about this long between two keys. */
const debounceMillis = 600;
/** Figures move, and so does what a condition gives. */
const againMillis = 15_000;

/**
 * What a condition gives now, and would have given, and the mail that would be sent: of the fields as they were when the last key was
 * pressed. One is asked at a time.
 */
export function useVerdict(fields: AlertFields) {
  const [asked] = useDebouncedValue(fields, debounceMillis);
  const { name, description, thresholdSeconds } = asked;
  const script = asked.condition.trim();
  const query = useQuery({
    queryKey: ['verdict', script, name, description, thresholdSeconds],
    // Given up when another text is asked about: the gateway stops as well.
    queryFn: async ({ signal }) => {
      const of = name.trim() === '' ? {} : { name };
      const timeThresholdMillis = Math.round(thresholdSeconds * 1000);
      const body = { ...of, script, description, backtest: true, timeThresholdMillis };
      return { ...(await client.validateScript({ body, signal })), script };
    },
    enabled: script !== '',
    staleTime: 0,
    gcTime: 0,
    placeholderData: keepPreviousData,
    refetchInterval: againMillis,
    // Others of the same user are being tried: its turn comes.
    retry: (count, error) => isClientError(error) && error.status === 429 && count < 5,
    retryDelay: 2000,
  });
  const isBehind = query.data?.script !== fields.condition.trim();
  return { query, isBehind };
}

export type Verdict = NonNullable<ReturnType<typeof useVerdict>['query']['data']>;
