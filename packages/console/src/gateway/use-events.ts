import {
  type InfiniteData,
  infiniteQueryOptions,
  type UseInfiniteQueryResult,
  useInfiniteQuery,
} from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { client } from './client.js';
import { type Happened, mergedEvents } from './event-list.js';
import { topics } from './topics.js';

/** Most that one read gives. */
const page = 1000;
/** Pages that are read by themselves: of a range of time all of it is wanted, but not without end. */
const mostPages = 10;
const mostLive = 2000;

type Pages = InfiniteData<{ readonly events: readonly Happened[] }>;

export interface Events {
  readonly query: UseInfiniteQueryResult<Pages, Error>;
  /** Each once, the newest first. */
  readonly events: readonly Happened[];
  /** There are more in the range than were read. */
  readonly isCut: boolean;
}

interface Options {
  /** Epoch milliseconds. Neither of both: the newest, and `fetchNextPage` gives those before. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  /** New ones come by the topic. */
  readonly isLive: boolean;
  readonly isEnabled: boolean;
}

const eventsOf = (appid: string, from: number | undefined, to: number | undefined) =>
  infiniteQueryOptions({
    queryKey: ['listEvents', appid, from ?? 'newest', to ?? 'live'] as const,
    initialPageParam: 0,
    queryFn: ({ pageParam, signal }) =>
      client.listEvents({
        params: { appid },
        query: {
          offset: pageParam,
          limit: page,
          ...(from === undefined ? {} : { from }),
          ...(to === undefined ? {} : { to }),
        },
        signal,
      }),
    getNextPageParam: ({ events }, _, offset) => (events.length < page ? undefined : offset + page),
  });

/** What happened to an application: kept by the gateway, and then as it happens. */
export function useEvents(appid: string, { from, to, isLive, isEnabled }: Options): Events {
  const query = useInfiniteQuery({ ...eventsOf(appid, from, to), enabled: isEnabled });
  const { data, hasNextPage, isFetching, fetchNextPage, refetch } = query;
  const isRange = from !== undefined;
  const isFull = (data?.pages.length ?? 0) >= mostPages;
  useEffect(() => {
    if (isRange && hasNextPage && !isFetching && !isFull) void fetchNextPage();
  }, [isRange, hasNextPage, isFetching, isFull, fetchNextPage]);

  const live = useLiveEvents(isLive ? appid : undefined, () => void refetch());
  const events = useMemo(() => {
    // Newer pages of the newest stand before older ones: in the order of time they are the last.
    const pages = (data?.pages ?? []).map((one) => one.events);
    const isWithin = ({ timestamp }: Happened) => timestamp >= (from ?? 0) && timestamp <= (to ?? Infinity);
    return mergedEvents(...(isRange ? pages : pages.reverse()), live.filter(isWithin));
  }, [data, live, isRange, from, to]);
  return { query, events, isCut: isRange && isFull && hasNextPage };
}

/** Told once a picture, however many came. When they become too many, they are read again and the newest are kept. */
function useLiveEvents(appid: string | undefined, tooMany: () => void): readonly Happened[] {
  const [live, setLive] = useState<readonly Happened[]>([]);
  useEffect(() => {
    setLive([]);
    if (appid === undefined) return;
    let waiting: Happened[] = [];
    const flush = () => {
      const came = waiting;
      waiting = [];
      setLive((before) => [...before, ...came]);
    };
    return topics.each(`applications.${appid}.events`, ({ data }) => {
      if (waiting.length === 0) requestAnimationFrame(flush);
      // The gateway has checked its shape: it is its own topic.
      waiting.push(data as Happened);
    });
  }, [appid]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: how many there are is what matters.
  useEffect(() => {
    if (live.length <= mostLive) return;
    tooMany();
    setLive(live.slice(-mostLive / 4));
  }, [live.length]);
  return live;
}
