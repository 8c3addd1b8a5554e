import { SimpleGrid, type SimpleGridProps, Text } from '@mantine/core';
import type { ReactNode } from 'react';

/** Names above their values, side by side as far as there is room. */
export function FactGrid({
  cols = { base: 2, sm: 3, lg: 4 },
  children,
}: {
  readonly cols?: SimpleGridProps['cols'];
  readonly children: ReactNode;
}) {
  return (
    <SimpleGrid component="dl" cols={cols} spacing="md" m={0}>
      {children}
    </SimpleGrid>
  );
}

export function Fact({ term, children }: { readonly term: string; readonly children: ReactNode }) {
  return (
    <div style={{ minWidth: 0 }}>
      <Text component="dt" size="xs" className="soft">
        {term}
      </Text>
      <Text component="dd" size="sm" m={0} style={{ overflowWrap: 'anywhere' }}>
        {children}
      </Text>
    </div>
  );
}
