import t from 'tap';
import {
  affordable,
  latencyAlong,
  ofContainers,
  ofOperators,
  stepOf,
  together,
  upstreamOf,
} from '../../../packages/console/src/features/overview/history.js';
import { blocksOf } from '../../../packages/console/src/features/overview/markdown.js';
import { readRange, spanOf } from '../../../packages/console/src/shell/time-range.js';

const plan = {
  operators: ['in', 'left', 'right', 'out'].map((name) => ({ name })),
  streams: [
    {
      source: { operatorName: 'in' },
      sinks: [{ operatorName: 'left' }, { operatorName: 'right' }],
    },
    { source: { operatorName: 'left' }, sinks: [{ operatorName: 'out' }] },
    { source: { operatorName: 'right' }, sinks: [{ operatorName: 'out' }] },
  ],
};

t.test('latency adds up along the slowest path', async (t) => {
  const upstream = upstreamOf(plan);
  const along = (latencies: Record<string, number>) =>
    latencyAlong(upstream, new Map(Object.entries(latencies)));
  t.equal(along({ in: 1, left: 10, right: 5, out: 2 }), 13);
  t.equal(along({ in: 1, left: 3, right: 5, out: 2 }), 8);
  t.equal(along({ in: 7 }), 7, 'what is not known adds nothing');
  t.equal(latencyAlong(upstreamOf({ operators: [], streams: [] }), new Map()), 0);
  const loop = new Map([
    ['a', ['b']],
    ['b', ['a']],
  ]);
  t.equal(latencyAlong(loop, new Map([['a', 1]])), 1, 'a loop does not hang');
});

t.test('partitions add up in their rates, the slowest is the latency', async (t) => {
  const one = (name: string, processed: number, latency: number) => ({
    name,
    processed,
    emitted: processed * 2,
    latency,
  });
  const values = new Map([
    ['1', one('in', 0, 1)],
    ['2', one('left', 10, 4)],
    ['3', one('left', 20, 9)],
  ]);
  t.strictSame(ofOperators(values, upstreamOf(plan)), { rates: [30, 60], latency: [10] });
});

t.test('measurements of one step of time belong together, the last of each thing counts', async (t) => {
  const items = [
    { id: 'b', at: 20_003, values: 5 },
    { id: 'a', at: 10_001, values: 1 },
    { id: 'a', at: 20_001, values: 2 },
    { id: 'b', at: 20_009, values: 7 },
  ];
  const sum = (values: ReadonlyMap<string, number>) => [...values.values()].reduce((a, b) => a + b, 0);
  t.strictSame(together(items, 10_000, sum), [
    { at: 10_001, result: 1 },
    { at: 20_009, result: 9 },
  ]);
  t.strictSame(together([], 10_000, sum), []);
});

t.test('the usual step is the middle one of all', async (t) => {
  const at = (id: string, ...moments: number[]) => moments.map((moment) => ({ id, at: moment, values: 0 }));
  t.equal(stepOf([...at('a', 0, 10, 20, 900), ...at('b', 5, 15)]), 10);
  t.equal(stepOf(at('a', 7)), undefined);
});

t.test('used memory is unknown while one container does not tell', async (t) => {
  t.strictSame(
    ofContainers([
      { allocated: 128, free: 28 },
      { allocated: 64, free: 4 },
    ]),
    [160, 192],
  );
  t.strictSame(
    ofContainers([
      { allocated: 128, free: undefined },
      { allocated: 64, free: 4 },
    ]),
    [null, 192],
  );
});

t.test('a page reads no more than it can add up', async (t) => {
  t.equal(affordable(3_600_000, 10_000, 11, 40_000), 3_600_000);
  t.equal(affordable(86_400_000, 10_000, 40, 40_000), 10_000_000);
  t.equal(affordable(1000, 10_000, 0, 40_000), 1000);
});

t.test('ranges of an address', async (t) => {
  t.strictSame(readRange({ range: '6h' }), { range: '6h' });
  t.strictSame(readRange({ range: '5y', from: 'x' }), {});
  t.strictSame(readRange({ from: 5, to: 9, range: '6h' }), { from: 5, to: 9 });
  t.strictSame(readRange({ from: 9, to: 5 }), {}, 'ends before it begins');
  t.strictSame(spanOf({}, 0, 10_000_000, '1h'), { from: 6_400_000, to: 10_000_000 });
  t.strictSame(spanOf({}, 9_000_000, 10_000_000, '1h'), { from: 9_000_000, to: 10_000_000 }, 'not before');
  t.strictSame(spanOf({ from: 1, to: 2 }, 9, 10, '1h'), { from: 1, to: 2 });
  t.strictSame(spanOf({}, 10, 10, '1h'), { from: 9, to: 10 }, 'never empty');
});

t.test('markdown: what the gateway writes, and nothing becomes markup', async (t) => {
  const text = (value: string) => ({ text: value, isCode: false });
  const code = (value: string) => ({ text: value, isCode: true });
  const markdown = [
    '## Cause',
    '',
    '````',
    'a ``` b <script>alert(1)</script>',
    '```',
    '## no heading',
    '````',
    '',
    '- Operator: ` join ` and `` a`b ``',
    '- <b>bold</b>',
    'A paragraph',
    'of *two* lines',
    '### StopContainer at 2026',
  ].join('\n');
  t.strictSame(blocksOf(markdown), [
    { kind: 'heading', level: 2, parts: [text('Cause')] },
    { kind: 'code', text: 'a ``` b <script>alert(1)</script>\n```\n## no heading' },
    {
      kind: 'list',
      items: [[text('Operator: '), code('join'), text(' and '), code('a`b')], [text('<b>bold</b>')]],
    },
    { kind: 'paragraph', parts: [text('A paragraph of *two* lines')] },
    { kind: 'heading', level: 3, parts: [text('StopContainer at 2026')] },
  ]);
  t.strictSame(blocksOf('```\nnever closed'), [{ kind: 'code', text: 'never closed' }]);
  t.strictSame(blocksOf('one ` alone'), [{ kind: 'paragraph', parts: [text('one ` alone')] }]);
  t.strictSame(blocksOf('\n\n'), []);
});
