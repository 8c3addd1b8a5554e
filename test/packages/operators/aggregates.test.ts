import t from 'tap';
import {
  Average,
  Count,
  Maximum,
  MergeAggregates,
  MergeTopN,
  Minimum,
  Percentiles,
  Sum,
  TopN,
} from '../../../packages/operators/built-in.js';
import type { OperatorClass, Tuple } from '../../../packages/operators/operator.js';
import { startOperator, windowIdOf } from '../../helpers/operator-harness.js';

const tuples = [
  { path: '/a', millis: 10 },
  { path: '/b', millis: 30 },
  { path: '/a', millis: 20 },
  { path: '/a' },
];
const head = { windowId: windowIdOf(0), time: 1_700_000_000_000 };

t.test('each aggregation, with and without a key', async (t) => {
  const table: readonly [OperatorClass, object, whole: object, a: object, b: object][] = [
    [Sum, { value: 'millis' }, { sum: 60, count: 3 }, { sum: 30, count: 2 }, { sum: 30, count: 1 }],
    [
      Average,
      { value: 'millis' },
      { average: 20, sum: 60, count: 3 },
      { average: 15, sum: 30, count: 2 },
      { average: 30, sum: 30, count: 1 },
    ],
    [Minimum, { value: 'millis' }, { min: 10, count: 3 }, { min: 10, count: 2 }, { min: 30, count: 1 }],
    [Maximum, { value: 'millis' }, { max: 30, count: 3 }, { max: 20, count: 2 }, { max: 30, count: 1 }],
    [Count, {}, { count: 4, perSecond: 8 }, { count: 3, perSecond: 6 }, { count: 1, perSecond: 2 }],
    [
      Percentiles,
      { value: 'millis', percentiles: [50, 99.9] },
      { p50: 20, 'p99.9': 30, min: 10, max: 30, count: 3, exact: true },
      { p50: 10, 'p99.9': 20, min: 10, max: 20, count: 2, exact: true },
      { p50: 30, 'p99.9': 30, min: 30, max: 30, count: 1, exact: true },
    ],
  ];
  for (const [type, properties, whole, a, b] of table) {
    const skipped = type === Count ? 0 : 1;
    const tail = { seconds: 0.5, overflow: 0, skipped };
    const keyed = { ...properties, key: 'path' };
    const all = await startOperator(type, properties);
    t.strictSame(all.window(tuples), [{ ...head, ...whole, ...tail }], type.className);
    const perKey = await startOperator(type, keyed);
    t.strictSame(perKey.window(tuples), [
      { ...head, key: '/a', ...a },
      { ...head, key: '/b', ...b },
    ]);
    t.strictSame(perKey.operator.counters(), { overflow: 0, skipped });
    const perWindow = await startOperator(type, { ...keyed, emit: 'window' });
    t.strictSame(perWindow.window(tuples), [{ ...head, keys: { '/a': a, '/b': b }, ...tail }]);
  }
});

t.test('a window without tuples', async (t) => {
  const empty: readonly [OperatorClass, object][] = [
    [Count, { count: 0, perSecond: 0 }],
    [Sum, { sum: 0 }],
    [Average, { average: null }],
    [Minimum, { min: null }],
    [Maximum, { max: null }],
    [Percentiles, { p50: null, min: null, max: null, count: 0 }],
  ];
  for (const [type, expected] of empty) {
    const all = await startOperator(type, { value: 'x' });
    t.match(all.window(), [expected], type.className);
    const keyed = await startOperator(type, { value: 'x', key: 'y' });
    t.strictSame(keyed.window(), []);
  }
});

t.test('sliding windows: old values leave, and rates are over the time covered', async (t) => {
  const count = await startOperator(Count, { windows: 3 });
  const results = [4, 2, 0, 0, 0].map((length) => count.window(Array.from({ length }, () => ({})))[0]);
  t.match(results, [
    { count: 4, perSecond: 8, seconds: 0.5 },
    { count: 6, perSecond: 6, seconds: 1 },
    { count: 6, perSecond: 4, seconds: 1.5 },
    { count: 2, seconds: 1.5 },
    { count: 0, seconds: 1.5 },
  ]);
  const maximum = await startOperator(Maximum, { value: '$', windows: 2 });
  t.match(
    [[9], [3], [1]].map((values) => maximum.window(values)[0]),
    [{ max: 9 }, { max: 9 }, { max: 3 }],
  );
});

t.test('a recovery goes on with the windows before', async (t) => {
  for (const type of [Count, Sum, Percentiles]) {
    const properties = { value: 'millis', key: 'path', windows: 3, maxExact: 2 };
    const steady = await startOperator(type, properties);
    const first = await startOperator(type, properties);
    for (let window = 0; window < 2; window += 1) {
      steady.window(tuples);
      first.window(tuples);
    }
    const restored = await startOperator(type, properties, { restore: first.checkpoint(), firstWindow: 2 });
    for (let window = 0; window < 3; window += 1) t.same(restored.window(tuples), steady.window(tuples));
    t.same(restored.operator.counters(), steady.operator.counters());
  }
});

t.test('keys are limited, and what has no room is counted', async (t) => {
  const count = await startOperator(Count, { key: '$', emit: 'window', maxKeys: 2 });
  t.match(count.window(['a', 'b', 'c', 'd', 'a']), [
    { keys: { a: { count: 2 }, b: { count: 1 } }, overflow: 2 },
  ]);
  t.match(count.window(['c']), [{ keys: { c: { count: 1 } }, overflow: 0 }], 'room again');
  t.strictSame(count.operator.counters(), { overflow: 2, skipped: 0 });
});

t.test('keys may be anything', async (t) => {
  const count = await startOperator(Count, { key: 'k', emit: 'window' });
  const [result] = count.window([{ k: '__proto__' }, { k: 1 }, { k: null }, { k: [1] }, {}]);
  t.match(
    JSON.parse(JSON.stringify(result)),
    JSON.parse('{"keys":{"__proto__":{"count":1},"1":{"count":1},"":{"count":2},"[1]":{"count":1}}}'),
  );
});

t.test('values that are no numbers are skipped', async (t) => {
  const sum = await startOperator(Sum, { value: 'v' });
  t.match(sum.window([{ v: 1 }, { v: '2' }, { v: Number.NaN }, { v: Infinity }, {}, null]), [
    { sum: 1, count: 1, skipped: 5 },
  ]);
});

t.test('properties changed at run time', async (t) => {
  const count = await startOperator(Count, { key: 'path', windows: 2 });
  count.window(tuples);
  count.change({ key: 'path', windows: 2, emit: 'window' });
  t.match(count.window(tuples), [{ keys: { '/a': { count: 6 } } }], 'what was counted stays');
  count.change({ key: 'millis', windows: 2, emit: 'window' });
  t.match(count.window(tuples), [{ keys: { 10: { count: 1 } }, seconds: 0.5 }], 'another key begins anew');
  const sum = await startOperator(Sum, { value: 'millis', windows: 5 });
  sum.window(tuples);
  sum.change({ value: 'millis', windows: 4 });
  t.match(sum.window(tuples), [{ sum: 120 }]);
  sum.change({ value: 'millis * 1000', windows: 4 });
  t.match(sum.window(tuples), [{ sum: 60_000 }], 'another value begins anew');
  sum.change({ value: 'millis * 1000', windows: 1 });
  t.match(sum.window(tuples), [{ sum: 60_000, seconds: 0.5 }], 'fewer windows at once');
  await t.rejects(startOperator(Count, { key: '' }), { name: 'ZodError' });
});

t.test('percentiles beyond the exact limit are close', async (t) => {
  const percentiles = await startOperator(Percentiles, { value: '$', maxExact: 100, windows: 2 });
  percentiles.window(Array.from({ length: 5_000 }, (_, index) => index + 1));
  const [result] = percentiles.window(Array.from({ length: 5_000 }, (_, index) => index + 5_001));
  t.match(result, { count: 10_000, exact: false, min: 1, max: 10_000 });
  const { p50, p99 } = Object(result);
  t.ok(Math.abs(p50 - 5_000) <= 50 && Math.abs(p99 - 9_900) <= 99, `${p50} ${p99}`);
});

t.test('top N', async (t) => {
  const top = await startOperator(TopN, { key: 'path', length: 2, windows: 2 });
  const paths = (text: string) => [...text].map((path) => ({ path }));
  t.strictSame(top.window(paths('abcabca')), [
    {
      ...head,
      top: [
        { key: 'a', count: 3 },
        { key: 'b', count: 2 },
      ],
      total: 7,
      overflow: 0,
      skipped: 0,
    },
  ]);
  const restored = await startOperator(
    TopN,
    { key: 'path', length: 2, windows: 2 },
    { restore: top.checkpoint(), firstWindow: 1 },
  );
  t.match(restored.window(paths('ccc')), [{ top: [{ key: 'c', count: 5 }, { key: 'a' }], total: 10 }]);
  restored.change({ key: 'path', length: 1, windows: 1 });
  t.match(restored.window(paths('b')), [{ top: [{ key: 'b', count: 1 }], total: 1 }]);
  const heavy = await startOperator(TopN, { key: 'path', weight: 'bytes', maxKeys: 2 });
  const weighed = [
    { path: 'a', bytes: 1 },
    { path: 'b', bytes: 5 },
    { path: 'c', bytes: 9 },
    { path: 'a', bytes: 'x' },
  ];
  t.match(heavy.window(weighed), [
    { top: [{ key: 'b', count: 5 }, { key: 'a' }], total: 6, overflow: 1, skipped: 1 },
  ]);
});

/** Deals tuples to partitions as the engine does, joins their output, and compares it with that of one operator. */
async function partitioned(type: OperatorClass, unifier: OperatorClass, properties: object, input: Tuple[]) {
  const count = 3;
  const single = await startOperator(type, properties);
  const partitions = await Promise.all(
    [0, 1, 2].map((index) => startOperator(type, properties, { partition: { index, count } })),
  );
  const joined = await startOperator(unifier, properties);
  const parsed: Record<string, unknown> = type.properties.parse(properties);
  const keyOf = type.inputs['input']?.partitionKey?.(parsed) ?? JSON.stringify;
  const hash = (text: string) => [...text].reduce((sum, char) => sum + (char.codePointAt(0) ?? 0), 0);
  const results = partitions.flatMap((partition, index) =>
    partition.window(input.filter((tuple) => hash(keyOf(tuple)) % count === index)),
  );
  return { single: single.window(input), joined: joined.window(results) };
}

t.test('partitions and their unifier give what one operator gives', async (t) => {
  const input = Array.from({ length: 200 }, (_, index) => ({
    path: `/${index % 17}`,
    millis: (index * 7) % 101,
  }));
  const order = (results: Tuple[]) =>
    results.map((result) => JSON.stringify(Object(result).keys ? sorted(result) : result)).sort();
  const sorted = (result: Tuple) => ({ ...Object(result), keys: Object.entries(Object(result).keys).sort() });
  for (const type of [Count, Sum, Average, Minimum, Maximum, Percentiles]) {
    for (const more of [{}, { key: 'path' }, { key: 'path', emit: 'window' }]) {
      const { single, joined } = await partitioned(
        type,
        MergeAggregates,
        { value: 'millis', ...more },
        input,
      );
      t.strictSame(order(joined), order(single), `${type.className} ${JSON.stringify(more)}`);
    }
  }
  const top = await partitioned(TopN, MergeTopN, { key: 'path', length: 5 }, input);
  t.strictSame(top.joined, top.single);
});
