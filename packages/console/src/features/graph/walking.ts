import type { ShownEdge } from './shown-graph.js';

export type Direction = 'forward' | 'back' | 'up' | 'down';

interface Place {
  readonly x: number;
  readonly y: number;
}

/** Where an arrow key leads: along the edges to the nearest neighbour, up and down to the nearest in the same column. */
export function walked(
  from: string,
  direction: Direction,
  edges: readonly Pick<ShownEdge, 'source' | 'target'>[],
  places: ReadonlyMap<string, Place>,
): string | undefined {
  const here = places.get(from);
  if (!here) return undefined;
  const distance = (id: string) => {
    const { x, y } = places.get(id) ?? { x: Infinity, y: Infinity };
    return Math.hypot(x - here.x, y - here.y);
  };
  const nearest = (ids: Iterable<string>) => [...ids].sort((a, b) => distance(a) - distance(b))[0];
  if (direction === 'forward')
    return nearest(edges.flatMap(({ source, target }) => (source === from ? target : [])));
  if (direction === 'back')
    return nearest(edges.flatMap(({ source, target }) => (target === from ? source : [])));
  const isWay = ({ y }: Place) => (direction === 'up' ? y < here.y : y > here.y);
  const isNear = ({ x }: Place) => Math.abs(x - here.x) < columnWidth;
  const beside = [...places].filter(([id, place]) => id !== from && isWay(place) && isNear(place));
  return nearest(beside.map(([id]) => id));
}

/** Columns are as far apart as a node is wide, and more. */
const columnWidth = 110;
