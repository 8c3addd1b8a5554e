import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { read } from '../../gateway/queries.js';
import { useReread } from '../../gateway/use-reread.js';
import { useTopic } from '../../gateway/use-topic.js';
import { merged, type Row } from './rows.js';

export interface Applications {
  readonly query: UseQueryResult<{ readonly apps: readonly Row[] }, Error>;
  readonly rows: readonly Row[];
}

/** All applications: read once, then as the topic tells. What has left the topic is read again. */
export function useApplications(): Applications {
  const query = useQuery(read('listApplications', {}));
  const live = useTopic('applications');
  const apps = query.data?.apps;
  const { rows, missing } = useMemo(() => merged(apps ?? [], live?.data.apps), [apps, live]);
  useReread(query, missing);
  return { query, rows };
}
