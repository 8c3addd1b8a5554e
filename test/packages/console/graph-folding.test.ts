import t from 'tap';
import { folded } from '../../../packages/console/src/features/graph/folding.js';
import { type PlanGraph, physicalGraph } from '../../../packages/console/src/features/graph/plan-graph.js';
import { shownGraph } from '../../../packages/console/src/features/graph/shown-graph.js';

const node = (name: string, className = 'a.Class', id = name) => ({ id, name, className });
const link = (from: string, to: string) => ({
  stream: `${from}-${to}`,
  source: { id: from, port: 'out' },
  sink: { id: to, port: 'in' },
});
const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);

/** A source, `count` partitions of each of `operators`, all with all. */
function partitioned(operators: number, count: number): PlanGraph {
  const nodes = numbers(operators).flatMap((operator) =>
    numbers(count).map((partition) => ({
      ...node(`operator ${operator}`, 'a.Class', `${operator}.${partition}`),
      container: `container ${partition}`,
    })),
  );
  const links = numbers(operators - 1).flatMap((operator) =>
    numbers(count).map((partition) => link(`${operator}.${partition}`, `${operator + 1}.${partition}`)),
  );
  return { nodes, links };
}

const line = (length: number): PlanGraph => ({
  nodes: numbers(length).map((at) => node(`step ${at}`)),
  links: numbers(length - 1).map((at) => link(`step ${at}`, `step ${at + 1}`)),
});

const fan = (width: number, classes = 1): PlanGraph => ({
  nodes: [
    node('source'),
    ...numbers(width).map((at) => node(`reader ${at}`, `a.Reader${at % classes}`)),
    node('end'),
  ],
  links: numbers(width).flatMap((at) => [link('source', `reader ${at}`), link(`reader ${at}`, 'end')]),
});

t.test('what can be drawn is drawn', (t) => {
  const shown = shownGraph(line(600));
  t.equal(shown.nodes.length, 600);
  t.equal(shown.edges.length, 599);
  t.equal(shown.fold, undefined);
  t.end();
});

t.test('5,000 partitions become the operators that they are of', (t) => {
  const shown = shownGraph(partitioned(40, 125));
  t.ok(shown.nodes.length <= 600);
  t.ok(shown.edges.length <= 1500);
  t.ok(shown.nodes.every(({ kind }) => kind === 'partitions' || kind === 'single'));
  t.equal(
    shown.nodes.reduce((sum, { members }) => sum + members.length, 0),
    5000,
    'each is somewhere',
  );
  t.equal(shown.places.size, 5000);
  t.end();
});

t.test('few partitions with many streams fold by their streams', (t) => {
  const nodes = ['a', 'b'].flatMap((name) => numbers(64).map((at) => node(name, 'a.Class', `${name}${at}`)));
  const links = numbers(64).flatMap((from) => numbers(64).map((to) => link(`a${from}`, `b${to}`)));
  const shown = shownGraph({ nodes, links });
  t.ok(shown.edges.length <= 1500, `${shown.edges.length} edges`);
  t.end();
});

for (const [what, graph] of Object.entries({
  'a line of 5,000': line(5000),
  'a fan of 5,000 of one class': fan(5000),
  'a fan of 5,000 of 900 classes': fan(5000, 900),
  '5,000 alone': { nodes: numbers(5000).map((at) => node(`alone ${at}`, `a.C${at}`)), links: [] },
  'a circle of 5,000': { ...line(5000), links: [...line(5000).links, link('step 4999', 'step 0')] },
}))
  t.test(`${what} operators are drawn in at most 600 places, and none is lost`, (t) => {
    const shown = shownGraph(graph);
    t.ok(shown.nodes.length <= 600, `${shown.nodes.length} nodes`);
    t.equal(shown.places.size, graph.nodes.length);
    t.equal(shown.fold === undefined, false);
    t.end();
  });

t.test('no more is folded than has to be', (t) => {
  const shown = shownGraph({
    nodes: [...fan(300).nodes, ...numbers(310).map((at) => node(`alone ${at}`, `a.C${at}`))],
    links: fan(300).links,
  });
  t.equal(shown.nodes.length, 312 + 1, 'the twins are one, the others themselves');
  t.end();
});

t.test('a fold that is opened shows its members, and a next one comes out of what is left', (t) => {
  const graph = fan(5000);
  const [fold] = shownGraph(graph).nodes.filter(({ kind }) => kind === 'twins');
  t.equal(fold?.members.length, 5000);
  const opened = shownGraph(graph, [fold?.id ?? '']);
  t.ok(opened.places.get('reader 0')?.startsWith('node:'), 'the first of them are to be seen');
  const rest = opened.nodes.find(({ kind }) => kind === 'twins');
  t.equal(rest?.members.length, 4700);
  const more = shownGraph(graph, [fold?.id ?? '', rest?.id ?? '']);
  t.equal(more.nodes.find(({ kind }) => kind === 'twins')?.members.length, 4400);
  t.strictSame(shownGraph(graph, ['fold:7:gone']).key, shownGraph(graph).key, 'what is gone opens nothing');
  t.end();
});

t.test('the key is that of the drawing: figures and containers that stay change nothing', (t) => {
  t.equal(shownGraph(line(10)).key, shownGraph(structuredClone(line(10))).key);
  t.not(shownGraph(line(10)).key, shownGraph(line(11)).key);
  t.end();
});

t.test('a fold belongs to a container when all of it does', (t) => {
  const graph = (containers: readonly string[]) =>
    physicalGraph({
      operators: containers.map((container, at) => ({
        id: `${at}`,
        logicalName: 'one',
        className: 'a.Class',
        container,
      })),
      streams: [],
    });
  const limits = { nodes: 1, edges: 10 };
  t.equal(shownGraph(graph(['c', 'c']), [], limits).nodes[0]?.group, 'c');
  t.equal(shownGraph(graph(['c', 'd']), [], limits).nodes[0]?.group, undefined);
  t.end();
});

t.test('streams to what the plan does not name are left out', (t) => {
  const graph = physicalGraph({
    operators: [{ id: '1', logicalName: 'a', className: 'a.Class', container: null }],
    streams: [
      {
        logicalName: 's',
        source: { operatorId: '1', portName: 'out' },
        sinks: [{ operatorId: '2', portName: 'in' }],
      },
    ],
  });
  t.strictSame(graph.links, []);
  t.equal(folded(graph).length, 1);
  t.end();
});
