import type { Cell, FoldKind } from './cells.js';
import { drawable, folded, type Limits } from './folding.js';
import type { Mark, PlanGraph, PlanLink, PlanNode } from './plan-graph.js';
import { type RateSource, rateSources } from './rates.js';

/** What is drawn. */
export interface ShownGraph {
  readonly nodes: readonly ShownNode[];
  readonly edges: readonly ShownEdge[];
  /** Containers, of the physical plan. */
  readonly groups: readonly string[];
  /** Where each node of the plan is to be seen. */
  readonly places: ReadonlyMap<string, string>;
  /** How many stand in how many; absent when nothing is folded. */
  readonly fold?: { readonly members: number; readonly nodes: number };
  /** The same for the same drawing: what is laid out once need not be again. */
  readonly key: string;
}

export interface ShownNode {
  readonly id: string;
  readonly kind: FoldKind;
  readonly members: readonly PlanNode[];
  readonly title: string;
  /** A container that holds all of it. */
  readonly group?: string;
  readonly mark?: Mark;
}

export interface ShownEdge {
  readonly id: string;
  readonly source: string;
  readonly target: string;
  readonly links: readonly PlanLink[];
  readonly rate: RateSource;
  readonly mark?: Mark;
}

/** `opened`: ids of folds whose members are to be seen, one after the other, as one comes out of another. */
export function shownGraph(
  graph: PlanGraph,
  opened: readonly string[] = [],
  limits: Limits = drawable,
): ShownGraph {
  const keep = new Set<string>();
  let cells = folded(graph, limits, keep);
  for (const id of opened) {
    const cell = cells.find((one) => idOf(one) === id);
    // Of a fold that could not be drawn as a whole a part comes out.
    for (const member of cell?.members.slice(0, limits.nodes / 2) ?? []) keep.add(member.id);
    cells = folded(
      graph,
      { nodes: Math.max(limits.nodes, keep.size + limits.nodes / 2), edges: limits.edges },
      keep,
    );
  }
  return drawn(graph, cells);
}

function idOf({ members, kind }: Cell): string {
  const [first] = members;
  return kind === 'single' ? `node:${first?.id}` : `fold:${members.length}:${first?.id}`;
}

function drawn(graph: PlanGraph, cells: readonly Cell[]): ShownGraph {
  const nodes = cells.map(nodeOf);
  const places = new Map(
    nodes.flatMap(({ id, members }) => members.map((member) => [member.id, id] as const)),
  );
  const edges = edgesBetween(graph, places);
  const groups = [...new Set(nodes.flatMap(({ group }) => group ?? []))];
  const folds = nodes.filter(({ kind }) => kind !== 'single');
  const members = folds.reduce((sum, fold) => sum + fold.members.length, 0);
  return {
    nodes,
    edges,
    groups,
    places,
    ...(folds.length === 0 ? {} : { fold: { members, nodes: folds.length } }),
    key: JSON.stringify([
      nodes.map(({ id, group }) => (group === undefined ? id : [id, group])),
      edges.map(({ source, target }) => [source, target]),
    ]),
  };
}

function nodeOf(cell: Cell): ShownNode {
  const { members, kind } = cell;
  const [first] = members;
  const container = first?.container;
  const isTogether = container !== undefined && members.every((member) => member.container === container);
  const mark = members.find((member) => member.mark !== undefined)?.mark;
  return {
    id: idOf(cell),
    kind,
    members,
    title: first?.name ?? '',
    ...(isTogether ? { group: container } : {}),
    ...(mark === undefined ? {} : { mark }),
  };
}

/** One for all links between two nodes; what stays inside a fold is not drawn. */
function edgesBetween(graph: PlanGraph, places: ReadonlyMap<string, string>): ShownEdge[] {
  const between = new Map<string, { source: string; target: string; links: PlanLink[] }>();
  for (const link of graph.links) {
    const source = places.get(link.source.id);
    const target = places.get(link.sink.id);
    if (source === undefined || target === undefined || source === target) continue;
    const key = JSON.stringify([source, target]);
    const known = between.get(key);
    if (known) known.links.push(link);
    else between.set(key, { source, target, links: [link] });
  }
  const rateOf = rateSources(graph);
  return [...between].map(([key, { source, target, links }]) => {
    const mark = links.every((link) => link.mark === links[0]?.mark) ? links[0]?.mark : 'changed';
    return {
      id: `edge:${key}`,
      source,
      target,
      links,
      rate: rateOf(links),
      ...(mark === undefined ? {} : { mark }),
    };
  });
}
