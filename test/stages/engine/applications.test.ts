import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { queryObjects } from 'node:v8';
import t from 'tap';
import { BadRequest, Conflict, NotFound } from '../../../lib/index.js';
import { monotonicMillis } from '../../../packages/engine/model/windows.js';
import { wordAt } from '../../fixtures/local-operators.js';
import { testFolder } from '../../helpers/folder.js';
import { linesOf, op, openCluster, silentContext, stream } from '../../helpers/local-cluster.js';
import { eventually } from '../../helpers/waiting.js';

// The local engine's dataflow, on real child processes.

const quick = {
  STREAMING_WINDOW_SIZE_MILLIS: 100,
  CHECKPOINT_WINDOW_COUNT: 5,
  HEARTBEAT_INTERVAL_MILLIS: 200,
};

function expectedCounts(total: number): Record<string, number> {
  const counts: Record<string, number> = {};
  for (let i = 0; i < total; i++) counts[wordAt(i)] = (counts[wordAt(i)] ?? 0) + 1;
  return counts;
}

function summed(file: string): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const line of linesOf(file))
    for (const [word, count] of Object.entries(line['counts'] as Record<string, number>))
      counts[word] = (counts[word] ?? 0) + count;
  return counts;
}

t.test('words are counted across three containers as an independent count says', async (t) => {
  const cluster = await openCluster(t);
  const file = join(testFolder(t), 'counts');
  const id = await cluster.launch({
    attributes: quick,
    operators: [
      op('source', 'Sequence', { total: 100_000 }),
      op('map', 'ToWord'),
      op('count', 'WordCount', { file }),
    ],
    streams: [stream('source.out -> map.in'), stream('map.out -> count.in')],
  });
  t.match(id, /^application_\d{13}_\d{4}$/);
  const report = await cluster.reached(id, 'FINISHED');
  t.match(report, { finalStatus: 'SUCCEEDED', runningContainers: -1, user: 'ann', name: 'test' });
  t.ok(report.finishedTime >= report.startedTime);
  t.strictSame(summed(file), expectedCounts(100_000));

  const master = await cluster.driver.master(id);
  const operators = (await master.physicalPlan()).operators;
  t.match(operators, [
    { id: '1', name: 'source', totalTuplesEmitted: 100_000, totalTuplesProcessed: 0, status: 'INACTIVE' },
    { id: '2', totalTuplesProcessed: 100_000, totalTuplesEmitted: 100_000 },
    { id: '3', totalTuplesProcessed: 100_000 },
  ]);
  const containers = await master.containers();
  t.equal(containers.length, 4, 'one for each operator, and the master');
  t.match(containers[0], {
    id: id.replace('application', 'container').concat('_01_000001'),
    containerType: 'APP_MASTER',
  });
  t.equal(new Set(containers.map(({ jvmName }) => jvmName)).size, 4, 'four processes');
  await t.rejects(master.shutdown(), Conflict);
});

t.test('localities join operators in one container; streams there are calls', async (t) => {
  const cluster = await openCluster(t);
  const file = join(testFolder(t), 'counts');
  const id = await cluster.launch({
    attributes: quick,
    operators: [
      op('source', 'Sequence', { total: 50_000 }),
      op('map', 'ToWord'),
      op('count', 'WordCount', { file }),
    ],
    streams: [
      stream('source.out -> map.in', 'THREAD_LOCAL'),
      stream('map.out -> count.in', 'CONTAINER_LOCAL'),
    ],
  });
  await cluster.reached(id, 'FINISHED');
  t.strictSame(summed(file), expectedCounts(50_000));
  const containers = await (await cluster.driver.master(id)).containers();
  t.equal(containers.length, 2);
});

t.test('partitions split the work by key, unifiers join it', async (t) => {
  const cluster = await openCluster(t);
  const directory = testFolder(t);
  const file = join(directory, 'counts');
  const totals = join(directory, 'totals');
  const id = await cluster
    .launch({
      attributes: quick,
      operators: [
        op('source', 'Sequence', { total: 30_000 }, { PARTITIONER: 2 }),
        op('map', 'ToWord', {}, { PARTITIONER: 'com.example.StatelessPartitioner:3' }),
        op('count', 'WordCount', { file }, { PARTITIONER: 2 }),
        op('totals', 'Totals', { file: totals }),
      ],
      streams: [
        stream('source.out -> map.in'),
        stream('map.out -> count.in', 'CONTAINER_LOCAL'),
        stream('count.counts -> totals.other, totals.in'),
      ].slice(0, 2),
    })
    .catch((error) => error);
  t.match(id, { status: 400 }, 'an operator whose input is not connected is refused');
  const running = await cluster.launch({
    attributes: quick,
    operators: [
      op('source', 'Sequence', { total: 30_000 }, { PARTITIONER: 2 }),
      op('map', 'ToWord', {}, { PARTITIONER: 'com.example.StatelessPartitioner:3' }),
      op('count', 'WordCount', { file }, { PARTITIONER: 2 }),
    ],
    streams: [stream('source.out -> map.in'), stream('map.out -> count.in', 'CONTAINER_LOCAL')],
  });
  await cluster.reached(running, 'FINISHED');
  t.strictSame(summed(file), expectedCounts(30_000));
  const partitionsOf = new Map<string, Set<unknown>>();
  for (const line of linesOf(file))
    for (const word of Object.keys(line['counts'] as object))
      partitionsOf.set(word, (partitionsOf.get(word) ?? new Set()).add(line['partition']));
  t.ok(
    [...partitionsOf.values()].every((partitions) => partitions.size === 1),
    'a word is always in one partition',
  );
  t.equal(new Set(linesOf(file).map((line) => line['partition'])).size, 2, 'both partitions work');

  const master = await cluster.driver.master(running);
  const { operators, streams } = await master.physicalPlan();
  t.equal(operators.filter(({ isUnifier }) => isUnifier).length, 3 + 2, 'one before each reading partition');
  t.match(
    operators.find(({ isUnifier }) => isUnifier),
    {
      name: 'source.out#unifier',
      unifierClass: 'headgate.engine.PassThrough',
      ports: [{ name: 'input(1.out)' }, { name: 'input(2.out)' }, { name: 'output' }],
    },
  );
  t.ok(streams.some(({ sinks }) => sinks.length === 3));
  const logical = await master.logicalOperators();
  t.match(logical[1], { name: 'map', partitions: ['3', '4', '5'], totalTuplesProcessed: 30_000 });
  // Each partition of the source counts up to its end, by two: the numbers that would come next.
  t.strictSame(logical[0]?.counters, { emitted: { avg: 30_000.5, max: 30_001, min: 30_000, sum: 60_001 } });
  t.equal('counters' in (logical[1] ?? {}), false, 'one that counts nothing of its own');
});

t.test('parallel partitions are joined one to one', async (t) => {
  const cluster = await openCluster(t);
  const file = join(testFolder(t), 'counts');
  const id = await cluster.launch({
    attributes: quick,
    operators: [
      op('source', 'Sequence', { total: 20_000 }, { PARTITIONER: 2 }),
      { ...op('map', 'ToWord'), ports: [{ name: 'in', attributes: { PARTITION_PARALLEL: true } }] },
      op('count', 'WordCount', { file }),
    ],
    streams: [stream('source.out -> map.in', 'CONTAINER_LOCAL'), stream('map.out -> count.in')],
  });
  await cluster.reached(id, 'FINISHED');
  t.strictSame(summed(file), expectedCounts(20_000));
  const { operators } = await (await cluster.driver.master(id)).physicalPlan();
  t.equal(operators.filter(({ name }) => name === 'map').length, 2);
  t.equal(
    (await (await cluster.driver.master(id)).containers()).length,
    1 + 3,
    'each pair shares a container',
  );
});

t.test('an operator with two inputs ends a window when both have ended it', async (t) => {
  const cluster = await openCluster(t);
  const launched = Math.floor(Date.now() / 1000);
  const file = join(testFolder(t), 'totals');
  const id = await cluster.launch({
    attributes: quick,
    operators: [
      op('one', 'Sequence', { total: 40_000 }),
      op('two', 'Sequence', { total: 400, perSecond: 500 }),
      op('totals', 'Totals', { file }),
    ],
    streams: [stream('one.out -> totals.in', 'THREAD_LOCAL'), stream('two.out -> totals.other')],
  });
  await cluster.reached(id, 'FINISHED');
  const lines = linesOf(file);
  t.match(lines.at(-1), { count: 40_000, sum: (40_000 * 39_999) / 2, others: 400 });
  const windows = lines.map(({ window }) => BigInt(String(window)));
  t.ok(
    windows.every((window, index) => index === 0 || window > (windows[index - 1] ?? 0n)),
    'each window once, in order',
  );
  const seconds = Number((windows[0] ?? 0n) >> 32n);
  t.ok(launched <= seconds && seconds <= Date.now() / 1000, 'ids begin with epoch seconds');
});

t.test('shutdown drains: everything that was emitted arrives', async (t) => {
  const cluster = await openCluster(t);
  const directory = testFolder(t);
  const file = join(directory, 'totals');
  const id = await cluster.launch({
    attributes: quick,
    operators: [op('source', 'Sequence', { total: -1, perSecond: 50_000 }), op('totals', 'Totals', { file })],
    streams: [stream('source.out -> totals.in')],
  });
  await eventually(() => (existsSync(file) && linesOf(file).length > 3 ? true : undefined));
  const master = await cluster.driver.master(id);
  t.match(await master.info(), { stats: { allocatedContainers: 2, plannedContainers: 2, numOperators: 2 } });
  await master.shutdown();
  t.match(await cluster.reached(id, 'FINISHED'), { finalStatus: 'SUCCEEDED' });
  const operators = (await (await cluster.driver.master(id)).physicalPlan()).operators;
  const emitted = operators[0]?.totalTuplesEmitted ?? 0;
  t.ok(emitted > 0);
  t.match(linesOf(file).at(-1), { count: emitted, sum: (emitted * (emitted - 1)) / 2 });
  const afterwards = await (await cluster.driver.master(id)).info();
  t.match(afterwards.stats, { allocatedContainers: 0, totalTuplesEmitted: emitted }, 'totals stay');
});

t.test('a slow reader slows the source down; what waits is bounded', async (t) => {
  const cluster = await openCluster(t, { limits: { queueBytes: 64 * 1024 } });
  const file = join(testFolder(t), 'totals');
  const id = await cluster.launch({
    attributes: quick,
    operators: [
      op('source', 'Sequence', { total: -1, width: 1000 }),
      op('totals', 'Totals', { file, slowMillis: 1 }),
    ],
    streams: [stream('source.out -> totals.in')],
  });
  const master = await cluster.driver.master(id);
  const seen = await eventually(async () => {
    const [source, totals] = (await master.physicalPlan()).operators;
    return source && totals && (totals.totalTuplesProcessed ?? 0) > 1000 ? { source, totals } : undefined;
  });
  // Queue, both socket buffers, the reader's queue and two turns: about 2 MB. Unbounded it would be hundreds.
  t.ok(
    (seen.source.totalTuplesEmitted ?? 0) - (seen.totals.totalTuplesProcessed ?? 0) < 5000,
    'a few thousand tuples on their way',
  );
  const later = await eventually(async () => {
    const [source, totals] = (await master.physicalPlan()).operators;
    return source && totals && (totals.totalTuplesProcessed ?? 0) > 3000 ? { source, totals } : undefined;
  });
  t.ok((later.source.totalTuplesEmitted ?? 0) - (later.totals.totalTuplesProcessed ?? 0) < 5000);
  const source = (await master.containers()).find(({ operators }) =>
    Object.values(operators).includes('source'),
  );
  t.ok((source?.memoryMBFree ?? 0) > 32, 'the source keeps no heap full of tuples');
  await cluster.driver.resourceManager.kill(id);
  t.match(await cluster.reached(id, 'KILLED'), { finalStatus: 'KILLED' });
});

t.test('everything shown of a running application is measured', async (t) => {
  const cluster = await openCluster(t);
  const journal = join(testFolder(t), 'journal');
  const launchedAt = monotonicMillis();
  const id = await cluster.launch({
    // The average goes back to the start, however long this test takes.
    attributes: { ...quick, THROUGHPUT_CALCULATION_INTERVAL: 600_000 },
    operators: [
      op('source', 'Sequence', { total: -1, perSecond: 20_000, journal }),
      op('map', 'ToWord'),
      op('count', 'WordCount'),
    ],
    streams: [stream('source.out -> map.in', 'THREAD_LOCAL'), stream('map.out -> count.in')],
  });
  await cluster.reached(id, 'RUNNING');
  const master = await cluster.driver.master(id);
  const operators = await eventually(async () => {
    const { operators } = await master.physicalPlan();
    return (operators[0]?.totalTuplesEmitted ?? 0) > 20_000 &&
      operators.every(
        ({ cpuPercentageMA, recoveryWindowId, latencyMA, tuplesProcessedPSMA, tuplesEmittedPSMA }) =>
          (cpuPercentageMA ?? 0) > 0 &&
          recoveryWindowId !== '0' &&
          (latencyMA ?? 0) > 0 &&
          (tuplesProcessedPSMA ?? 0) + (tuplesEmittedPSMA ?? 0) > 0,
      )
      ? operators
      : undefined;
  });
  for (const operator of operators) {
    t.ok(BigInt(operator.currentWindowId ?? 0) >= BigInt(operator.recoveryWindowId ?? 0));
    t.ok((operator.cpuPercentageMA ?? 0) <= 100);
    t.equal(operator.status, 'ACTIVE');
  }
  const { tuplesEmittedPSMA: rate = 0, totalTuplesEmitted: total = 0 } = operators[0] ?? {};
  const ends = await eventually(() => {
    const lines = linesOf(journal).map(({ at, emitted }) => ({ at: Number(at), emitted: Number(emitted) }));
    return (lines.at(-1)?.emitted ?? 0) > total ? lines : undefined;
  });
  // The container counted `total` somewhere between two ends of windows, and began before the first tuple.
  const first = ends.find(({ emitted }) => emitted > 0)?.at ?? Number.NaN;
  const before = ends.findLast(({ emitted }) => emitted < total)?.at ?? Number.NaN;
  const after = ends.find(({ emitted }) => emitted > total)?.at ?? Number.NaN;
  t.ok(rate <= (total * 1000) / (before - first), `not more than was emitted: ${rate} a second`);
  t.ok(rate >= (total * 1000) / (after - launchedAt), `not less than was emitted: ${rate} a second`);
  t.ok((operators[2]?.ports[0]?.bufferServerBytesPSMA ?? 0) > 0, 'bytes over the socket');
  const { stats, attributes } = await master.info();
  t.match(stats, {
    criticalPath: ['1', '2', '3'],
    numOperators: 3,
    failedContainers: 0,
    totalMemoryAllocated: 256,
  });
  t.ok((stats?.latency ?? 0) > 0);
  t.match(attributes, { STREAMING_WINDOW_SIZE_MILLIS: 100, APPLICATION_NAME: 'test' });
  const containers = await eventually(async () => {
    const containers = (await master.containers()).filter(
      ({ containerType }) => containerType === 'STREAMING',
    );
    return containers.every(({ gcCollectionCount = 0 }) => gcCollectionCount > 0) ? containers : undefined;
  });
  for (const container of containers) {
    t.equal(container.state, 'ACTIVE');
    const { lastHeartbeat, memoryMBFree = 0 } = container;
    t.ok(lastHeartbeat > 0 && memoryMBFree > 0 && memoryMBFree < 128);
    const gc = readFileSync(
      join(cluster.directory, 'apps', id, 'containers', container.id, 'gc.log'),
      'utf8',
    );
    t.match(gc, /\[gc\] GC\(0\) Pause (Young|Full) \(.*\) \d+K->\d+K\(\d+K\) \d+\.\d{3}ms/);
  }
  t.match(await cluster.driver.resourceManager.metrics(), {
    numAppsRunning: 1,
    numOperators: 3,
    numContainers: 3,
  });
});

t.test('a container inherits nothing of the host; logs have levels that change while it runs', async (t) => {
  const cluster = await openCluster(t, { execPath: process.execPath });
  const id = await cluster.launch({
    attributes: quick,
    operators: [
      op('source', 'Sequence', { total: -1, perSecond: 100 }),
      op('talker', 'Talker', { topic: 'said' }),
    ],
    streams: [stream('source.out -> talker.in')],
  });
  const said = await eventually(() => cluster.published.find(({ topic }) => topic === 'said'));
  t.match(said, { appId: id, data: { said: true } });
  const inherited = (said.data as { env: string[] }).env.filter(
    // The channel of a forked process, and what the test runner adds to every child.
    (name) => !/^(NODE_CHANNEL_|NODE_OPTIONS$|_TAPJS_)/.test(name),
  );
  t.strictSame(inherited, []);
  const master = await cluster.driver.master(id);
  const talker = (await master.containers()).find(({ operators }) =>
    Object.values(operators).includes('talker'),
  );
  const log = join(cluster.directory, 'apps', id, 'containers', talker?.id ?? '', 'headgate.log');
  t.match(readFileSync(log, 'utf8'), /INFO {2}test\.Talker - info words/);
  t.notMatch(readFileSync(log, 'utf8'), /debug words/);
  t.match(await master.loggers?.levels(), [
    { name: 'headgate.engine.Container', level: '' },
    {},
    { name: 'test.Talker', level: '' },
  ]);
  await master.loggers?.set([{ target: 'test.*', logLevel: 'DEBUG' }]);
  await eventually(() =>
    readFileSync(log, 'utf8').includes('DEBUG test.Talker - debug words') ? true : undefined,
  );
  t.strictSame(await master.loggers?.list(), [{ target: 'test.*', logLevel: 'DEBUG' }]);
  await master.containerControl?.kill(talker?.id ?? '');
  await eventually(async () => {
    const next = (await master.containers()).find(
      ({ id, operators }) => id !== talker?.id && Object.values(operators).includes('talker'),
    );
    const its = join(cluster.directory, 'apps', id, 'containers', next?.id ?? 'none', 'headgate.log');
    return existsSync(its) && readFileSync(its, 'utf8').includes('DEBUG test.Talker - debug words')
      ? true
      : undefined;
  });
  const events = cluster.published.filter(({ topic }) => topic === `applications.${id}.events`);
  t.ok(
    events.some(({ data }) => (data as { type: string }).type === 'StartOperator'),
    'events are published',
  );
  const read = await master.events?.read({ offset: 0, limit: 3 });
  t.equal(read?.length, 3);
  t.ok(Number(read?.[0]?.id) < Number(read?.[2]?.id));
});

t.test('one application of a name and user at a time; unknown things are refused', async (t) => {
  const cluster = await openCluster(t);
  const application = {
    operators: [op('source', 'Sequence', { total: -1, perSecond: 10 }), op('totals', 'Totals')],
    streams: [stream('source.out -> totals.in')],
  };
  const id = await cluster.launch(application);
  await t.rejects(cluster.launch(application), Conflict);
  await t.rejects(
    Promise.all([cluster.launch(application, { name: 'x' }), cluster.launch(application, { name: 'x' })]),
    Conflict,
  );
  await cluster.launch(application, { user: 'bob' });
  await t.rejects(cluster.launch(application, { name: 'y', queue: 'fast' }), BadRequest);
  await t.rejects(cluster.driver.resourceManager.getApplication('application_1_0001'), NotFound);
  await t.rejects(cluster.driver.master('application_1_0001'), NotFound);
  const launcher = cluster.driver.resourceManager.launcher;
  await t.rejects(async () => {
    await launcher?.restart(id, { user: 'ann' });
  }, Conflict);
  const other = await cluster.launch(application, {
    properties: { 'apex.attr.APPLICATION_NAME': 'renamed' },
  });
  t.match(await cluster.driver.resourceManager.getApplication(other), { name: 'renamed' });
  const { operatorClasses } = await cluster.driver.master(id);
  t.ok((await operatorClasses?.list({ q: 'SEQU' }))?.includes('test.Sequence'));
  t.match(await operatorClasses?.describe('test.Sequence'), {
    inputPorts: [],
    outputPorts: [{ name: 'out', optional: true }],
    properties: [{ name: 'total', type: 'integer', description: 'Tuples to emit; -1: without end' }],
  });
});

t.test('launches at the same time share the room that there is', async (t) => {
  const application = {
    operators: [op('source', 'Sequence', { total: -1, perSecond: 10 }), op('totals', 'Totals')],
    streams: [stream('source.out -> totals.in')],
  };
  const named = ['a', 'b', 'c'];
  for (const limits of [{ containers: 5 }, { memoryMB: 5 * 256 }]) {
    const cluster = await openCluster(t, { limits, containerMemoryMB: 256 });
    const launched = await Promise.allSettled(named.map((name) => cluster.launch(application, { name })));
    const refused = launched.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
    t.equal(refused.length, 1, 'two of two containers each have room');
    t.match(refused[0], Conflict);
    const [name = ''] = Object.keys(limits);
    t.match(refused[0], { message: new RegExp(`limits\\.${name}`) });
  }
  const cluster = await openCluster(t, { limits: { memoryMB: 1024 }, containerMemoryMB: 256 });
  const large = {
    ...application,
    operators: application.operators.map((one) => ({ ...one, attributes: { MEMORY_MB: 600 } })),
  };
  await t.rejects(cluster.launch(large), { message: /limits\.memoryMB/ }, 'what it asks for counts');
  await cluster.launch(application);
});

t.test('an engine can be opened again after its close, and used at once', async (t) => {
  const cluster = await openCluster(t);
  const application = {
    attributes: quick,
    operators: [op('source', 'Sequence', { total: 100 }), op('totals', 'Totals')],
    streams: [stream('source.out -> totals.in')],
  };
  const first = await cluster.launch(application);
  await cluster.reached(first, 'FINISHED');
  await cluster.driver.close();
  await t.rejects(cluster.launch(application), { code: 'NOT_READY' });
  await cluster.driver.open(silentContext([]));
  t.match(await cluster.driver.resourceManager.listApplications(), [{ id: first, state: 'FINISHED' }]);
  const second = await cluster.launch(application);
  t.not(second, first);
  await cluster.reached(second, 'FINISHED');
});

t.test('who asks leaves nothing behind, however often', async (t) => {
  const { resourceManager } = (await openCluster(t)).driver;
  const arrays = () => queryObjects(Array, { format: 'count' });
  const before = arrays();
  for (let i = 0; i < 2000; i++) await resourceManager.listApplications();
  t.ok(arrays() - before < 1000);
});
