import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import type { RestClient } from 'headgate/client';
import { useMemo } from 'react';
import { both, type May, type OperationId, unless, useMay } from '../../gateway/capabilities.js';
import { read } from '../../gateway/queries.js';
import { useTopic } from '../../gateway/use-topic.js';
import { isOverIn } from '../../shell/states.js';
import { merged } from './rows.js';
import { words } from './words.js';

export type Logical = Awaited<ReturnType<RestClient['getLogicalOperator']>>;
export type Physical = Awaited<ReturnType<RestClient['getPhysicalOperator']>>;
export type Port = Physical['ports'][number];

interface Operators<Operator> {
  readonly query: UseQueryResult<{ readonly operators: readonly Operator[] }, Error>;
  readonly operators: readonly Operator[];
  /** The last message, for what has more digits than a number. */
  readonly text: string | undefined;
  readonly receivedAt: number | undefined;
}

export function useLogical(appid: string): Operators<Logical> {
  const query = useQuery(read('listLogicalOperators', { params: { appid } }));
  const live = useTopic(`applications.${appid}.logicalOperators`);
  const listed = query.data?.operators;
  const operators = useMemo(() => merged(listed ?? [], live?.data.operators), [listed, live]);
  return { query, operators, text: live?.text, receivedAt: live?.receivedAt };
}

/** The partitions and unifiers of one logical operator. One that is not named any more is gone: another one has taken its place. */
export function usePhysical(appid: string, name?: string): Operators<Physical> {
  const query = useQuery(read('listPhysicalOperators', { params: { appid } }));
  const live = useTopic(`applications.${appid}.physicalOperators`);
  const all = live?.data.operators ?? query.data?.operators;
  const operators = useMemo(
    () => (all ?? []).filter(({ logicalName }) => name === undefined || logicalName === name),
    [all, name],
  );
  return { query, operators, text: live?.text, receivedAt: live?.receivedAt };
}

/** What the caller may do to an application's operators while it runs. */
export function useMayChange(appid: string): (id: OperationId) => May {
  const may = useMay();
  const { data: app } = useQuery(read('getApplication', { params: { appid } }));
  const isOver = isOverIn(app?.state);
  return (id) =>
    both(may(id), unless(app?.canWrite === false, words.readOnly), unless(isOver, words.hasEnded));
}
