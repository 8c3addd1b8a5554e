import { Text } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Loaded } from './loaded.js';
import { isClientError } from './words.js';

/** What does not go as things are, and what this engine has not. */
const refusals: readonly number[] = [409, 501];

/** As `Loaded`. What is refused as things are is no failure: the gateway's sentence, which says what to do, stands in its place. */
export function LoadedUnlessRefused<T>(props: {
  readonly query: UseQueryResult<T, Error>;
  readonly what: string;
  readonly lines?: number;
  readonly children: (data: T) => ReactNode;
}) {
  const { error } = props.query;
  if (!isClientError(error) || !refusals.includes(error.status)) return <Loaded {...props} />;
  return (
    <Text size="sm" role="status" style={{ overflowWrap: 'anywhere' }}>
      {error.message}
    </Text>
  );
}
