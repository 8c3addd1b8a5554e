import type { PlanGraph, PlanNode } from './plan-graph.js';

/** Nodes that are shown as one, while it is decided which. Several steps of folding make larger cells of smaller ones. */
export interface Cell {
  readonly members: readonly PlanNode[];
  readonly kind: FoldKind;
}

/** Why several are one: partitions of an operator, twins that read and feed the same, a line, the same depth. */
export type FoldKind = 'single' | 'partitions' | 'twins' | 'line' | 'depth';

export const singles = (nodes: readonly PlanNode[]): Cell[] =>
  nodes.map((node) => ({ members: [node], kind: 'single' }));

export const isKept = (cell: Cell, keep: ReadonlySet<string>): boolean =>
  cell.members.some(({ id }) => keep.has(id));

export interface Neighbours {
  readonly before: readonly (readonly number[])[];
  readonly after: readonly (readonly number[])[];
}

/** Which cells feed which, by their places; a cell is no neighbour of itself. */
export function neighboursOf(graph: PlanGraph, cells: readonly Cell[]): Neighbours {
  const placeOf = new Map<string, number>();
  for (const [place, { members }] of cells.entries()) for (const { id } of members) placeOf.set(id, place);
  const before: Set<number>[] = cells.map(() => new Set());
  const after: Set<number>[] = cells.map(() => new Set());
  for (const { source, sink } of graph.links) {
    const from = placeOf.get(source.id);
    const to = placeOf.get(sink.id);
    if (from === undefined || to === undefined || from === to) continue;
    after[from]?.add(to);
    before[to]?.add(from);
  }
  const sorted = (sets: readonly Set<number>[]) => sets.map((set) => [...set].sort((a, b) => a - b));
  return { before: sorted(before), after: sorted(after) };
}

/** The cells with some of them made one: the first keeps its place, the others go. Nothing happens to groups of one. */
export function joined(
  cells: readonly Cell[],
  groups: readonly (readonly number[])[],
  kind: FoldKind,
): Cell[] {
  const gone = new Set<number>();
  const made = new Map<number, Cell>();
  for (const group of groups) {
    const [first, ...rest] = group;
    if (first === undefined || rest.length === 0) continue;
    made.set(first, { members: group.flatMap((place) => cells[place]?.members ?? []), kind });
    for (const place of rest) gone.add(place);
  }
  return cells.flatMap((cell, place) => (gone.has(place) ? [] : [made.get(place) ?? cell]));
}

/** As many of the groups, the largest first, as are needed for `count` cells to become at most `limit`. */
export function enough(
  groups: readonly (readonly number[])[],
  count: number,
  limit: number,
): (readonly number[])[] {
  let left = count;
  return groups
    .filter(({ length }) => length > 1)
    .sort((a, b) => b.length - a.length)
    .filter(({ length }) => {
      if (left <= limit) return false;
      left -= length - 1;
      return true;
    });
}

export function groupsBy<K>(cells: readonly Cell[], keyOf: (cell: Cell, place: number) => K): number[][] {
  const groups = new Map<K, number[]>();
  for (const [place, cell] of cells.entries()) {
    const key = keyOf(cell, place);
    const group = groups.get(key);
    if (group) group.push(place);
    else groups.set(key, [place]);
  }
  return [...groups.values()];
}
