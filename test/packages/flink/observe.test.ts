import t from 'tap';
import { flinkGateway } from '../../helpers/flink.js';
import { until } from '../../helpers/waiting.js';

// What is told of a job, through the public door: the double says what Flink would.

t.test('plans, subtasks, and what is not known is not there', async (t) => {
  const { client, double } = await flinkGateway(t);
  const job = double.start();
  const params = { appid: job.id };
  const { operators, streams } = await client.getPhysicalPlan({ params });
  t.match(operators, [
    {
      id: '100000',
      name: 'Source: numbers',
      container: 'tm1',
      host: '127.0.0.1',
      status: 'ACTIVE',
      clusterStatus: 'RUNNING',
      tuplesEmittedPSMA: 100,
      ports: [{ name: 'out0', type: 'output' }],
      counters: { busyTimeMsPerSecond: 250, backPressuredTimeMsPerSecond: 0, idleTimeMsPerSecond: 750 },
    },
    { id: '200000', name: 'plus one', container: 'tm2', tuplesProcessedPSMA: 100 },
  ]);
  for (const operator of operators)
    t.notOk(
      ['latencyMA', 'cpuPercentageMA'].some((name) => name in operator),
      'Flink does not tell these',
    );
  t.strictSame(Object.keys(operators[0]?.ports[0] ?? {}), ['name', 'type'], 'edges have no counters');
  t.match(streams, [
    { source: { operatorId: '100000' }, sinks: [{ operatorId: '200000', portName: 'in0' }] },
  ]);
  const { operators: logical } = await client.listLogicalOperators({ params });
  t.match(logical, [
    {
      name: 'Source: numbers',
      partitions: ['100000'],
      counters: { busyTimeMsPerSecond: { avg: 250, min: 250, max: 250, sum: 250 } },
    },
    { name: 'plus one', status: { ACTIVE: 1 } },
  ]);
  t.match(await client.getLogicalPlan({ params }), {
    operators: [{ name: 'Source: numbers' }, { name: 'plus one', description: 'plus one' }],
    streams: [{ name: 'Source: numbers -> plus one', shipStrategy: undefined }],
  });
});

t.test('where subtasks are is asked when something changed, and what they count in each beat', async (t) => {
  const { client, double } = await flinkGateway(t);
  const job = double.start();
  const params = { appid: job.id };
  const asked = (end: string) =>
    (double.jobManagers[0]?.asked ?? []).filter((one) => one.includes('/vertices/') && one.endsWith(end))
      .length;
  const details = () => job.vertices.reduce((sum, { id }) => sum + asked(`/vertices/${id}`), 0);
  const first = await client.getPhysicalPlan({ params });
  const { operators } = await until(
    () => client.getPhysicalPlan({ params }),
    ({ operators: [source] }) =>
      (source?.totalTuplesEmitted ?? 0) > (first.operators[0]?.totalTuplesEmitted ?? 0),
  );
  t.match(operators, [{ failureCount: 0 }, { failureCount: 0 }]);
  t.equal(details(), 2, 'one for each vertex');
  job.attempt++;
  await until(
    () => client.getPhysicalPlan({ params }),
    ({ operators: [source] }) => source?.failureCount === 1,
  );
  t.equal(details(), 4);
});

t.test('metrics are asked for as often as Flink gathers them', async (t) => {
  const written = { '60 min': 'rarely', '3600000': 'rarely', '100 ms': 'each beat', 'an hour': 'each beat' };
  for (const [value, often] of Object.entries(written)) {
    const { client, double } = await flinkGateway(t);
    double.settings['metrics.fetcher.update-interval'] = value;
    const job = double.start();
    const asked = (what: RegExp) => double.jobManagers[0]?.asked.filter((one) => what.test(one)).length ?? 0;
    const questions = () => asked(/\/vertices\/\w+\/metrics$/);
    // Of each vertex: to have them gathered, and to see them.
    const twice = 2 * job.vertices.length;
    await until(
      () => client.getPhysicalPlan({ params: { appid: job.id } }),
      () => (often === 'rarely' ? asked(/\/jobs\/\w+$/) >= 6 : questions() > twice),
    );
    if (often === 'rarely') t.equal(questions(), twice, value);
  }
});

t.test('containers: the JobManager, task managers, and one that was lost', async (t) => {
  const { client, double } = await flinkGateway(t);
  const params = { appid: double.start().id };
  const { containers } = await client.listContainers({ params });
  t.match(containers, [
    { id: 'jobmanager', containerType: 'APP_MASTER', state: 'ACTIVE' },
    {
      id: 'tm1',
      state: 'ACTIVE',
      memoryMBAllocated: 1024,
      memoryMBFree: 256,
      gcCollectionCount: 6,
      operators: { 100000: 'Source: numbers' },
    },
    { id: 'tm2', state: 'ACTIVE' },
  ]);
  t.notOk('memoryMBAllocated' in (containers[0] ?? {}), 'not told as long as the JobManager does not');
  double.taskManagers.delete('tm2');
  const lost = await until(
    async () => (await client.listContainers({ params })).containers.find(({ id }) => id === 'tm2'),
    (container) => container?.state === 'KILLED',
  );
  t.ok((lost?.finishedTime ?? 0) > 0);
  const dump = await client.getStackTrace({ params: { ...params, containerId: 'tm1' } });
  t.strictSame(dump.threads, [
    {
      name: 'main',
      id: '1',
      state: 'WAITING',
      stackTraceElements: ['java.lang.Object.wait(Native Method)', 'Main.main(Main.java:1)'],
    },
    {
      name: 'a "b" c',
      id: '2',
      state: 'WAITING',
      stackTraceElements: ['java.lang.Object.wait(Native Method)', 'Main.main(Main.java:1)'],
    },
  ]);
});

t.test('logs: a part, the end, and lines that match', async (t) => {
  const { client, double } = await flinkGateway(t);
  const params = { appid: double.start().id, containerId: 'tm1', logName: 'flink.log' };
  t.match(await client.listLogs({ params }), { logs: [{ name: 'flink.log', length: 1000 }] });
  const read = async (query: object) => {
    const answer = await client.readLog({ params, query });
    if (!(answer instanceof Response)) throw new Error('text was expected');
    return answer.text();
  };
  t.equal(await read({ start: 2, end: 12 }), 'line\nanoth');
  t.equal(await read({ lastNBytes: 15 }), 'another line\n', 'from the first whole line on');
  t.equal((await read({ grep: '^another' })).trim().split('\n').length, 50);
});

t.test('events have the same ids whenever they are told, and a failure has its cause', async (t) => {
  const { client, double } = await flinkGateway(t);
  const job = double.start();
  const params = { appid: job.id };
  const at = Date.now();
  job.exceptions.push({
    exceptionName: 'java.lang.RuntimeException',
    stacktrace: 'java.lang.RuntimeException: boom at 7\n\tat Job.run(Job.java:15)\n',
    timestamp: at,
    taskName: 'plus one (1/1) - execution #0',
    taskManagerId: 'tm2',
  });
  job.checkpoints.push({
    id: 3,
    status: 'COMPLETED',
    is_savepoint: false,
    trigger_timestamp: at,
    latest_ack_timestamp: at + 1,
    end_to_end_duration: 24,
    state_size: 530,
    external_path: 'file:/checkpoints/chk-3',
  });
  double.end(job, 'FAILED');
  const { events } = await client.listEvents({ params });
  const types = new Set(events.map(({ type }) => type));
  for (const type of [
    'JobStateChanged',
    'StartContainer',
    'StartOperator',
    'OperatorError',
    'CheckpointCompleted',
  ])
    t.ok(types.has(type), type);
  t.match(
    events.find(({ type }) => type === 'OperatorError'),
    { data: { operatorName: 'plus one', operatorId: '200000', containerId: 'tm2' } },
  );
  t.match(await client.getFailureRootCause({ params }), {
    title: 'FC_OPERATOR_ERROR',
    content: /boom at 7[\s\S]*Job\.java:15/,
  });
  const other = await flinkGateway(t, { jobManagers: double.jobManagers.map(({ url }) => url) });
  t.strictSame((await other.client.listEvents({ params })).events, events, 'another gateway tells the same');
});

t.test('a job without checkpoints has all else', async (t) => {
  const { client, double } = await flinkGateway(t);
  const job = double.start();
  job.makesCheckpoints = false;
  const params = { appid: job.id };
  t.strictSame(await client.getCheckpoints({ params }), { latest: {}, history: [] });
  const { events } = await client.listEvents({ params });
  t.ok(events.some(({ type }) => type === 'StartOperator'));
  t.strictSame((await client.listApplicationIssues({ params })).issues, []);
  const { stats } = await client.getApplication({ params });
  t.match(stats, { numOperators: 2, checkpointAge: undefined });
});

t.test('issues that Flink tells of', async (t) => {
  const { client, double } = await flinkGateway(t);
  const job = double.start();
  const params = { appid: job.id };
  t.strictSame((await client.listApplicationIssues({ params })).issues, []);
  job.backPressured = 900;
  const failed = { status: 'FAILED', failure_timestamp: Date.now(), failure_message: 'declined' };
  job.checkpoints.push({ id: 2, ...failed }, { id: 1, ...failed });
  const keys = async () => (await client.listApplicationIssues({ params })).issues.map(({ key }) => key);
  await until(keys, (found) => found.length === 2);
  t.strictSame(await keys(), ['CHECKPOINTS_FAILING', 'OPERATORS_BACK_PRESSURED']);
  job.state = 'RESTARTING';
  double.start('takes the other slots');
  await until(keys, (found) => found.includes('JOB_RESTARTING') && found.includes('NO_FREE_SLOTS'));
});

t.test('the cluster: metrics, slots, settings without secrets, versions', async (t) => {
  const { client, double } = await flinkGateway(t);
  double.start();
  t.match(await client.getClusterMetrics(), { numAppsRunning: 1, numOperators: 2, numContainers: 2 });
  t.match(await client.listQueues(), { queues: [{ name: 'slots', currentCapacity: 50 }] });
  t.strictSame(await client.getClusterConfig(), {
    'taskmanager.numberOfTaskSlots': '2',
    'execution.checkpointing.savepoint-dir': 'file:/savepoints',
    'rest.flamegraph.enabled': 'true',
    'rest.profiling.enabled': 'true',
    'metrics.fetcher.update-interval': '100 ms',
    's3.access-key': '********',
    'security.ssl.key-password': '********',
  });
  t.match(await client.getAbout(), { engineVersion: '2.3.0', engineBuildRevision: 'c0f8d1a' });
});

t.test('what is not offered says so', async (t) => {
  const { client, double } = await flinkGateway(t);
  const params = { appid: double.start().id };
  const notSupported = (facet: string) => ({
    code: 'NOT_SUPPORTED',
    message: `The driver "flink" does not offer ${facet}`,
  });
  await t.rejects(
    client.killContainer({ params: { ...params, containerId: 'tm1' } }),
    notSupported('master.containerControl'),
  );
  await t.rejects(client.listLoggers({ params }), notSupported('master.loggers'));
});

t.test('within a beat nothing is asked twice, however many look', async (t) => {
  const { newClient, double } = await flinkGateway(t, { pollMillis: 3_600_000 });
  const params = { appid: double.start().id };
  const clients = Array.from({ length: 5 }, () => newClient());
  await Promise.all(
    clients.flatMap((client) => [
      client.getApplication({ params }),
      client.getPhysicalPlan({ params }),
      client.listLogicalOperators({ params }),
      client.listContainers({ params }),
      client.listApplications(),
    ]),
  );
  const asked = double.jobManagers[0]?.asked ?? [];
  t.strictSame([...new Set(asked)].sort(), asked.toSorted());
});

t.test('events come live to who listens, and to their end', async (t) => {
  const { newClient, double } = await flinkGateway(t);
  const job = double.start();
  const client = newClient();
  await client.listApplications();
  const heard: string[] = [];
  client.subscribe(`applications.${job.id}.events`, (data: unknown) => {
    heard.push(String(Reflect.get(Object(data), 'type')));
  });
  const completed = (id: number) => ({
    id,
    status: 'COMPLETED',
    trigger_timestamp: Date.now(),
    latest_ack_timestamp: Date.now(),
  });
  // The first look tells what there was before.
  await until(
    () => {
      job.checkpoints.push(completed(job.checkpoints.length + 1));
      return heard.includes('CheckpointCompleted');
    },
    (found) => found,
  );
  double.end(job, 'FINISHED');
  await until(
    () => client.listApplications().then(() => heard.includes('JobStateChanged')),
    (found) => found,
  );
});

t.test('topics of an application move', async (t) => {
  const { newClient, double } = await flinkGateway(t);
  const id = double.start().id;
  const client = newClient();
  for (const topic of [
    `applications.${id}`,
    `applications.${id}.physicalOperators`,
    `applications.${id}.logicalOperators`,
    `applications.${id}.containers`,
    'applications',
    'cluster.metrics',
  ] as const) {
    const seen = new Promise<unknown>((resolve) => client.subscribe(topic, (data: unknown) => resolve(data)));
    t.ok(await seen, topic);
  }
});

t.test('what did not change since is said again, word for word', async (t) => {
  const { newClient, double } = await flinkGateway(t, { pollMillis: 3_600_000 });
  const topic = `applications.${double.start().id}.physicalOperators` as const;
  const heard: unknown[] = [];
  newClient().subscribe(topic, (data: unknown) => heard.push(data));
  await until(
    () => heard.length,
    (times) => times >= 3,
  );
  t.match(heard[0], { operators: [{ id: '100000' }, { id: '200000' }] });
  for (const said of heard) t.strictSame(said, heard[0]);
});

t.test('operators that are in no vertex yet are told, and nothing is measured of them', async (t) => {
  const { client, double } = await flinkGateway(t);
  const job = double.start();
  job.pending.push('sort', 'plus one', 'write');
  const params = { appid: job.id };
  const plan = await client.getLogicalPlan({ params });
  t.match(
    plan.operators.map(({ name, description, attributes }) => ({ name, description, attributes })),
    [
      { name: 'Source: numbers', attributes: { parallelism: 1 } },
      { name: 'plus one', attributes: { parallelism: 1 } },
      { name: 'sort', description: 'sort at work', attributes: {} },
      { name: 'plus one (2)', description: 'plus one at work', attributes: {} },
      { name: 'write', attributes: {} },
    ],
  );
  t.strictSame(
    plan.streams.map(({ source, sinks }) => [source.operatorName, sinks[0]?.operatorName]).sort(),
    [
      ['Source: numbers', 'plus one'],
      ['plus one (2)', 'write'],
      ['plus one', 'sort'],
      ['sort', 'plus one (2)'],
    ],
  );
  t.strictSame(
    plan.operators.find(({ name }) => name === 'sort')?.ports[0]?.attributes,
    { shipStrategy: 'HASH' },
    'how it is exchanged is not decided',
  );
  const { operators } = await client.listLogicalOperators({ params });
  const sort = operators.find(({ name }) => name === 'sort');
  t.match(sort, { partitions: [], containerIds: [], status: {}, totalTuplesProcessed: undefined });
  t.equal(operators.length, plan.operators.length, 'one for each of the plan');
  t.equal((await client.getPhysicalPlan({ params })).operators.length, 2, 'subtasks are those of vertices');
  await t.rejects(client.getFlameGraph({ params: { ...params, opName: 'sort' } }), {
    status: 409,
    code: 'OPERATOR_NOT_DEPLOYED',
  });
  job.pending.length = 0;
  await until(
    () => client.getLogicalPlan({ params }),
    (told) => told.operators.length === 2,
  );
});
