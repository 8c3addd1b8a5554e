import { useCallback } from 'react';
import { useTopicPart } from '../../gateway/use-topic.js';
import { useLiveGraph } from './live.js';
import type { ShownEdge } from './shown-graph.js';

interface Told {
  readonly criticalPath?: readonly string[] | undefined;
}

const pairs = new WeakMap<readonly string[], ReadonlySet<string>>();
const keyOf = (from: string, to: string): string => JSON.stringify([from, to]);

function pairsOf(path: readonly string[]): ReadonlySet<string> {
  const known = pairs.get(path);
  if (known) return known;
  const made = new Set(path.slice(1).map((to, index) => keyOf(path[index] ?? '', to)));
  pairs.set(path, made);
  return made;
}

/** Whether the slowest way through the application leads over it; engines tell it by partitions. */
export function useIsCritical({ links }: ShownEdge): boolean {
  const { id, mode, isLive } = useLiveGraph();
  const isOn = useTopicPart(
    isLive && mode === 'physical' ? (`applications.${id}` as const) : undefined,
    useCallback(
      ({ criticalPath = [] }: Told) => {
        const critical = pairsOf(criticalPath);
        return links.some(({ source, sink }) => critical.has(keyOf(source.id, sink.id)));
      },
      [links],
    ),
  );
  return isOn === true;
}
