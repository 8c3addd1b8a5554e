import elkjs from 'elkjs';
import t from 'tap';
import {
  labelPlace,
  labelSide,
  roundedPath,
} from '../../../packages/console/src/features/graph/edge-path.js';
import {
  type Layout,
  layoutInput,
  layoutOf,
  placesOf,
} from '../../../packages/console/src/features/graph/layout-input.js';
import type { PlanGraph } from '../../../packages/console/src/features/graph/plan-graph.js';
import { chosenBy, selOfNode } from '../../../packages/console/src/features/graph/selection.js';
import { type ShownGraph, shownGraph } from '../../../packages/console/src/features/graph/shown-graph.js';
import { walked } from '../../../packages/console/src/features/graph/walking.js';

const node = (id: string, container?: string) => ({
  id,
  name: id,
  className: 'a.Class',
  ...(container === undefined ? {} : { container }),
});
const link = (from: string, to: string) => ({
  stream: `${from}-${to}`,
  source: { id: from, port: 'out' },
  sink: { id: to, port: 'in' },
});
const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);

const elk = new elkjs.default();

const laidOut = async (graph: ShownGraph) => layoutOf(await elk.layout(layoutInput(graph)));

/** Pairs of nodes that lie on one another. */
function overlaps(graph: ShownGraph, layout: Layout): number {
  const boxes = [...placesOf(graph, layout).values()].sort((a, b) => a.x - b.x);
  return boxes.flatMap((a, index) =>
    boxes.slice(index + 1).filter((b) => b.x < a.x + a.width && Math.abs(a.y - b.y) < a.height),
  ).length;
}

const five = numbers(500);
const graphs: Readonly<Record<string, PlanGraph>> = {
  'a line of 500': {
    nodes: five.map((at) => node(`${at}`)),
    links: five.slice(1).map((at) => link(`${at - 1}`, `${at}`)),
  },
  'ten columns of 50': {
    nodes: five.map((at) => node(`${at}`)),
    links: five
      .slice(50)
      .flatMap((at) => [
        link(`${at - 50}`, `${at}`),
        link(`${at - 50 + (at % 50 === 0 ? 49 : -1)}`, `${at}`),
      ]),
  },
  '500 in 50 containers': {
    nodes: five.map((at) => node(`${at}`, `container ${at % 50}`)),
    links: five.slice(50).map((at) => link(`${at - 50}`, `${at}`)),
  },
};

for (const [what, graph] of Object.entries(graphs))
  t.test(`${what}: each has a place of its own, and each stream a way`, async (t) => {
    const shown = shownGraph(graph);
    const layout = await laidOut(shown);
    t.equal(overlaps(shown, layout), 0);
    t.equal(layout.nodes.size, 500);
    t.equal(layout.groups.size, shown.groups.length);
    t.ok([...layout.edges.values()].every((points) => points.length >= 2));
    t.equal(layout.edges.size, shown.edges.length);
  });

t.test('ways are counted from the corner of the drawing, inside groups too', async (t) => {
  const shown = shownGraph({ nodes: [node('a', 'c'), node('b', 'c')], links: [link('a', 'b')] });
  const layout = await laidOut(shown);
  const a = placesOf(shown, layout).get('node:a');
  const [first] = layout.edges.get(shown.edges[0]?.id ?? '') ?? [];
  t.ok(a && first);
  t.equal(first?.x, (a?.x ?? 0) + (a?.width ?? 0));
});

t.test('arrow keys walk along the streams, and up and down in a column', (t) => {
  const edges = [
    { source: 'a', target: 'b' },
    { source: 'a', target: 'c' },
    { source: 'b', target: 'd' },
  ];
  const places = new Map([
    ['a', { x: 0, y: 50 }],
    ['b', { x: 300, y: 0 }],
    ['c', { x: 300, y: 60 }],
    ['d', { x: 600, y: 0 }],
  ]);
  const go = (from: string, direction: 'forward' | 'back' | 'up' | 'down') =>
    walked(from, direction, edges, places);
  t.equal(go('a', 'forward'), 'c', 'the nearest');
  t.equal(go('c', 'up'), 'b');
  t.equal(go('b', 'down'), 'c');
  t.equal(go('b', 'up'), undefined);
  t.equal(go('d', 'back'), 'b');
  t.equal(go('d', 'forward'), undefined);
  t.equal(go('gone', 'forward'), undefined);
  t.end();
});

t.test('what is selected is found again by the address, in folds too', (t) => {
  const graph = { nodes: ['1', '2'].map((id) => ({ ...node(id), name: 'a' })), links: [] };
  const apart = shownGraph(graph);
  const folded = shownGraph(graph, [], { nodes: 1, edges: 1 });
  const [one] = apart.nodes;
  const [fold] = folded.nodes;
  t.ok(one && fold);
  t.equal(one && selOfNode(one, 'physical'), 'part:1');
  t.equal(one && selOfNode(one, 'logical'), 'op:a');
  t.equal(fold && selOfNode(fold, 'physical'), 'op:a');
  t.match(chosenBy('part:2', apart), { kind: 'node', node: { id: 'node:2' } });
  t.match(chosenBy('op:a', folded), { kind: 'node', node: { id: fold?.id } });
  t.match(chosenBy(fold?.id, folded), { kind: 'node' });
  for (const gone of ['part:3', 'op:b', 'stream:s', 'fold:1:x', 'op:', '', undefined])
    t.equal(chosenBy(gone, apart), undefined);
  t.end();
});

t.test('lines have round corners, and words where there is room', (t) => {
  const points = [
    { x: 0, y: 0 },
    { x: 20, y: 0 },
    { x: 20, y: 40 },
    { x: 100, y: 40 },
  ];
  t.equal(roundedPath(points), 'M 0 0 L 12 0 Q 20 0 20 8 L 20 32 Q 20 40 28 40 L 100 40');
  t.equal(roundedPath([]), '');
  t.strictSame(labelPlace(points, 'middle'), { x: 60, y: 40 });
  t.equal(labelSide(3, 1), 'end');
  t.equal(labelSide(1, 3), 'start');
  t.equal(labelSide(2, 2), 'middle');
  t.end();
});
