import {
  type Cell,
  enough,
  groupsBy,
  isKept,
  joined,
  type Neighbours,
  neighboursOf,
  singles,
} from './cells.js';
import type { PlanGraph } from './plan-graph.js';

export interface Limits {
  /** Nodes that are drawn at most. */
  readonly nodes: number;
  readonly edges: number;
}

/** A browser draws so many and stays smooth. */
export const drawable: Limits = { nodes: 600, edges: 1500 };

/**
 * The nodes of a graph, with as few made one as it takes to draw it: partitions of one operator first, then twins and lines, and what
 * is left by its depth. `keep`: ids that stay what they are.
 */
export function folded(
  graph: PlanGraph,
  limits: Limits = drawable,
  keep: ReadonlySet<string> = new Set(),
): Cell[] {
  let cells = byOperator(graph, limits, keep);
  while (cells.length > limits.nodes) {
    const before = cells.length;
    cells = twins(graph, cells, limits.nodes, keep);
    cells = lines(graph, cells, limits.nodes, keep);
    if (cells.length === before) return byDepth(graph, cells, limits.nodes, keep);
  }
  return cells;
}

function byOperator(graph: PlanGraph, limits: Limits, keep: ReadonlySet<string>): Cell[] {
  const cells = singles(graph.nodes);
  const groups = groupsBy(cells, (cell, place) =>
    isKept(cell, keep) ? place : (cell.members[0]?.name ?? place),
  );
  let taken = enough(groups, cells.length, limits.nodes);
  let shown = joined(cells, taken, 'partitions');
  // Few partitions may still have too many streams: of all with all.
  const foldable = groups.filter(({ length }) => length > 1);
  while (taken.length < foldable.length && edgesOf(graph, shown) > limits.edges) {
    const next = Math.min(foldable.length, Math.max(1, taken.length * 2));
    taken = [...foldable].sort((a, b) => b.length - a.length).slice(0, next);
    shown = joined(cells, taken, 'partitions');
  }
  return shown;
}

const edgesOf = (graph: PlanGraph, cells: readonly Cell[]): number =>
  neighboursOf(graph, cells).after.reduce((sum, { length }) => sum + length, 0);

/** Of one class, reading from the same and feeding the same. */
function twins(graph: PlanGraph, cells: readonly Cell[], limit: number, keep: ReadonlySet<string>): Cell[] {
  if (cells.length <= limit) return [...cells];
  const { before, after } = neighboursOf(graph, cells);
  const groups = groupsBy(cells, (cell, place) =>
    isKept(cell, keep) ? place : [cell.members[0]?.className, before[place], after[place]].join('\n'),
  );
  return joined(cells, enough(groups, cells.length, limit), 'twins');
}

/** One after the other, without anybody else on the way. */
function lines(graph: PlanGraph, cells: readonly Cell[], limit: number, keep: ReadonlySet<string>): Cell[] {
  if (cells.length <= limit) return [...cells];
  const neighbours = neighboursOf(graph, cells);
  const isFree = (place: number) => {
    const cell = cells[place];
    return cell !== undefined && !isKept(cell, keep);
  };
  const next = (place: number) => nextInLine(neighbours, place, isFree);
  const isInside = new Set([...cells.keys()].flatMap((place) => next(place) ?? []));
  const groups = [...cells.keys()]
    .filter((place) => !isInside.has(place))
    .map((start) => {
      const line = [start];
      for (let at = next(start); at !== undefined; at = next(at)) line.push(at);
      return line;
    });
  return joined(cells, enough(groups, cells.length, limit), 'line');
}

function nextInLine(
  { before, after }: Neighbours,
  place: number,
  isFree: (place: number) => boolean,
): number | undefined {
  const [next, ...more] = after[place] ?? [];
  if (next === undefined || more.length > 0 || before[next]?.length !== 1) return undefined;
  return isFree(place) && isFree(next) ? next : undefined;
}

/** What reads the same number of steps behind the sources: of one class, or when that is too much, of all classes and several steps. */
function byDepth(graph: PlanGraph, cells: readonly Cell[], limit: number, keep: ReadonlySet<string>): Cell[] {
  const depths = depthsOf(neighboursOf(graph, cells));
  const at = (place: number) => depths[place] ?? 0;
  const ofClass = groupsBy(cells, (cell, place) =>
    isKept(cell, keep) ? place : `${at(place)}\n${cell.members[0]?.className}`,
  );
  if (ofClass.length <= limit) return joined(cells, enough(ofClass, cells.length, limit), 'depth');
  const kept = cells.filter((cell) => isKept(cell, keep)).length;
  const buckets = Math.max(1, limit - kept);
  const deepest = depths.reduce((most, depth) => Math.max(most, depth), 0) + 1;
  const share = Math.max(1, deepest / buckets);
  return joined(
    cells,
    groupsBy(cells, (cell, place) => (isKept(cell, keep) ? place : `depth ${Math.floor(at(place) / share)}`)),
    'depth',
  );
}

/** The longest way from a source to each; what lies on a circle, which no engine would run, is as deep as it is first reached. */
function depthsOf({ before, after }: Neighbours): number[] {
  const depths = before.map(() => 0);
  const missing = before.map(({ length }) => length);
  const queue = missing.flatMap((count, place) => (count === 0 ? [place] : []));
  for (let index = 0; index < queue.length; index++) {
    const place = queue[index] ?? 0;
    for (const next of after[place] ?? []) {
      depths[next] = Math.max(depths[next] ?? 0, (depths[place] ?? 0) + 1);
      missing[next] = (missing[next] ?? 0) - 1;
      if (missing[next] === 0) queue.push(next);
    }
  }
  return depths;
}
