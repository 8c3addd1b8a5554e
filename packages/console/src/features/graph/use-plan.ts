import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo } from 'react';
import { read, readText } from '../../gateway/queries.js';
import { useTopicPart } from '../../gateway/use-topic.js';
import { type PlanShape, planShape } from './plan-shape.js';

/** The logical plan; read again when the topic names other operators. */
export function useLogicalPlan(id: string, isLive: boolean): UseQueryResult<PlanShape, Error> {
  const query = useQuery({
    ...readText('getLogicalPlan', { params: { appid: id } }),
    select: useCallback((text: string): PlanShape => planShape(text), []),
  });
  const live = useTopicPart(
    isLive ? (`applications.${id}.logicalOperators` as const) : undefined,
    useCallback(
      (data: { readonly operators: readonly Named[] }) =>
        keyOf(data.operators.filter(({ status }) => !isGone(status)).map(({ name }) => name)),
      [],
    ),
  );
  const known = useMemo(() => keyOf(query.data?.operators.map(({ name }) => name) ?? []), [query.data]);
  useReadAgain(live, known, query);
  return query;
}

interface Named {
  readonly name: string;
  readonly status: Readonly<Record<string, number>>;
}

/** What leaves the plan is named once more, all of it inactive. */
const isGone = (status: Readonly<Record<string, number>>): boolean =>
  Object.keys(status).join() === 'INACTIVE';

const keyOf = (names: readonly string[]): string => JSON.stringify([...names].sort());

/** The physical plan; read again when a partition comes, goes or moves to another container. */
export function usePhysicalPlan(id: string, isLive: boolean, isWanted: boolean) {
  const query = useQuery({
    ...read('getPhysicalPlan', { params: { appid: id } }),
    enabled: isWanted,
    // Its figures tick; comparing thousands of them with those before costs more than it saves.
    structuralSharing: false,
  });
  const live = useTopicPart(
    isLive && isWanted ? (`applications.${id}.physicalOperators` as const) : undefined,
    useCallback((data: { readonly operators: readonly Placed[] }) => placesOf(data.operators), []),
  );
  const known = useMemo(() => placesOf(query.data?.operators ?? []), [query.data]);
  useReadAgain(live, known, query);
  return query;
}

interface Placed {
  readonly id: string;
  readonly container: string | null;
  readonly status: string;
}

const placesOf = (operators: readonly Placed[]): string =>
  keyOf(
    operators.filter(({ status }) => status !== 'INACTIVE').map(({ id, container }) => `${id}@${container}`),
  );

/** Once for each new structure: one that is never answered the same would be asked for without end. */
function useReadAgain(
  live: string | undefined,
  known: string,
  { data, refetch }: Pick<UseQueryResult<unknown, Error>, 'data' | 'refetch'>,
): void {
  const isRead = data !== undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is known changes by reading, which must not read again.
  useEffect(() => {
    if (live !== undefined && isRead && live !== known) void refetch();
  }, [live, isRead, refetch]);
}
