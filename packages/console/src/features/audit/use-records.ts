import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { client } from '../../gateway/client.js';
import type { AnswerOf } from '../../gateway/queries.js';
import { topics } from '../../gateway/topics.js';
import { type AuditSearch, fits, mergedRecords } from './audit-search.js';

export type AuditRecord = AnswerOf<'listAudit'>['records'][number];

const pageSize = 100;
/** Of those that come while somebody looks; the log itself has them all. */
const mostLive = 500;

/** Pages of the log, the newest first, and above them what comes by its topic. */
export function useRecords(search: AuditSearch) {
  const query = useInfiniteQuery({
    queryKey: ['listAudit', search],
    queryFn: ({ pageParam, signal }) =>
      client.listAudit({
        query: { ...search, limit: pageSize, ...(pageParam === '' ? {} : { before: pageParam }) },
        signal,
      }),
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
  });
  const [live, setLive] = useState<readonly AuditRecord[]>([]);
  useEffect(
    () =>
      topics.each('audit', ({ data }) =>
        setLive((before) => [...before, data as AuditRecord].slice(-mostLive)),
      ),
    [],
  );
  const { data } = query;
  const records = useMemo(() => {
    const read = data?.pages.flatMap((page) => page.records) ?? [];
    return mergedRecords(
      read,
      live.filter((record) => fits(record, search)),
    );
  }, [data, live, search]);
  return { query, records };
}
