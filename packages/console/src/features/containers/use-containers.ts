import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { read } from '../../gateway/queries.js';
import { useReread } from '../../gateway/use-reread.js';
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
  useReread(query, missing);
  return { query, rows };
}
