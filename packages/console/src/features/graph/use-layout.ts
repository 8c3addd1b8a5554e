import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { laidOut, warmUp } from './elk.js';
import { type Layout, layoutInput } from './layout-input.js';
import type { ShownGraph } from './shown-graph.js';

/** Kept under the structure: live figures never lay out again, and a tab that is entered again finds it done. */
export function useLayout(graph: ShownGraph): UseQueryResult<Layout, Error> {
  useEffect(warmUp, []);
  return useQuery({
    queryKey: ['graph layout', graph.key],
    queryFn: ({ signal }) => laidOut(layoutInput(graph), signal),
    staleTime: Infinity,
    gcTime: 300_000,
    structuralSharing: false,
    retry: false,
    enabled: graph.nodes.length > 0,
  });
}
