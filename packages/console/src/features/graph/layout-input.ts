import type { ShownGraph } from './shown-graph.js';

/** Constants, and not measured: a layout that waits for fonts and tabs lays nodes on top of one another. */
export const nodeSize = { width: 208, height: 60 } as const;
const groupHead = 28;

/** Room for the rate of an edge between two columns. Not handed down by ELK: each group is told. */
const spacing = {
  'elk.layered.spacing.nodeNodeBetweenLayers': '96',
  'elk.layered.spacing.edgeNodeBetweenLayers': '24',
  'elk.spacing.nodeNode': '24',
};

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Box extends Point {
  readonly width: number;
  readonly height: number;
}

export interface Layout {
  /** By id of the node; those in a group count from its corner. */
  readonly nodes: ReadonlyMap<string, Box>;
  readonly groups: ReadonlyMap<string, Box>;
  /** By id of the edge, from its beginning to its end, from the corner of the drawing. */
  readonly edges: ReadonlyMap<string, readonly Point[]>;
}

interface LaidNode {
  readonly id: string;
  readonly x?: number;
  readonly y?: number;
  readonly width?: number;
  readonly height?: number;
  readonly children?: readonly LaidNode[];
  readonly edges?: readonly LaidEdge[];
}

interface LaidEdge {
  readonly id: string;
  readonly sections?: readonly {
    readonly startPoint: Point;
    readonly endPoint: Point;
    readonly bendPoints?: readonly Point[];
  }[];
}

export interface LayoutInput {
  id: string;
  layoutOptions: Record<string, string>;
  children: InputNode[];
  edges: { id: string; sources: string[]; targets: string[] }[];
}

interface InputNode {
  id: string;
  width?: number;
  height?: number;
  layoutOptions?: Record<string, string>;
  children?: InputNode[];
}

const groupId = (container: string): string => `group:${container}`;

/** What ELK is asked for. Groups only make it look into one another when there are some. */
export function layoutInput({ nodes, edges, groups }: ShownGraph): LayoutInput {
  const leaf = (id: string): InputNode => ({ id, ...nodeSize });
  const inside = groups.map((group) => ({
    id: groupId(group),
    layoutOptions: { ...spacing, 'elk.padding': `[top=${groupHead + 8},left=12,bottom=12,right=12]` },
    children: nodes.filter((node) => node.group === group).map(({ id }) => leaf(id)),
  }));
  return {
    id: 'root',
    layoutOptions: {
      'elk.algorithm': 'layered',
      'elk.direction': 'RIGHT',
      'elk.edgeRouting': 'ORTHOGONAL',
      'elk.json.edgeCoords': 'ROOT',
      ...spacing,
      'elk.layered.nodePlacement.strategy': 'NETWORK_SIMPLEX',
      ...(groups.length > 0 ? { 'elk.hierarchyHandling': 'INCLUDE_CHILDREN' } : {}),
      // Thoroughness costs time that grows faster than the graph.
      ...(nodes.length > 200 || edges.length > 400
        ? { 'elk.layered.thoroughness': '2', 'elk.layered.nodePlacement.strategy': 'BRANDES_KOEPF' }
        : {}),
    },
    children: [...inside, ...nodes.filter(({ group }) => group === undefined).map(({ id }) => leaf(id))],
    edges: edges.map(({ id, source, target }) => ({ id, sources: [source], targets: [target] })),
  };
}

export function layoutOf(laid: LaidNode): Layout {
  const nodes = new Map<string, Box>();
  const groups = new Map<string, Box>();
  const edges = new Map<string, readonly Point[]>();
  for (const child of laid.children ?? []) {
    const isGroup = child.children !== undefined && child.children.length > 0;
    (isGroup ? groups : nodes).set(isGroup ? child.id.slice(groupId('').length) : child.id, boxOf(child));
    for (const inner of child.children ?? []) nodes.set(inner.id, boxOf(inner));
  }
  for (const { edges: list = [] } of [laid, ...(laid.children ?? [])])
    for (const edge of list) edges.set(edge.id, pointsOf(edge));
  return { nodes, groups, edges };
}

const boxOf = ({ x = 0, y = 0, width = 0, height = 0 }: LaidNode): Box => ({ x, y, width, height });

const pointsOf = ({ sections = [] }: LaidEdge): Point[] =>
  sections.flatMap(({ startPoint, bendPoints = [], endPoint }) => [startPoint, ...bendPoints, endPoint]);

/** From the corner of the drawing, those inside groups too. */
export function placesOf({ nodes, groups }: ShownGraph, layout: Layout): ReadonlyMap<string, Box> {
  const corner = (group: string | undefined) =>
    (group !== undefined && groups.includes(group) && layout.groups.get(group)) || { x: 0, y: 0 };
  return new Map(
    nodes.flatMap(({ id, group }) => {
      const box = layout.nodes.get(id);
      const { x, y } = corner(group);
      return box ? [[id, { ...box, x: box.x + x, y: box.y + y }] as const] : [];
    }),
  );
}
