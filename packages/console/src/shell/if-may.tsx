import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { type OperationId, useMay } from '../gateway/capabilities.js';

/** What an operation reads, for those who may read it where the cluster has it; the reason in its place, and nothing is asked for, otherwise. */
export function IfMay({ id, children }: { readonly id: OperationId; readonly children: ReactNode }) {
  const may = useMay()(id);
  if (may.ok) return children;
  return (
    <Text size="sm" className="soft">
      {may.reason}
    </Text>
  );
}
