import { Skeleton, Stack } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { Failure } from './failure.js';
import { words } from './words.js';

/**
 * What a query gives, once it is there. Earlier data stays while it is read anew; a failure stands above it then, and in its place
 * where there is none.
 */
export function Loaded<T>({
  query,
  what,
  lines = 3,
  children,
}: {
  readonly query: UseQueryResult<T, Error>;
  /** What is being read, for the failure. */
  readonly what?: string;
  readonly lines?: number;
  readonly children: (data: T) => ReactNode;
}) {
  const { data, error, refetch } = query;
  const failure = error && (
    <Failure error={error} retry={refetch} {...(what === undefined ? {} : { what })} />
  );
  if (data === undefined) return failure ?? <Placeholder lines={lines} />;
  return (
    <>
      {failure}
      {children(data)}
    </>
  );
}

/** Not before 150 ms: what comes at once should not flicker. */
export function Placeholder({ lines = 3 }: { readonly lines?: number }) {
  const [isShown, setShown] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), 150);
    return () => clearTimeout(timer);
  }, []);
  return (
    <Stack gap="sm" aria-busy aria-label={words.loading} role="status">
      {isShown && Array.from({ length: lines }, (_, line) => <Skeleton key={`line ${line}`} height={24} />)}
    </Stack>
  );
}
