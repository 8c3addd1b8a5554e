import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { read } from '../../gateway/queries.js';
import { useTopic } from '../../gateway/use-topic.js';
import { type Load, withLoad } from './history.js';

/** The load of the cluster: read once, then each message of its topic, as far back as this screen has been open. */
export function useLoad() {
  const query = useQuery(read('getClusterMetrics', {}));
  const live = useTopic('cluster.metrics');
  const [history, setHistory] = useState<readonly Load[]>([]);
  const { data, dataUpdatedAt } = query;
  useEffect(() => {
    if (data) setHistory((before) => withLoad(before, { at: dataUpdatedAt, figures: { ...data } }));
  }, [data, dataUpdatedAt]);
  useEffect(() => {
    if (live) setHistory((before) => withLoad(before, { at: live.receivedAt, figures: { ...live.data } }));
  }, [live]);
  return { query, history };
}
