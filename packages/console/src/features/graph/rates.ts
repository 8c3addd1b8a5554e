import type { PlanGraph, PlanLink, PortOf } from './plan-graph.js';

/**
 * Where the rate of an edge is counted. Engines count at ports: an edge has a figure where a port belongs to it alone, at its end or
 * at its beginning; in between nobody knows, and nothing is shown.
 */
export type RateSource =
  | { readonly side: 'input' | 'output'; readonly ports: readonly CountedPort[] }
  | undefined;

export interface CountedPort extends PortOf {
  /** The operator has no other port on this side: what it counts as a whole is what this port counts. */
  readonly isOnly: boolean;
}

const keyOf = ({ id, port }: PortOf): string => JSON.stringify([id, port]);

export function rateSources({ links }: PlanGraph): (of: readonly PlanLink[]) => RateSource {
  const sinks = countsOf(links.map(({ sink }) => sink));
  const sources = countsOf(links.map(({ source }) => source));
  return (of) =>
    wholePorts(
      'input',
      of.map(({ sink }) => sink),
      sinks,
    ) ??
    wholePorts(
      'output',
      of.map(({ source }) => source),
      sources,
    );
}

interface Counts {
  /** Links of each port. */
  readonly links: ReadonlyMap<string, number>;
  /** Ports of each operator. */
  readonly ports: ReadonlyMap<string, number>;
}

function countsOf(ends: readonly PortOf[]): Counts {
  const links = new Map<string, number>();
  const ports = new Map<string, number>();
  for (const end of ends) {
    const key = keyOf(end);
    if (!links.has(key)) ports.set(end.id, (ports.get(end.id) ?? 0) + 1);
    links.set(key, (links.get(key) ?? 0) + 1);
  }
  return { links, ports };
}

/** The ports of these ends, when none of them has other links besides. */
function wholePorts(side: 'input' | 'output', ends: readonly PortOf[], counts: Counts): RateSource {
  const here = countsOf(ends);
  const distinct = new Map(ends.map((end) => [keyOf(end), end]));
  if ([...here.links].some(([key, count]) => counts.links.get(key) !== count)) return undefined;
  return {
    side,
    ports: [...distinct.values()].map(({ id, port }) => ({ id, port, isOnly: counts.ports.get(id) === 1 })),
  };
}
