import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { read } from '../../gateway/queries.js';
import { useTopic } from '../../gateway/use-topic.js';
import { merged, type Row } from './rows.js';

export interface Containers {
  readonly query: UseQueryResult<{ readonly containers: readonly Row[] }, Error>;
  readonly rows: readonly Row[];
}

/** The containers of an application: read once, then as the topic tells. What has left the topic is read again. */
export function useContainers(appid: string): Containers {
  const query = useQuery(read('listContainers', { params: { appid } }));
  const live = useTopic(`applications.${appid}.containers`);
  const listed = query.data?.containers;
  const { rows, missing } = useMemo(() => merged(listed ?? [], live?.data.containers), [listed, live]);
  const { refetch, isFetching } = query;
  const left = missing.join(' ');
  useEffect(() => {
    if (left === '' || isFetching) return;
    const timer = setTimeout(() => void refetch(), 1000);
    return () => clearTimeout(timer);
  }, [left, isFetching, refetch]);
  return { query, rows };
}
