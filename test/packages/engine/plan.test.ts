import t from 'tap';
import { type JsonApplication, withProperties } from '../../../lib/driver-kit.js';
import { GatewayError, InvalidInput } from '../../../lib/index.js';
import { partitionOf } from '../../../packages/engine/container/stream.js';
import { MovingRate, OperatorStatistics } from '../../../packages/engine/layout/statistics.js';
import { levelOf, withTargets } from '../../../packages/engine/model/log-levels.js';
import { windowId } from '../../../packages/engine/model/windows.js';
import { knownOperators } from '../../../packages/engine/operators/known-operators.js';
import { planOf, propertyKnowledge } from '../../../packages/engine/plan/logical.js';
import { physicalPlanOf } from '../../../packages/engine/plan/physical-planner.js';
import { createFailureCounter } from '../../../packages/engine/recovery/failures.js';
import { affectedBy, checkpointAt, commonWindow } from '../../../packages/engine/recovery/recovery.js';
import { criticalPath, latencyOf } from '../../../packages/engine/views/latency.js';
import { builtInOperators } from '../../../packages/operators/built-in.js';
import { builtInModules } from '../../../packages/operators/built-in-modules.js';
import { fixtures, op, stream } from '../../helpers/local-cluster.js';

// The engine's rules without processes: what is refused, what is planned, what is decided.

const registry = await knownOperators([fixtures.href])();

const withLaunchProperties = (application: JsonApplication, properties: Record<string, string>) =>
  withProperties(application, { name: 'test', properties }, propertyKnowledge(registry));

const valid = (): JsonApplication => ({
  operators: [op('source', 'Sequence', { total: 10 }), op('map', 'ToWord'), op('count', 'WordCount')],
  streams: [stream('source.out -> map.in'), stream('map.out -> count.in')],
});

t.test('what is wrong with an application is told with its place', async (t) => {
  const cases: [string, (application: JsonApplication) => void, string, RegExp][] = [
    [
      'class',
      (a) => Object.assign(a.operators[1] ?? {}, { class: 'test.Nothing' }),
      'operators.1.class',
      /no operator class "test.Nothing"/,
    ],
    [
      'name twice',
      (a) => a.operators.push(op('map', 'ToWord')),
      'operators.3.name',
      /another operator "map"/,
    ],
    [
      'input not connected',
      (a) => a.streams.pop(),
      'operators.2',
      /input port "in" of count is not connected/,
    ],
    [
      'unknown operator',
      (a) => a.streams.push(stream('nobody.out -> count.in')),
      'streams.2.source.operatorName',
      /no operator "nobody"/,
    ],
    [
      'unknown output',
      (a) => a.streams.push(stream('count.wrong -> map.in')),
      'streams.2.source.portName',
      /no output port "wrong"; it has counts/,
    ],
    [
      'unknown input',
      (a) => a.streams.push(stream('count.counts -> map.wrong')),
      'streams.2.sinks.0.portName',
      /no input port "wrong"; it has in/,
    ],
    [
      'an input twice',
      (a) => a.streams.push(stream('count.counts -> map.in')),
      'streams.2.sinks.0',
      /input port map.in already belongs to the stream "source-out"/,
    ],
    [
      'an output twice',
      (a) => {
        a.operators.push(op('more', 'Talker'));
        a.streams.push({ ...stream('source.out -> more.in'), name: 'again' });
      },
      'streams.2.source',
      /output port source.out already belongs/,
    ],
    [
      'stream name twice',
      (a) => {
        a.operators.push(op('more', 'Talker'));
        a.streams.push({ ...stream('count.counts -> more.in'), name: 'map-out' });
      },
      'streams.2.name',
      /another stream "map-out"/,
    ],
    [
      'property missing',
      (a) => Object.assign(a.operators[0] ?? {}, { properties: {} }),
      'operators.0.properties.total',
      /is missing/,
    ],
    [
      'property unknown',
      (a) => Object.assign(a.operators[0]?.properties ?? {}, { speed: 1 }),
      'operators.0.properties.speed',
      /no property "speed"; it has total, perCall/,
    ],
    [
      'property of a wrong type',
      (a) => Object.assign(a.operators[0]?.properties ?? {}, { total: 'many' }),
      'operators.0.properties.total',
      /expected number/,
    ],
    [
      'attribute of the application',
      (a) => Object.assign(a, { attributes: { WINDOW: 1 } }),
      'attributes.WINDOW',
      /no such attribute/,
    ],
    [
      'attribute of an operator',
      (a) => Object.assign(a.operators[0] ?? {}, { attributes: { PARTITIONERS: 1 } }),
      'operators.0.attributes.PARTITIONERS',
      /there are PARTITIONER, MEMORY_MB/,
    ],
    [
      'partitions',
      (a) => Object.assign(a.operators[0] ?? {}, { attributes: { PARTITIONER: 'many' } }),
      'operators.0.attributes.PARTITIONER',
      /ends with ":" and a count/,
    ],
    [
      'port',
      (a) => Object.assign(a.operators[0] ?? {}, { ports: [{ name: 'no' }] }),
      'operators.0.ports.0.name',
      /no port "no"/,
    ],
    [
      'attribute of a port',
      (a) =>
        Object.assign(a.operators[0] ?? {}, { ports: [{ name: 'out', attributes: { SPIN_SECONDS: 5 } }] }),
      'operators.0.ports.0.attributes.SPIN_SECONDS',
      /no such attribute/,
    ],
    [
      'nothing at all',
      (a) => Object.assign(a, { operators: [], streams: [] }),
      'operators',
      /at least one operator/,
    ],
  ];
  for (const [name, change, path, message] of cases) {
    const application = valid();
    change(application);
    const error = t.throws(() => planOf(application, registry), InvalidInput, name);
    const issues =
      error instanceof GatewayError ? (error.details as { path: string; message: string }[]) : [];
    t.match(issues.find((issue) => issue.path === path)?.message ?? JSON.stringify(issues), message, name);
  }
  t.doesNotThrow(() => planOf(valid(), registry));
});

t.test('operators in a circle are refused with the circle', async (t) => {
  const application: JsonApplication = {
    operators: [op('a', 'ToWord'), op('b', 'ToWord'), op('c', 'ToWord')],
    streams: [stream('a.out -> b.in'), stream('b.out -> c.in'), stream('c.out -> a.in')],
  };
  t.throws(() => planOf(application, registry), { message: /a -> b -> c -> a/ });
});

t.test('launch properties change the application; text is read as what the property wants', async (t) => {
  const changed = withLaunchProperties(valid(), {
    'dt.operator.source.prop.total': '25',
    'apex.operator.source.attr.PARTITIONER': 'x.y:3',
    'platform.operator.*.attr.MEMORY_MB': '64',
    'platform.operator.map.port.in.attr.PARTITION_PARALLEL': 'true',
    'platform.attr.STREAMING_WINDOW_SIZE_MILLIS': '250',
    'dt.stream.map-out.locality': 'CONTAINER_LOCAL',
  });
  const plan = planOf(changed, registry);
  t.match(plan.operators, [
    { properties: { total: 25 }, attributes: { PARTITIONER: 3, MEMORY_MB: 64 } },
    { attributes: { MEMORY_MB: 64 } },
    {},
  ]);
  t.strictSame(plan.operators[1]?.ports.get('in'), { PARTITION_PARALLEL: true });
  t.match(plan.attributes, { STREAMING_WINDOW_SIZE_MILLIS: 250 });
  t.equal(plan.streams[1]?.locality, 'CONTAINER_LOCAL');
  t.strictSame(valid(), valid(), 'the original is not changed');
  for (const key of [
    'operator.source.prop.total',
    'dt.operator.nobody.prop.total',
    'dt.operator.source.props.total',
    'dt.stream.nothing.locality',
    'dt.module.x',
    'dt.operator.source.prop',
  ])
    t.throws(
      () => withLaunchProperties(valid(), { [key]: '1' }),
      { status: 400, message: new RegExp(key) },
      key,
    );
  t.throws(
    () => withLaunchProperties(valid(), { 'dt.operator.source.prop.__proto__.polluted': 'yes' }),
    /no property/,
  );
  t.notOk('polluted' in {}, 'prototypes are out of reach');
});

t.test('localities, partitions and unifiers decide about containers', async (t) => {
  const slots = (change: (application: JsonApplication) => void) => {
    const application = valid();
    change(application);
    const plan = physicalPlanOf(planOf(application, registry), registry);
    return plan.operators.map(({ name, slot }) => `${name}@${slot}`);
  };
  const locality = (index: number, value: string) => (a: JsonApplication) =>
    Object.assign(a.streams[index] ?? {}, { locality: value });
  t.strictSame(
    slots(() => {}),
    ['source@0', 'map@1', 'count@2'],
  );
  t.strictSame(slots(locality(0, 'THREAD_LOCAL')), ['source@0', 'map@0', 'count@1']);
  t.strictSame(slots(locality(1, 'CONTAINER_LOCAL')), ['source@0', 'map@1', 'count@1']);
  t.strictSame(slots(locality(0, 'NODE_LOCAL')), ['source@0', 'map@1', 'count@2'], 'this machine anyway');
  t.strictSame(
    slots((a) => Object.assign(a.operators[1] ?? {}, { attributes: { PARTITIONER: 2 } })),
    ['source@0', 'map@1', 'map@2', 'count@3', 'map.out#unifier@3'],
    'a unifier sits with its reader',
  );
});

t.test('window ids hold seconds and a counter, and grow for ever', async (t) => {
  const clock = { epochMillis: 1_700_000_000_999, widthMillis: 500 };
  t.equal(windowId(clock, 0), String(1_700_000_000n << 32n));
  t.equal(windowId(clock, 7), String((1_700_000_000n << 32n) | 7n));
  t.equal(windowId(clock, -1), '0');
  const around = [16_380, 16_381, 16_382, 16_383, 16_384, 40_000].map((window) =>
    BigInt(windowId(clock, window)),
  );
  t.ok(around.every((id, index) => index === 0 || id > (around[index - 1] ?? 0n)));
  t.equal(BigInt(windowId(clock, 16_383)) & 0xffffffffn, 0n, 'the counter starts anew');
});

t.test('recovery: the newest window that all can go on from', async (t) => {
  const state = (windows: number[], finalWindow?: number) => ({
    checkpoints: new Map(windows.map((window) => [window, `f${window}`])),
    finalWindow,
  });
  t.equal(commonWindow([state([-1])]), -1);
  t.equal(commonWindow([state([-1, 9, 19]), state([-1, 9, 19, 29])]), 19);
  t.equal(commonWindow([state([-1, 9, 19]), state([-1, 29])]), -1);
  t.equal(commonWindow([state([9, 19, 29]), state([9, 14], 14)]), 29, 'what has ended holds nobody back');
  t.equal(checkpointAt(state([9, 14], 14), 29), 14);
  const arrows = [
    [0, 1],
    [1, 2],
    [3, 2],
    [2, 4],
  ] as const;
  t.strictSame([...affectedBy([1], arrows)].sort(), [1, 2, 4]);
  t.strictSame([...affectedBy([4], arrows)], [4]);
});

t.test('failures: growing delays, then the first of the series is the cause', async (t) => {
  const counter = createFailureCounter({ max: 3, periodMillis: 1000 });
  const failure = (message: string) => ({ code: 'X', message });
  t.strictSame(counter.add(failure('a'), 0), { kind: 'retry', delayMillis: 100 });
  t.strictSame(counter.add(failure('b'), 100), { kind: 'retry', delayMillis: 200 });
  t.strictSame(
    counter.add(failure('c'), 1050),
    { kind: 'retry', delayMillis: 200 },
    'the first is forgotten',
  );
  t.strictSame(counter.add(failure('d'), 1060), { kind: 'retry', delayMillis: 400 });
  t.strictSame(counter.add(failure('e'), 1070), { kind: 'give-up', cause: failure('b'), count: 4 });

  const later = createFailureCounter({ max: 2, periodMillis: 600_000 });
  later.add(failure('long over'), 0);
  later.add(failure('first'), 100_000);
  t.match(later.add(failure('last'), 110_000), { kind: 'give-up', cause: failure('first') });
});

t.test('statistics: rates, latencies and the critical path', async (t) => {
  const rate = new MovingRate(10_000);
  t.equal(rate.get(), 0);
  for (let second = 0; second <= 30; second++)
    rate.add(second * 1000, second < 20 ? second * 100 : 2000 + (second - 20) * 10);
  t.equal(rate.get(), 10, 'only the last 10 seconds count');
  const young = new MovingRate(10_000);
  young.add(5000, 0);
  t.equal(young.get(), 0);
  young.add(5800, 20_000);
  t.equal(young.get(), 25_000, 'since the start, by the time that really was');
  const often = new MovingRate(600_000);
  for (let at = 0; at <= 5000; at++) often.add(at, at < 3000 ? 0 : (at - 3000) * 2);
  t.equal(often.get(), 2000, 'the newest 1,000 samples');

  const heard = new OperatorStatistics(10_000);
  const report = (tuples: number, cpuMillis: number) => ({
    id: '1',
    window: 1,
    cpuMillis,
    ports: [{ name: 'out', type: 'output' as const, tuples, bytes: tuples * 8, queued: 0 }],
    unsent: {},
    ends: [],
    counters: {},
  });
  heard.apply(report(0, 0), 1000, 7);
  heard.apply(report(3000, 500), 2500, 8);
  heard.deployed(5);
  heard.apply(report(1000, 250), 4000, 9);
  t.match(
    { out: heard.rate('output'), bytes: heard.byteRate('output'), cpu: heard.cpuPercentage },
    { out: 1333.33, bytes: 10_666.67, cpu: 25 },
    'over all its deployments, by the time at which the container counted',
  );
  t.match({ total: heard.total('output'), at: heard.lastHeartbeat }, { total: 4000, at: 9 });
  const clock = { epochMillis: 0, monotonicMillis: 1000, widthMillis: 500 };
  const ends = (...times: number[]) => new Map(times.map((at, window) => [window, at]));
  t.equal(latencyOf(ends(1504, 2006), [], clock), 5, 'inputs: against the clock');
  t.equal(latencyOf(ends(1514, 2016), [ends(1504, 2006), ends(1510)], clock), 4, 'windows that all know');
  t.equal(latencyOf(new Map(), [], clock), 0);
  const upstream = new Map([
    ['3', ['1', '2']],
    ['4', ['3']],
  ]);
  const latency = new Map([
    ['1', 5],
    ['2', 9],
    ['3', 1],
    ['4', 2],
  ]);
  t.strictSame(criticalPath(['1', '2', '3', '4'], upstream, latency), { path: ['2', '3', '4'], millis: 12 });
});

t.test('loggers: the longest target wins, a wide one removes narrower ones', async (t) => {
  const targets = withTargets(
    [],
    [
      { target: 'a.*', logLevel: 'WARN' },
      { target: 'a.b.C', logLevel: 'DEBUG' },
    ],
  );
  t.equal(levelOf(targets, 'a.b.C'), 'DEBUG');
  t.equal(levelOf(targets, 'a.b.D'), 'WARN');
  t.equal(levelOf(targets, 'x.Y'), '');
  t.equal(levelOf(withTargets(targets, [{ target: 'a.b.*', logLevel: 'ERROR' }]), 'a.b.C'), 'ERROR');
});

t.test('keys are spread evenly over partitions, always in the same way', async (t) => {
  const counts = [0, 0, 0, 0];
  for (let i = 0; i < 10_000; i++) {
    const partition = partitionOf(`key-${i}`, 4);
    counts[partition] = (counts[partition] ?? 0) + 1;
  }
  t.ok(
    counts.every((count) => count > 2200 && count < 2800),
    counts.join(' '),
  );
  t.equal(partitionOf('gate', 7), partitionOf('gate', 7));
});

t.test('containers find each built-in operator by its name', async (t) => {
  t.strictSame([...builtInModules.keys()], [...builtInOperators.map(({ className }) => className)]);
  for (const type of builtInOperators) t.equal(await builtInModules.get(type.className)?.(), type);
});

t.test('modules that bring no operators, or a name twice, are refused with their address', async (t) => {
  await t.rejects(knownOperators(['file:///nowhere/at-all.js'])(), /nowhere\/at-all\.js can't be imported/);
  await t.rejects(
    knownOperators([import.meta.url.replace('plan.test', 'plan.nothing')])(),
    /can't be imported/,
  );
  await t.rejects(
    knownOperators([fixtures.href, `${fixtures.href}?again`])(),
    /second operator class test\./,
  );
});
