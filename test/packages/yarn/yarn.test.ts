import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { filesIn } from '../../../packages/yarn/files/discovered-files.js';
import { yarnCluster } from '../../../packages/yarn/index.js';
import { yarnDouble } from '../../doubles/yarn/index.js';
import { testFolder } from '../../helpers/folder.js';
import { newGateway } from '../../helpers/gateway.js';
import { until } from '../../helpers/waiting.js';
import { pipeline, yarnGateway } from '../../helpers/yarn.js';

t.test('the list, an application and what only its master tells', async (t) => {
  const { client, double } = await yarnGateway(t);
  t.same(await client.listApplications(), { apps: [] }, 'a cluster that runs nothing says null');
  const { id } = await double.run(pipeline());
  double.launch(pipeline({ name: 'mapred', type: 'MAPREDUCE' }));
  const { apps } = await client.listApplications();
  t.match(apps, [{ id, name: 'numbers', state: 'RUNNING', finalStatus: 'UNDEFINED', finishedTime: 0 }]);
  t.equal(apps[0]?.currentAttemptId, `appattempt_${id.slice(12)}_000001`);

  const detail = await client.getApplication({ params: { appid: id } });
  t.match(detail, {
    appPath: /^hdfs:.*datatorrent\/apps\//,
    version: '3.7.0',
    gatewayAddress: '127.0.0.1:9090',
    attributes: { APPLICATION_NAME: 'numbers', GATEWAY_PASSWORD: null, SSL_CONFIG: null },
    stats: { numOperators: 2, criticalPath: ['1', '2'] },
  });
  t.notMatch(JSON.stringify(detail), /very secret/);
  const window = detail.stats?.currentWindowId ?? '';
  const application = double.apps.get(id);
  t.ok(application && application.window - BigInt(window) < 10n, 'window ids come whole');
});

t.test('plans, operators, containers and their stacks', async (t) => {
  const { client, double } = await yarnGateway(t);
  const { id, masterContainer } = await double.run(pipeline());
  const params = { appid: id };
  const physical = await client.getPhysicalPlan({ params });
  t.match(physical.operators, [
    {
      id: '1',
      name: 'rand',
      status: 'ACTIVE',
      isUnifier: false,
      recordingStartTime: -1,
      cpuPercentageMA: 0.159,
    },
    { id: '2', name: 'console', ports: [{ name: 'in', type: 'input' }] },
  ]);
  t.match(physical.streams, [
    { logicalName: 'numbers', source: { operatorId: '1' }, sinks: [{ operatorId: '2' }] },
  ]);
  const logical = await client.getLogicalPlan({ params });
  t.match(logical.operators[0], {
    class: 'com.example.Random',
    properties: { class: 'com.example.Random', tuplesBlast: '10' },
    attributes: { MEMORY_MB: '256' },
  });
  t.notOk('attributes' in logical);
  const { operators } = await client.listLogicalOperators({ params });
  t.match(operators, [{ name: 'rand', status: { ACTIVE: 1 }, partitions: ['1'] }, { name: 'console' }]);

  const { containers } = await client.listContainers({ params, query: {} });
  t.equal(containers.length, 3);
  t.match(
    containers.filter(({ containerType }) => containerType === 'APP_MASTER'),
    [{ id: masterContainer, operators: {} }],
  );
  const victim = containers.find(({ containerType }) => containerType === 'STREAMING')?.id ?? '';
  const dump = await client.getStackTrace({ params: { ...params, containerId: victim } });
  t.match(dump.threads, [{ id: '1', stackTraceElements: ['a.B.c(B.java:1)'] }]);
  await client.killContainer({ params: { ...params, containerId: victim } });
  await t.rejects(client.killContainer({ params: { ...params, containerId: victim } }), {
    status: 409,
    code: 'CONTAINER_NOT_RUNNING',
  });
  const unknown = { ...params, containerId: 'container_1_0001_01_000099' };
  await t.rejects(client.killContainer({ params: unknown }), { status: 404, code: 'NOT_FOUND' });
  await until(
    () => client.getPhysicalPlan({ params }),
    (plan) => plan.operators.every((one) => one.status === 'ACTIVE' && one.container !== victim),
  );
  const { containers: history } = await client.getDeployHistory({ params: { ...params, opid: '1' } });
  t.match(history, [{ container: victim }, { container: /_000004$/ }]);
});

t.test('properties: read from where they run, and refused when they do not fit', async (t) => {
  const { client, double } = await yarnGateway(t);
  const { id } = await double.run(pipeline());
  const operator = { appid: id, opid: '1' };
  const logical = { appid: id, opName: 'rand' };
  t.same(await client.getPhysicalOperatorProperties({ params: operator }), {
    tuplesBlast: 10,
    quiet: false,
    label: 'x',
  });
  t.match(await client.getOperatorProperties({ params: logical }), {
    class: 'com.example.Random',
    tuplesBlast: '10',
  });
  await client.setOperatorProperties({ params: logical, body: { tuplesBlast: '20', label: 'big' } });
  t.same(await client.getPhysicalOperatorProperties({ params: operator }), {
    tuplesBlast: 20,
    quiet: false,
    label: 'big',
  });
  await t.rejects(
    client.setOperatorProperties({ params: logical, body: { tuplesBlast: 'many' } }),
    { status: 400, message: /tuplesBlast.*integer/ },
    'the engine would make 0 of it',
  );
  await t.rejects(
    client.setPhysicalOperatorProperties({ params: operator, body: { speed: 1 } }),
    { status: 404, message: /speed.*tuplesBlast/ },
    'the engine would say nothing',
  );
  await t.rejects(client.getPhysicalOperatorProperties({ params: { appid: id, opid: '99' } }), {
    status: 404,
    code: 'NOT_FOUND',
  });
  t.same(await client.getPhysicalOperatorProperties({ params: operator }), {
    tuplesBlast: 20,
    quiet: false,
    label: 'big',
  });
});

t.test('attributes, loggers and operator classes', async (t) => {
  const { client, double } = await yarnGateway(t);
  const { id } = await double.run(pipeline());
  const params = { appid: id };
  t.match(await client.getApplicationAttributes({ params, query: {} }), {
    APPLICATION_NAME: 'numbers',
    GATEWAY_PASSWORD: null,
  });
  t.match(await client.getOperatorAttributes({ params: { ...params, opName: 'rand' }, query: {} }), {
    MEMORY_MB: '256',
  });
  const loggers = [{ target: 'com.x.*', logLevel: 'DEBUG' as const }];
  await client.setLoggers({ params, body: { loggers } });
  t.same(await client.listLoggers({ params }), { loggers });
  t.same(await client.searchLoggers({ params, query: { pattern: 'com\\.x' } }), {
    loggers: [{ name: 'com.x', level: 'INFO' }],
  });
  t.same(await client.listOperatorClasses({ params, query: { q: 'random' } }), {
    operatorClasses: [{ name: 'com.example.Random' }],
  });
  t.match(await client.getOperatorClass({ params: { ...params, operatorClass: 'com.example.Random' } }), {
    outputPorts: [{ name: 'out', optional: true, type: 'java.lang.String' }],
    properties: [{ name: 'tuplesBlast', type: 'int', description: 'how many' }],
  });
  await t.rejects(client.getOperatorClass({ params: { ...params, operatorClass: 'no.such.Class' } }), {
    status: 404,
    code: 'NOT_FOUND',
  });
});

t.test('the plan changes, and what the engine would take in silence is refused', async (t) => {
  const { client, double } = await yarnGateway(t);
  const { id } = await double.run(pipeline());
  const params = { appid: id };
  const create = {
    requestType: 'CreateOperatorRequest',
    operatorName: 'more',
    operatorFQCN: 'com.example.Console',
  } as const;
  const connect = {
    requestType: 'AddStreamSinkRequest',
    streamName: 'numbers',
    sinkOperatorName: 'more',
    sinkOperatorPortName: 'in',
  } as const;
  await client.changeLogicalPlan({ params, body: { requests: [create, connect] } });
  t.match(await client.getLogicalPlan({ params }), {
    streams: [{ sinks: [{ operatorName: 'console' }, { operatorName: 'more' }] }],
  });
  await t.rejects(
    client.changeLogicalPlan({
      params,
      body: { requests: [{ requestType: 'RemoveStreamRequest', streamName: 'nix' }] },
    }),
    { status: 400, message: /requests\.0\.streamName.*"nix"/ },
  );
  await t.rejects(
    client.changeLogicalPlan({
      params,
      body: { requests: [{ ...create, operatorName: 'x', operatorFQCN: 'com.nix.Y' }] },
    }),
    { status: 400, message: /Class not found: com\.nix\.Y$/ },
    'an error with status 200',
  );
});

t.test('recordings: started by the master, read from the files, also afterwards', async (t) => {
  const { client, double } = await yarnGateway(t);
  const { id: appid } = await double.run(pipeline({ attributes: { STREAMING_WINDOW_SIZE_MILLIS: 50 } }));
  const operator = { appid, opid: '1' };
  const { id } = await client.startOperatorRecording({ params: operator });
  await t.rejects(
    client.startOperatorRecording({ params: operator }),
    { status: 409, code: 'RECORDING_ACTIVE', details: { id } },
    'at once',
  );
  t.match(await client.getRecording({ params: { ...operator, id } }), { id, ended: false });
  const recording = await until(
    () => client.getRecording({ params: { ...operator, id } }),
    ({ totalTuples }) => totalTuples >= 3,
  );
  t.equal(recording.containerId, double.apps.get(appid)?.operators[0]?.container, 'where it was recorded');
  t.match(recording.ports, [{ name: 'out', type: 'output', id: '0' }]);
  const plan = await client.getPhysicalPlan({ params: { appid } });
  t.match(plan.operators[0], { recordingId: id, recordingStartTime: recording.startTime });
  await t.rejects(client.deleteRecording({ params: { ...operator, id } }), {
    status: 409,
    code: 'RECORDING_ACTIVE',
  });
  await client.stopOperatorRecording({ params: operator });
  const ended = await client.getRecording({ params: { ...operator, id } });
  t.ok(ended.ended);
  const [range] = ended.windowIdRanges;
  t.equal(
    BigInt(range?.high ?? 0) - BigInt(range?.low ?? 0) + 1n,
    BigInt(ended.totalTuples),
    'window ids come whole',
  );
  await t.rejects(client.stopOperatorRecording({ params: operator }), { status: 404, code: 'NOT_FOUND' });
  await t.rejects(
    client.startPortRecording({ params: { ...operator, portName: 'nix' } }),
    { status: 404, code: 'NOT_FOUND' },
    'the engine would answer with an id that never comes to be',
  );

  const { tuples, startOffset } = await client.getRecordedTuples({
    params: { ...operator, id },
    query: { limit: 2 },
  });
  t.equal(startOffset, '0');
  t.match(tuples, [{ windowId: range?.low, tuples: [{ portId: '0', data: { n: '1' } }] }, {}]);
  const bounded = await client.startPortRecording({
    params: { ...operator, portName: 'out' },
    body: { numWindows: 2 },
  });
  await until(
    () => client.getRecording({ params: { ...operator, id: bounded.id } }),
    (one) => one.ended && one.totalTuples === 2,
  );
  await client.killApplication({ params: { appid } });
  await until(
    () => client.getApplication({ params: { appid } }),
    ({ state }) => state === 'KILLED',
  );
  t.match(await client.listApplicationRecordings({ params: { appid } }), {
    recordings: [{ id }, { id: bounded.id }],
  });
  await client.deleteRecording({ params: { ...operator, id } });
  t.match(await client.listApplicationRecordings({ params: { appid } }), {
    recordings: [{ id: bounded.id }],
  });
});

t.test('statistics of any size are answered in bounds', async (t) => {
  const { client, double } = await yarnGateway(t);
  const { id: appid, folder } = await double.run(pipeline());
  const stats = `${folder}/stats/operators/rand`;
  const counters = { note: 'x'.repeat(100_000) };
  const line = (time: number) => `1:${time}:${JSON.stringify({ container: null, host: null, counters })}\n`;
  double.files.write(
    `${stats}/meta.txt`,
    '1.0\n{"id":"1","name":"rand","className":"x","unifierClass":null}\n',
  );
  double.files.write(`${stats}/index.txt`, '');
  double.files.write(`${stats}/part0.txt`, Array.from({ length: 100 }, (_, i) => line(1000 + i)).join(''));
  const list = (query: { startTime?: number }) =>
    client.listOperatorStats({ params: { appid, opName: 'rand' }, query });
  const { operatorStats } = await list({});
  t.equal(operatorStats.at(-1)?.timestamp, 1099, 'the newest');
  t.ok(operatorStats.length > 50 && operatorStats.length < 90, `${operatorStats.length} of 100`);
  t.equal((await list({ startTime: 1090 })).operatorStats.length, 10);
  await t.rejects(list({ startTime: 1000 }), { status: 400, message: /shorter/ } as never);
});

t.test('nothing is recorded while the file system can not be written', async (t) => {
  const { client, double } = await yarnGateway(t);
  const { id: appid } = await double.run(pipeline());
  const params = { appid, opid: '1' };
  const { files } = double;
  const start = () => client.startOperatorRecording({ params });
  files.safeMode = true;
  await t.rejects(start(), { status: 502, message: /safe mode/ } as never);
  files.safeMode = false;
  files.nameNode.fault = 'down';
  await t.rejects(start(), { status: 502, code: 'UNREACHABLE' });
  files.nameNode.fault = undefined;
  t.equal(double.apps.get(appid)?.recordings.length, 0, 'and nothing was begun');
  files.forbidden.add(`${double.apps.get(appid)?.folder}/recordings`);
  t.ok((await start()).id, 'what only the gateway may not write');
});

t.test('metrics have the types of their values', async (t) => {
  const { client, double } = await yarnGateway(t);
  const app = await double.run(pipeline());
  app.metrics = { rand: { load: 0.5, tuples: 12, name: 'x', id: 9007199254740993n }, console: { tuples: 3 } };
  t.same((await client.getApplicationMetrics({ params: { appid: app.id } })).metrics, [
    { name: 'id', type: 'string', values: { rand: '9007199254740993' } },
    { name: 'load', type: 'number', values: { rand: 0.5 } },
    { name: 'name', type: 'string', values: { rand: 'x' } },
    { name: 'tuples', type: 'number', values: { rand: 12, console: 3 } },
  ]);
});

t.test('events and statistics, while it runs and afterwards', async (t) => {
  const { client, double } = await yarnGateway(t);
  const { id } = await double.run(pipeline({ attributes: { ENABLE_STATS_RECORDING: true } }));
  const params = { appid: id };
  const { events } = await client.listEvents({ params });
  t.match(events[0], {
    id: '3',
    type: 'StartContainer',
    data: { containerNodeId: '127.0.0.1:1', reason: null },
  });
  const stats = { appid: id, opName: 'rand' };
  await until(
    () => client.getOperatorStatsMeta({ params: stats }).catch(() => ({ count: 0 })),
    ({ count }) => count >= 2,
  );
  t.match(await client.getOperatorStatsMeta({ params: stats }), { operatorIds: ['1'], ended: false });
  const { operatorStats } = await client.listOperatorStats({ params: stats, query: {} });
  t.match(operatorStats[0], { operatorId: '1', stats: { tuplesEmittedPSMA: 20, cpuPercentageMA: 0.25 } });
  const containerId = double.apps.get(id)?.operators[0]?.container ?? '';
  const { containers } = await client.getContainerStatsMeta({ params });
  t.match(containers[containerId], { id: containerId, memoryMBAllocated: 320 });
  const { containerStats } = await client.listContainerStats({ params, query: {} });
  t.ok(containerStats.some((item) => item.containerId === containerId));
  t.ok(
    containerStats.every((item) => item.containerId in containers),
    'by their ids, as everywhere',
  );
  await client.shutdownApplication({ params });
  await until(
    () => client.getApplication({ params }),
    ({ state }) => state === 'FINISHED',
  );
  t.match((await client.listEvents({ params })).events[0], { id: '3' });
  t.match(await client.getOperatorStatsMeta({ params: stats }), { ended: true });
  t.match(await client.listContainers({ params, query: {} }), {
    containers: [{ state: 'KILLED', containerType: 'APP_MASTER' }, {}, {}],
  });
  t.match(await client.getApplication({ params }), {
    stats: null,
    attributes: { GATEWAY_PASSWORD: null, APPLICATION_NAME: 'numbers' },
  });
  await t.rejects(client.getPhysicalPlan({ params }), { status: 409, message: /has ended/ });
  await t.rejects(client.killApplication({ params }), { status: 409, code: 'APPLICATION_ENDED' });
});

t.test('a master that starts again: its collections begin anew, leftovers are no part of them', async (t) => {
  const { client, double } = await yarnGateway(t);
  const { id, folder } = await double.run(pipeline());
  const params = { appid: id };
  const now = Date.now();
  const line = (time: number, of: string) => `${time}:X:{"id":"${of}"}\n`;
  double.files.write(`${folder}/events/part0.txt`, line(now, 'new'));
  double.files.write(`${folder}/events/index.txt`, `F:part0.txt:${now}-${now}:1\n`);
  double.files.write(`${folder}/events/part1.txt`, line(now - 60_000, 'leftover'));
  const ids = async () => (await client.listEvents({ params })).events.map((event) => event.id);
  t.same(await ids(), ['new']);
  double.files.write(
    `${folder}/events/part1.txt`,
    line(now + 1, 'newest') + line(now + 2, 'cut').slice(0, 9),
  );
  t.same(await ids(), ['new', 'newest']);
});

t.test('logs: from a service that gives them whole, and in parts from plain files', async (t) => {
  const { client, double } = await yarnGateway(t);
  const application = await double.run(pipeline());
  const params = { appid: application.id };
  const gc = '2026-11-21T10:00:00.123+0000: 1.500: [GC (Allocation Failure) 64M->4M(256M), 0.0050 secs]\n';
  application.logs.set('stdout', `${gc}no collection\n`);
  const [, container] = (await client.listContainers({ params, query: {} })).containers;
  const place = { ...params, containerId: container?.id ?? '' };
  for (const raw of [false, true]) {
    double.rawLogs = raw;
    const { logs } = await client.listLogs({ params: place });
    t.match(logs, [{ name: 'apex.log', length: 40 }, { name: 'stderr', length: 0 }, { name: 'stdout' }]);
    const log = { ...place, logName: 'apex.log' };
    t.match(await client.readLog({ params: log, query: { includeOffset: true, grep: 'second' } }), {
      lines: [{ byteOffset: '20', line: 'WARN the second one' }],
    });
    await t.rejects(client.readLog({ params: { ...place, logName: 'no.log' }, query: {} }), {
      status: 404,
      code: 'NOT_FOUND',
    });
    const collections = await client.listCollections({
      params: { ...params, logName: 'stdout' },
      query: { includeOffset: true },
    });
    t.equal('lines' in collections && collections.lines.length, 3, 'of all containers');
  }
});

t.test('a node that no cluster has is not asked for logs', async (t) => {
  const { client, double } = await yarnGateway(t);
  const application = await double.run(pipeline());
  const elsewhere = double.files.nameNode;
  application.logUrls = (id) => ({
    containerLogsUrl: `http://${elsewhere.host}/node/containerlogs/${id}/ann`,
    rawContainerLogsUrl: `http://${elsewhere.host}/secret`,
  });
  const before = elsewhere.asked.length;
  const params = { appid: application.id, containerId: application.masterContainer };
  await t.rejects(client.listLogs({ params }), { status: 502, code: 'UNREACHABLE' });
  t.notOk(elsewhere.asked.slice(before).some((one) => /containerlogs|secret/.test(one)));
});

t.test('metrics, versions, queues and configuration', async (t) => {
  const { client, double } = await yarnGateway(t);
  await double.run(pipeline());
  double.launch(pipeline({ name: 'failed', failure: 'no luck' }));
  const metrics = await until(
    () => client.getClusterMetrics(),
    ({ numAppsFailed, numOperators }) => numAppsFailed === 1 && numOperators === 2,
  );
  t.match(metrics, {
    numAppsRunning: 1,
    numAppsSubmitted: 2,
    maxMemoryAllocatedMB: 8192,
    currentMemoryAllocatedMB: 960,
    tuplesEmittedPSMA: 40,
  });
  t.match(await client.getAbout(), {
    clusterVersion: '2.7.7',
    clusterBuildUser: 'stevel',
    engineVersion: '3.7.0',
    engineBuildRevision: 'cd0b0d9',
    engineBuildUser: 'Ann Example',
    engineBuildDate: '14.04.2018 @ 08:03:49 PDT',
    clusterIsSecurityEnabled: false,
  });
  t.same(await client.listQueues(), {
    queues: [
      { name: 'default', state: 'RUNNING', capacity: 80, currentCapacity: 0, maxCapacity: 100 },
      { name: 'batch', state: 'STOPPED', capacity: 100, currentCapacity: 0, maxCapacity: 100 },
    ],
  });
  const configuration = await client.getClusterConfig();
  t.match(configuration, {
    'fs.defaultFS': 'hdfs://127.0.0.1:8020',
    'ssl.server.keystore.password': '********',
  });
});

t.test('a cluster that tells where its files are', async (t) => {
  for (const [configuration, found] of [
    [{ 'fs.defaultFS': 'hdfs://nn:8020' }, ['http://nn:50070']],
    [{ 'fs.defaultFS': 'hdfs://nn:8020', 'dfs.namenode.http-address': '0.0.0.0:9870' }, ['http://nn:9870']],
    [
      {
        'fs.defaultFS': 'hdfs://ha',
        'dfs.namenode.http-address.ha.nn1': 'a:50070',
        'dfs.namenode.http-address.ha.nn2': 'b:50070',
      },
      ['http://a:50070', 'http://b:50070'],
    ],
    [{ 'fs.defaultFS': 'file:///' }, ['file:///']],
    [{ 'fs.defaultFS': 's3a://bucket' }, []],
  ] as const)
    t.same(filesIn(configuration), found);

  const double = await yarnDouble();
  double.configuration['dfs.namenode.http-address'] = double.files.nameNode.host;
  const cluster = yarnCluster({ resourceManager: double.managers[0]?.url ?? '' });
  const { client } = await newGateway(t, { cluster });
  t.teardown(() => double.close());
  const { id } = await double.run(pipeline());
  t.match(await client.listEvents({ params: { appid: id } }), { events: [{ id: '3' }] });
});

t.test('a file system that is a disk', async (t) => {
  const { client, double } = await yarnGateway(t, { files: `file://${testFolder(t, {})}` });
  const { id, folder } = await double.run(pipeline());
  const params = { appid: id };
  t.same(await client.listEvents({ params }), { events: [] });
  const root = join(t.testdirName, folder, 'events');
  await mkdir(root, { recursive: true });
  await writeFile(join(root, 'part0.txt'), '1795286042359:X:{"id":"9"}\n');
  t.match(await client.listEvents({ params }), { events: [{ id: '9', timestamp: 1795286042359 }] });
  await client.putApplicationPermissions({ params, body: { readOnly: { users: ['rita'] } } });
  t.match(JSON.parse(await readFile(join(t.testdirName, folder, 'permissions.json'), 'utf8')), {
    readOnly: { users: ['rita'] },
  });
});

t.test('options that do not fit', async (t) => {
  const make = (options: Parameters<typeof yarnCluster>[0]) => () => yarnCluster(options);
  t.throws(make({ resourceManager: 'rm:8088' }), { message: /resourceManager.*http:\/\/rm/ });
  t.throws(make({ resourceManager: 'http://rm:8088', files: 'hdfs://nn:8020' }), { message: /files/ });
  t.throws(make({ resourceManager: 'http://rm:8088', gatewayAddress: 'http://x' }), {
    message: /gatewayAddress must be host:port/,
  });
});
