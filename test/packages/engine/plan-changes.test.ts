import t from 'tap';
import type { ChangeRequest, JsonApplication } from '../../../lib/driver-kit.js';
import { InvalidInput } from '../../../lib/index.js';
import { knownOperators } from '../../../packages/engine/operators/known-operators.js';
import { withoutPackage } from '../../../packages/engine/package-code/operator-set.js';
import { withChanges } from '../../../packages/engine/plan/changes.js';
import { planOf } from '../../../packages/engine/plan/logical.js';
import { createPlanner } from '../../../packages/engine/plan/planner.js';
import { fixtures, op, stream } from '../../helpers/local-cluster.js';
import { connect, create, cut, give, remove, sink } from '../../helpers/plan-changes.js';

// Changes of a plan as data: what the requests make of it, what is refused, and which request is to blame.

const registry = await knownOperators([fixtures.href])();
const nowhere = (path: string): never => {
  throw new Error(`${path} is out of reach`);
};
const planner = createPlanner(withoutPackage(registry), {
  toRead: nowhere,
  toWrite: nowhere,
  mayConnect: () => false,
  checkUrl: nowhere,
});

/** source -> map -> count, source -> totals */
const running = (): JsonApplication => ({
  operators: [
    op('source', 'Sequence', { total: 10 }),
    { ...op('map', 'ToWord'), x: 1, y: 2 },
    op('count', 'WordCount'),
    op('totals', 'Totals'),
  ],
  streams: [
    { ...stream('source.out -> map.in, totals.in'), name: 'numbers' },
    { source: { operatorName: 'map', portName: 'out' }, sinks: [{ operatorName: 'count', portName: 'in' }] },
  ],
});

const current = (application = running(), own = {}) => ({
  application,
  physical: planner.plan(application, {}).physical,
  own,
});

const shapeOf = ({ operators, streams }: JsonApplication) => [
  operators.map(({ name }) => name).join(' '),
  ...streams.map(
    ({ name, source, sinks }) =>
      `${name}: ${source.operatorName}.${source.portName} -> ${sinks.map((to) => `${to.operatorName}.${to.portName}`).join(', ')}`,
  ),
];

const all = [
  'source map count totals',
  'numbers: source.out -> map.in, totals.in',
  'stream-1: map.out -> count.in',
];

t.test('what the requests make of an application', async (t) => {
  const cases: [string, ChangeRequest[], string[]][] = [
    ['an operator', [create('more', 'Talker')], ['source map count totals more', ...all.slice(1)]],
    [
      'an operator with a stream of its own',
      [create('more', 'Talker'), connect('new', 'count.counts -> more.in')],
      ['source map count totals more', ...all.slice(1), 'new: count.counts -> more.in'],
    ],
    [
      'a sink',
      [sink('stream-1', 'totals.other')],
      [...all.slice(0, 2), 'stream-1: map.out -> count.in, totals.other'],
    ],
    ['without a stream', [cut('numbers')], ['source map count totals', 'stream-1: map.out -> count.in']],
    [
      'without an operator that others share a stream with',
      [remove('totals')],
      ['source map count', 'numbers: source.out -> map.in', 'stream-1: map.out -> count.in'],
    ],
    [
      'without an operator and its streams: the last reader takes the stream along',
      [remove('count'), remove('map')],
      ['source totals', 'numbers: source.out -> totals.in'],
    ],
    [
      'in the order given: a port that is free again',
      [remove('map'), sink('numbers', 'count.in')],
      ['source count totals', 'numbers: source.out -> totals.in, count.in'],
    ],
    ['a stream that is made anew', [cut('stream-1'), connect('stream-1', 'map.out -> count.in')], all],
  ];
  for (const [name, requests, shape] of cases) {
    const before = running();
    const { application } = withChanges(before, requests, registry);
    t.strictSame(shapeOf(application), shape, name);
    t.strictSame(before, running(), 'the one given is as it was');
    t.match(application.operators.find((one) => one.name === 'map') ?? { x: 1 }, { x: 1 }, 'free keys stay');
  }
});

t.test('properties are read from text', async (t) => {
  const requests = [
    create('more', 'Sequence'),
    give('more', 'total', '5'),
    give('more', 'statusFile', '5'),
    give('count', 'file', '[1]'),
  ];
  const { application, given } = withChanges(running(), requests, registry);
  const of = (name: string) => application.operators.find((one) => one.name === name)?.properties;
  t.strictSame(of('more'), { total: 5, statusFile: '5' });
  t.strictSame(of('count'), { file: '[1]' });
  t.strictSame(
    [...given].map(([name, properties]) => [name, ...properties]),
    [
      ['more', 'total', 'statusFile'],
      ['count', 'file'],
    ],
  );
});

t.test('what can not be carried out is refused at its place', async (t) => {
  const cases: [ChangeRequest[], string, RegExp][] = [
    [[create('map', 'Talker')], 'requests.0.operatorName', /already an operator "map"/],
    [[create('a', 'Talker'), create('a', 'Talker')], 'requests.1.operatorName', /already an operator "a"/],
    [[create('more', 'Nothing')], 'requests.0.operatorFQCN', /no operator class "test.Nothing"/],
    [[remove('nobody')], 'requests.0.operatorName', /no operator "nobody"/],
    [[remove('map'), remove('map')], 'requests.1.operatorName', /no operator "map"/],
    [[cut('nothing')], 'requests.0.streamName', /no stream "nothing"/],
    [[cut('stream-0')], 'requests.0.streamName', /no stream "stream-0"/],
    [[sink('nothing', 'totals.other')], 'requests.0.streamName', /no stream "nothing"/],
    [[sink('numbers', 'nobody.in')], 'requests.0.sinkOperatorName', /no operator "nobody"/],
    [
      [sink('numbers', 'totals.wrong')],
      'requests.0.sinkOperatorPortName',
      /no input port "wrong"; it has in, other/,
    ],
    [[sink('numbers', 'count.counts')], 'requests.0.sinkOperatorPortName', /no input port "counts"/],
    [
      [sink('numbers', 'count.in')],
      'requests.0.sinkOperatorPortName',
      /count.in already belongs to the stream "stream-1"; remove/,
    ],
    [
      [connect('numbers', 'count.counts -> totals.other')],
      'requests.0.streamName',
      /already a stream "numbers"/,
    ],
    [
      [connect('new', 'source.out -> totals.other')],
      'requests.0.sourceOperatorPortName',
      /source.out already belongs to the stream "numbers"; add a sink/,
    ],
    [
      [connect('new', 'source.wrong -> totals.other')],
      'requests.0.sourceOperatorPortName',
      /no output port "wrong"; it has out/,
    ],
    [[connect('new', 'nobody.out -> totals.other')], 'requests.0.sourceOperatorName', /no operator "nobody"/],
    [
      [connect('new', 'count.counts -> __proto__.in')],
      'requests.0.sinkOperatorName',
      /no operator "__proto__"/,
    ],
    [[give('nobody', 'x', '1')], 'requests.0.operatorName', /no operator "nobody"/],
    [[give('count', 'speed', '1')], 'requests.0.propertyName', /no property "speed"; it has file/],
    [[give('count', '__proto__', '1')], 'requests.0.propertyName', /no property "__proto__"/],
    [[give('source', 'total', 'many')], 'requests.0.propertyValue', /expected number/],
    [
      [create('more', 'Talker'), give('more', 'topic', 'x'), cut('no')],
      'requests.2.streamName',
      /no stream "no"/,
    ],
  ];
  for (const [requests, path, message] of cases) {
    const error = t.throws(() => withChanges(running(), requests, registry), InvalidInput);
    t.match(error, { issues: [{ path, message }], message: `${path}: ` }, path);
  }
});

t.test('what does not fit as a whole is told at the request that is to blame', async (t) => {
  const filler = create('filler', 'Sequence');
  const cases: [ChangeRequest[], string, RegExp][] = [
    [[create('more', 'Talker')], 'requests.0', /input port "in" of more is not connected/],
    [
      [give('source', 'perCall', '1'), cut('stream-1')],
      'requests.1',
      /input port "in" of count is not connected/,
    ],
    [
      [create('a', 'Talker'), sink('numbers', 'a.in'), remove('map')],
      'requests.2',
      /of count is not connected/,
    ],
    [[filler], 'requests.0', /is missing/],
    [
      [
        create('a', 'Trouble'),
        create('b', 'Trouble'),
        connect('ab', 'a.out -> b.in'),
        connect('ba', 'b.out -> a.in'),
        give('source', 'perCall', '1'),
      ],
      'requests.3',
      /in a circle: a -> b -> a/,
    ],
    [
      [remove('source'), remove('map'), remove('count'), remove('totals')],
      'requests.3',
      /at least one operator/,
    ],
    [
      [
        create('out', 'headgate.io.FileOutput'),
        sink('numbers', 'out.input'),
        give('out', 'directory', '/etc'),
      ],
      'requests.2',
      /\/etc is out of reach/,
    ],
    [[create('x'.repeat(200), 'Talker')], 'requests.0', /128 characters/],
  ];
  for (const [requests, path, message] of cases) {
    const error = t.throws(() => planner.change(current(), requests), InvalidInput, path);
    t.match(error, { issues: [{ path, message }] }, path);
  }
});

t.test('too much is refused', async (t) => {
  const many = Array.from({ length: 999 }, (_, index) => create(`more${index}`, 'Talker'));
  const error = t.throws(() => planner.change(current(), many), InvalidInput);
  t.match(error, { issues: [{ path: 'requests.998', message: /1000/ }] });
});

t.test('what stays keeps its numbers; numbers are never given twice', async (t) => {
  const numbersOf = ({ operators }: { operators: readonly { id: string; name: string; slot: number }[] }) =>
    operators.map(({ id, name, slot }) => `${name} ${id}@${slot}`);
  const first = current();
  t.strictSame(numbersOf(first.physical), ['source 1@0', 'map 2@1', 'count 3@2', 'totals 4@3']);
  const second = planner.change(first, [
    remove('totals'),
    create('late', 'Totals'),
    sink('numbers', 'late.in'),
  ]);
  t.strictSame(numbersOf(second.physical), ['source 1@0', 'map 2@1', 'count 3@2', 'late 5@4']);
  const third = planner.change(second, [remove('late')]);
  const fourth = planner.change(third, [create('late', 'Totals'), sink('numbers', 'late.in')]);
  t.strictSame(
    numbersOf(fourth.physical),
    ['source 1@0', 'map 2@1', 'count 3@2', 'late 6@5'],
    'another one of that name',
  );
  const fifth = planner.change(fourth, [
    remove('late'),
    create('late', 'Totals'),
    sink('numbers', 'late.in'),
  ]);
  t.equal(numbersOf(fifth.physical).at(-1), 'late 7@6', 'also when it is made anew in one batch');
});

t.test('partitions: their number stays, their unifiers are known by their reader', async (t) => {
  const application = (): JsonApplication => ({
    operators: [
      op('source', 'Sequence', { total: 10 }, { PARTITIONER: 2 }),
      op('one', 'Sequence', { total: 10 }),
      op('totals', 'Totals'),
      op('more', 'Totals'),
      { ...op('follows', 'Trouble'), ports: [{ name: 'in', attributes: { PARTITION_PARALLEL: true } }] },
    ],
    streams: [
      { ...stream('source.out -> totals.in, more.in, follows.in'), name: 'two' },
      { ...stream('one.out -> totals.other'), name: 'single' },
    ],
  });
  const before = current(application(), { 'source/1': { perCall: 7 }, 'totals/0': { file: 'x' } });
  const { physical, own } = planner.change(before, [
    remove('totals'),
    connect('again', 'follows.out -> more.other'),
  ]);
  const unifiers = physical.operators.filter(({ isUnifier }) => isUnifier);
  t.match(unifiers, [{ key: 'source.out#unifier>more.in/0' }, { key: 'follows.out#unifier>more.other/0' }]);
  t.equal(unifiers[0]?.id, before.physical.operators.find(({ key }) => key === unifiers[0]?.key)?.id);
  t.strictSame(own, { 'source/1': { perCall: 7 } }, "a partition's own properties go with it");
  t.equal(physical.operators.find(({ key }) => key === 'source/1')?.properties['perCall'], 7);
  const given = planner.change(before, [give('source', 'perCall', '3')]);
  t.strictSame(
    given.own,
    { 'totals/0': { file: 'x' } },
    'what is given to the operator is given to all its partitions',
  );

  const error = t.throws(
    () =>
      planner.change(before, [
        remove('totals'),
        cut('two'),
        connect('other', 'source.out -> more.in'),
        connect('follow', 'one.out -> follows.in'),
      ]),
    InvalidInput,
  );
  t.match(error, { issues: [{ path: 'requests', message: /follows has 2 partitions and would have 1/ }] });
});

t.test('any requests: all or a refusal, and never a plan that a launch would refuse', async (t) => {
  let seed = 7;
  const below = (count: number) => {
    seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
    return (seed >>> 8) % count;
  };
  const pick = <T>(values: readonly [T, ...T[]]): T => values[below(values.length)] ?? values[0];
  const operator = () => pick(['source', 'map', 'count', 'totals', 'a', 'b']);
  const port = () => pick(['in', 'in', 'out', 'other', 'counts']);
  const name = () => pick(['numbers', 'stream-1', 's', 't']);
  const type = () => pick(['Totals', 'Trouble', 'ToWord', 'Talker']);
  const requests = (): ChangeRequest[] => {
    const one = operator();
    return pick<() => ChangeRequest[]>([
      () => [create(one, type()), sink(name(), `${one}.in`)],
      () => [create(one, type()), connect(name(), `${operator()}.out -> ${one}.in`)],
      () => [remove(one)],
      () => [remove(one), create(one, type()), sink(name(), `${one}.in`)],
      () => [connect(name(), `${operator()}.${port()} -> ${one}.${port()}`)],
      () => [sink(name(), `${one}.${port()}`)],
      () => [cut(name())],
      () => [give(one, pick(['file', 'at', 'topic']), pick(['1', 'x']))],
    ])();
  };
  let now: Parameters<typeof planner.change>[0] = current();
  let changed = 0;
  let refused = 0;
  let ids = new Map<string, string>();
  for (let round = 0; round < 4000; round++) {
    if (round % 50 === 0) {
      now = current();
      ids = new Map(now.physical.operators.map(({ id, key }) => [id, key]));
    }
    const batch = Array.from({ length: 1 + below(2) }, requests).flat();
    const before = JSON.stringify(now.application);
    try {
      const next = planner.change(now, batch);
      planOf(next.application, registry);
      for (const { id, key } of next.physical.operators) {
        if (ids.has(id) && ids.get(id) !== key)
          t.fail(`the id ${id} was given to ${ids.get(id)} and to ${key}`);
        ids.set(id, key);
      }
      if (new Set(next.physical.operators.map(({ id }) => id)).size !== next.physical.operators.length)
        t.fail('an id twice');
      now = next;
      changed++;
    } catch (error) {
      if (!(error instanceof InvalidInput)) throw error;
      for (const { path } of error.issues) {
        const index = /^requests\.(\d+)/.exec(path)?.[1];
        if (index === undefined || Number(index) >= batch.length) t.fail(`${path}: ${JSON.stringify(batch)}`);
      }
      if (JSON.stringify(now.application) !== before) t.fail('a refusal changed something');
      refused++;
    }
  }
  t.ok(changed > 100 && refused > 100, `${changed} changed, ${refused} refused`);
});
