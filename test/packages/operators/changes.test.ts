import t from 'tap';
import {
  Average,
  builtInOperators,
  Combine,
  ConsoleOutput,
  Count,
  Dedup,
  FieldMap,
  FileLines,
  FileOutput,
  Filter,
  HttpPoll,
  HubOutput,
  Join,
  JsonParse,
  Maximum,
  MergeTopN,
  Minimum,
  Percentiles,
  RandomGenerator,
  RegexParse,
  SnapshotServer,
  Sum,
  Throttle,
  Timer,
  TopN,
} from '../../../packages/operators/built-in.js';
import type { OperatorClass, Tuple } from '../../../packages/operators/operator.js';
import { startOperator } from '../../helpers/operator-harness.js';

// A property that is changed is as good as one that was there from the start: for every property of every operator.

interface Case {
  readonly type: OperatorClass;
  readonly properties?: Readonly<Record<string, unknown>>;
  /** Tuples of each window; of the named port. */
  readonly windows: readonly (readonly Tuple[])[];
  readonly ports?: readonly string[];
  /** Another value for each property that has an effect which these tuples show. */
  readonly others: Readonly<Record<string, unknown>>;
}

const records = (from: number) =>
  [1, 2, 3, 4, 5, 6].map((n) => ({ n: n + from, key: `k${n % 3}`, other: `o${n % 2}`, text: `{"n":${n}}` }));
const windows = [records(0), records(10), records(20)];

const keyed = { key: 'other', windows: 2, emit: 'window', maxKeys: 1 };
const valued = (type: OperatorClass): Case => ({
  type,
  properties: { key: 'key', value: 'n' },
  windows,
  others: { ...keyed, value: 'n * 2' },
});

const cases: readonly Case[] = [
  { type: Filter, properties: { condition: 'n > 3' }, windows, others: { condition: 'n < 3' } },
  {
    type: FieldMap,
    windows,
    others: {
      pick: ['n'],
      drop: ['n'],
      rename: { n: 'm' },
      constants: { one: 1 },
      compute: { m: 'n + 1' },
    },
  },
  {
    type: JsonParse,
    properties: { field: 'text' },
    windows: [[...records(0), { text: '7', key: '[1]' }]],
    others: { field: 'key', maxCharacters: 3, objectsOnly: false },
  },
  {
    type: RegexParse,
    properties: { field: 'text', pattern: '(?<n>\\d)' },
    windows,
    others: { field: 'key', maxCharacters: 3, pattern: '(?<m>\\d)', whole: true, numbers: ['n'] },
  },
  {
    type: Combine,
    properties: { names: ['a'] },
    windows,
    ports: ['input1'],
    others: { names: ['b', 'c'], collect: 'all' },
  },
  {
    type: Combine,
    properties: { names: ['a'], collect: 'all' },
    windows,
    ports: ['input1'],
    others: { maxPerWindow: 2 },
  },
  { type: Count, properties: { key: 'key' }, windows, others: keyed },
  ...[Average, Maximum, Minimum, Sum].map(valued),
  {
    ...valued(Percentiles),
    others: { ...keyed, value: 'n * 2', percentiles: [10], maxExact: 1 },
  },
  {
    type: TopN,
    properties: { key: 'key' },
    windows,
    others: { key: 'other', weight: 'n', length: 1, windows: 2, maxKeys: 1 },
  },
  {
    type: MergeTopN,
    windows: [[1, 2].map((n) => ({ top: [{ key: `k${n}`, count: n }], total: n, overflow: 0, skipped: 0 }))],
    others: { length: 1 },
  },
  {
    type: Dedup,
    properties: { key: 'key' },
    windows,
    others: { key: 'n', windows: 1, millis: 1, maxKeys: 1 },
  },
  {
    type: Dedup,
    properties: { key: 'key', windows: 2 },
    windows: [...windows, ...windows],
    others: { extend: true },
  },
  {
    type: Throttle,
    properties: { tuples: 2, key: 'key' },
    windows,
    others: { tuples: 1, per: 'window', key: 'other', maxKeys: 1 },
  },
  {
    type: Join,
    properties: { key: 'key' },
    windows,
    ports: ['left', 'right'],
    others: { key: 'other', rightKey: 'other', windows: 2, maxTuples: 1, maxPairs: 1 },
  },
  { type: Join, properties: { key: 'n' }, windows, ports: ['left'], others: { type: 'left' } },
  {
    type: ConsoleOutput,
    windows,
    others: { prefix: '> ', level: 'warn', maxCharacters: 3, maxPerWindow: 2 },
  },
  {
    type: HubOutput,
    properties: { topic: 'a' },
    windows,
    others: { topic: 'b', mode: 'last', maxPerWindow: 2 },
  },
  {
    type: RandomGenerator,
    windows: [[], []],
    others: {
      kind: 'words',
      seed: 'another',
      tuplesPerSecond: 0.001,
      total: 3,
      min: 0.5,
      max: 9,
    },
  },
  { type: RandomGenerator, properties: { max: 9 }, windows: [[]], others: { integers: true } },
  { type: RandomGenerator, properties: { kind: 'words' }, windows: [[]], others: { words: ['one'] } },
  { type: RandomGenerator, properties: { kind: 'payload' }, windows: [[]], others: { payloadBytes: 9 } },
];

/** Whose changes need more than tuples to be seen: tested with the operator. */
const elsewhere: readonly OperatorClass[] = [FileLines, FileOutput, HttpPoll, Timer, SnapshotServer];

async function outcome(
  { type, windows, ports = ['input'] }: Case,
  from: Readonly<Record<string, unknown>>,
  to?: Readonly<Record<string, unknown>>,
): Promise<unknown> {
  const operator = await startOperator(type, from);
  if (to) operator.change(to);
  for (const tuples of windows) {
    if (Object.keys(type.inputs).length === 0) {
      operator.pull(10);
      continue;
    }
    operator.begin();
    for (const tuple of tuples) for (const port of ports) operator.put(port, tuple);
    operator.end();
  }
  const { emitted, published, logged, ended } = operator;
  await operator.stop();
  return { emitted, published, logged, ended, counters: operator.operator.counters() };
}

for (const one of cases)
  t.test(`${one.type.className}: ${Object.keys(one.others).join(', ')}`, async (t) => {
    const { properties = {} } = one;
    const before = await outcome(one, properties);
    for (const [name, value] of Object.entries(one.others)) {
      const next = { ...properties, [name]: value };
      const wanted = await outcome(one, next);
      t.strictNotSame(wanted, before, `${name} matters`);
      t.strictSame(await outcome(one, properties, next), wanted, `${name} is obeyed`);
      t.strictSame(await outcome(one, next, properties), before, `${name} is taken back`);
    }
  });

t.test('no property of a built-in operator is left out', async (t) => {
  for (const type of builtInOperators) {
    if (elsewhere.includes(type)) continue;
    const shown = cases.filter((one) => one.type === type).flatMap(({ others }) => Object.keys(others));
    const all = Object.keys(type.properties.shape);
    t.strictSame(
      all.filter((name) => !shown.includes(name)),
      [],
      type.className,
    );
  }
});
