import t from 'tap';
import {
  operatorFrame,
  partitionFrame,
  together,
} from '../../../packages/console/src/features/graph/figures.js';
import { readGraphSearch } from '../../../packages/console/src/features/graph/graph-search.js';
import { logicalGraph } from '../../../packages/console/src/features/graph/plan-graph.js';
import { portFrame, rateIn } from '../../../packages/console/src/features/graph/port-rates.js';
import { rateSources } from '../../../packages/console/src/features/graph/rates.js';
import { legendOf, shadeOf } from '../../../packages/console/src/features/graph/scale.js';

const operator = (name: string, more: object = {}) => ({
  name,
  partitions: ['1'],
  status: { ACTIVE: 1 },
  cpuPercentageMA: 1,
  currentWindowId: '7712152532075675742',
  failureCount: 0,
  latencyMA: 5,
  tuplesEmittedPSMA: 10,
  tuplesProcessedPSMA: 20,
  ...more,
});
const around = { upstream: new Map([['b', ['a']]]), windowMillis: 500 };

t.test('lag is counted against what an operator reads from', (t) => {
  const frame = operatorFrame(
    [operator('a', { currentWindowId: '7712152532075675745' }), operator('b')],
    around,
  );
  t.equal(frame.of('a')?.lag, 0);
  t.equal(frame.of('b')?.lag, 3);
  t.equal(frame.of('no such'), undefined);
  t.end();
});

t.test('several as one: what flows is summed, what hurts is the worst', (t) => {
  const frame = partitionFrame(
    [
      { ...operator('x'), id: '1', status: 'ACTIVE', ports: [], latencyMA: 5, cpuPercentageMA: 90 },
      { ...operator('x'), id: '2', status: 'PENDING_DEPLOY', ports: [], latencyMA: 2000, failureCount: 3 },
    ],
    { upstream: new Map(), windowMillis: 500 },
  );
  const all = together(['1', '2'].flatMap((id) => frame.of(id) ?? []));
  t.match(all, { partitions: 2, processed: 40, emitted: 20, latency: 2000, cpu: 90, failures: 3, lag: 0 });
  t.strictSame(shadeOf('state', all), { color: 'waiting', sign: '◐', text: '1 of 2 pending deploy' });
  t.strictSame(shadeOf('latency', all), { color: 'step-3', sign: '▆', text: '2 s' });
  t.equal(together([]), undefined);
  t.end();
});

t.test('every scale tells by sign and words, and what is not known as such', (t) => {
  const figures = operatorFrame(
    [operator('a', { counters: { backPressuredTimeMsPerSecond: { max: 450 } } })],
    around,
  ).of('a');
  t.equal(shadeOf('backpressure', figures).text, '45 %');
  t.equal(shadeOf('cpu', figures).text, '1 %');
  t.equal(shadeOf('failures', figures).text, '0 failures');
  t.equal(shadeOf('lag', figures).text, '0 windows');
  t.strictSame(shadeOf('backpressure', operatorFrame([operator('a')], around).of('a')), {
    color: 'step-none',
    sign: '?',
    text: '–',
  });
  t.strictSame(shadeOf('state', undefined), { color: 'step-none', sign: '?', text: '–' });
  t.equal(
    shadeOf('latency', operatorFrame([operator('a', { latencyMA: Number.NaN })], around).of('a')).text,
    '–',
  );
  for (const scale of ['latency', 'lag', 'cpu', 'failures', 'backpressure'] as const) {
    const legend = legendOf(scale);
    t.equal(new Set(legend.map(({ sign }) => sign)).size, 5, `${scale}: a sign each`);
    t.equal(new Set(legend.map(({ text }) => text)).size, 5);
  }
  t.end();
});

const stream = (name: string, from: string, ...to: string[]) => {
  const end = (text: string) => {
    const [operatorName = '', portName = ''] = text.split('.');
    return { operatorName, portName };
  };
  return { name, source: end(from), sinks: to.map(end) };
};

t.test('an edge shows what is counted of it alone', (t) => {
  const graph = logicalGraph({
    operators: ['a', 'b', 'c', 'join'].map((name) => ({ name, class: 'x.Y' })),
    streams: [
      stream('one', 'a.out', 'b.in', 'join.left'),
      stream('two', 'a.errors', 'c.in'),
      stream('three', 'b.out', 'join.right'),
    ],
  });
  const source = rateSources(graph);
  const frame = operatorFrame(
    ['a', 'b', 'c', 'join'].map((name, at) =>
      operator(name, { tuplesProcessedPSMA: at * 10, tuplesEmittedPSMA: at * 100 }),
    ),
    around,
  );
  const rate = (name: string, to: string) =>
    rateIn(source(graph.links.filter(({ stream, sink }) => stream === name && sink.id === to)), frame);
  t.equal(rate('one', 'b'), 10, 'an operator with one input counts it');
  t.equal(rate('two', 'c'), 20);
  t.equal(rate('one', 'join'), undefined, 'of two inputs an operator tells the sum alone');
  const ports = portFrame({
    operators: [1, 2].map(() => ({
      logicalName: 'join',
      isUnifier: false,
      ports: [
        { name: 'left', type: 'input' as const, tuplesPSMA: 4 },
        { name: 'left', type: 'output' as const, tuplesPSMA: 1000 },
      ],
    })),
  });
  const left = source(graph.links.filter(({ sink }) => sink.port === 'left'));
  t.equal(rateIn(left, ports), 8, 'its partitions tell each port');
  t.end();
});

t.test('the address: what does not fit is left out', (t) => {
  t.strictSame(
    readGraphSearch({ mode: 'physical', sel: 'part:5', color: 'lag', view: 'table', open: ['fold:2:a'] }),
    {
      mode: 'physical',
      sel: 'part:5',
      color: 'lag',
      view: 'table',
      open: ['fold:2:a'],
    },
  );
  t.strictSame(readGraphSearch({ mode: 'no', sel: 5, color: 'state', view: 'graph', open: 'all' }), {});
  t.strictSame(readGraphSearch({ sel: 'op:' }), {});
  t.strictSame(readGraphSearch({ sel: 'op:a\nb' }), { sel: 'op:a\nb' });
  t.end();
});
