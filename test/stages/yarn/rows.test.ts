import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { publishedNumbers, writePackage } from './application-package.js';
import { artifacts } from './artifacts.js';
import { startYarn } from './cluster.js';
import { explainFailures } from './explain.js';
import { yarnGateway } from './gateway.js';
import { compiledJars } from './java-jar.js';
import { specifiedRows } from './rows.js';
import { until, untilAllMove } from './session.js';
import { topicsTell } from './topics.js';

// Every operation of sections 4.1 to 4.3 of `test/spec/endpoints.tsv`, through the gateway, on a living application of
// the real engine. One after the other, in the order of a life.

t.setTimeout(840_000);
const parts = await artifacts();
const cluster = await startYarn(parts);
t.teardown(() => cluster.close());
explainFailures(t, cluster);

const gateway = await yarnGateway(cluster, parts);
t.teardown(() => gateway.close());
const { client } = gateway;
const rows = specifiedRows(t);
const { row, report } = rows;

const topic = 'test.numbers';
const file = join(cluster.directory, 'random.apa');
const numbers = publishedNumbers(topic);
await writePackage(file, {
  jars: await compiledJars(parts, cluster.directory),
  applications: {
    Random: {
      ...numbers,
      operators: numbers.operators.map((one) =>
        one.name === 'console' ? { ...one, class: 'org.example.MeteredConsole' } : one,
      ),
    },
    Failing: {
      operators: [{ name: 'beans', class: 'org.example.Beans', properties: { broken: true } }],
      streams: [],
    },
  },
});
const meta = await client.uploadPackage({ body: await readFile(file) });
const packaged = {
  owner: 'root',
  name: meta.appPackageName,
  version: meta.appPackageVersion,
};
const launch = async (name: string) => {
  const body = {
    'apex.attr.APPLICATION_NAME': name,
    'apex.operator.hub.prop.uri': `ws://${gateway.address}/pubsub`,
    // When one reader of a stream is added, the engine loses the others until it finds them blocked: after half a
    // minute, instead of a whole one.
    'apex.operator.console.attr.TIMEOUT_WINDOW_COUNT': 60,
    'apex.operator.hub.attr.TIMEOUT_WINDOW_COUNT': 60,
  };
  return (await client.launchPackageApplication({ params: { ...packaged, appName: 'Random' }, body })).appId;
};
const launchFailing = async () => {
  // By default an operator is started anew, however often it fails.
  const body = { 'apex.operator.beans.attr.RECOVERY_ATTEMPTS': 0 };
  return (await client.launchPackageApplication({ params: { ...packaged, appName: 'Failing' }, body })).appId;
};
const appid = await launch('Random');
/** Launched by whoever wants them first: the command line takes its time. */
let launching: Promise<{ failing: string; killed: string }> | undefined;
const others = () => {
  launching ??= (async () => ({ failing: await launchFailing(), killed: await launch('Killed') }))();
  return launching;
};
const params = { appid };
const notFound = { status: 404, code: 'NOT_FOUND' };
const rand = { appid, opName: 'rand' };

const application = () => client.getApplication({ params });
const untilState = (state: string) => until(application, (app) => app.state === state);
const operators = async () => (await client.listPhysicalOperators({ params })).operators;
const operator = async (name: string) => {
  const found = (await operators()).find((one) => one.name === name);
  if (!found) throw new Error(`No operator ${name}`);
  return found;
};

try {
  await untilState('RUNNING');
  await untilAllMove(client, appid);
} catch (error) {
  // Before the first test nothing is torn down by itself.
  await gateway.close();
  await cluster.close();
  throw error;
}

// tap ends by itself as soon as it waits for nothing of its own: from here on, all waiting is done inside of rows.

// --- 4.1

await row('GET /ws/v2/applications', async (t) => {
  const { apps } = await client.listApplications();
  t.match(apps, [{ id: appid, name: 'Random', user: 'root', state: 'RUNNING', finishedTime: 0 }]);
  t.equal(apps.length, 1);
  t.strictSame((await client.listApplications({ query: { states: 'FAILED' } })).apps, []);
});

await row('GET A', async (t) => {
  const app = await until(
    application,
    ({ stats }) => stats !== null && (stats.totalTuplesProcessed ?? 0) > 0,
  );
  t.match(app, { id: appid, user: 'root', state: 'RUNNING', version: '3.7.0', currentAttemptId: /_000001$/ });
  t.match(app.stats, { numOperators: 3, plannedContainers: 3, currentWindowId: /^7\d{18}$/ });
});

await row('GET A/metrics', async (t) => {
  const read = () => client.getApplicationMetrics({ params });
  const windowsIn = ({ metrics }: Awaited<ReturnType<typeof read>>) =>
    Number(metrics.find(({ name }) => name === 'windows')?.values['console'] ?? 0);
  const first = await until(read, (answer) => windowsIn(answer) > 0);
  t.strictSame(first, {
    applicationId: appid,
    metrics: [
      { name: 'half', type: 'number', values: { console: 0.5 } },
      { name: 'windows', type: 'number', values: { console: windowsIn(first) } },
    ],
  });
  await until(read, (answer) => windowsIn(answer) > windowsIn(first));
  const found = (await operator('console')).metrics;
  t.match(found, { half: 0.5 });
  t.ok(Number(found?.['windows']) > windowsIn(first), 'its own');
  t.equal((await operator('rand')).metrics?.['windows'], undefined);
  const { metrics } = await application();
  t.strictSame(Object.keys(metrics?.['console'] ?? {}).sort(), ['half', 'windows']);
});

await row('GET A/issues', async (t) => {
  await until(application, ({ gatewayConnected }) => gatewayConnected);
  // Windows begin with the master; until the containers have caught up with them, they lag.
  const read = () => client.listApplicationIssues({ params });
  t.strictSame(await until(read, ({ issues }) => issues.length === 0), { issues: [] }, 'nothing is wrong');
});

await row('GET A/events', async (t) => {
  const read = async () => (await client.listEvents({ params })).events;
  const of = (events: Awaited<ReturnType<typeof read>>, type: string, name: string) =>
    [...new Set(events.filter((one) => one.type === type).map(({ data }) => data[name]))].sort();
  const events = await until(read, (all) => of(all, 'StartOperator', 'operatorName').length === 3);
  t.strictSame(of(events, 'StartOperator', 'operatorName'), ['console', 'hub', 'rand']);
  const containers = await Promise.all(['console', 'hub', 'rand'].map((name) => operator(name)));
  for (const { container } of containers)
    t.ok(of(events, 'StartContainer', 'containerId').includes(container), `${container} has started`);
  const { startedTime } = await application();
  t.ok(events.every(({ id, timestamp }) => id !== '' && timestamp >= startedTime));
});

await row('GET A/permissions', async (t) => {
  t.strictSame(await client.getApplicationPermissions({ params }), {
    readOnly: { users: [], roles: ['operator'], everyone: false },
    readWrite: { users: [], roles: [], everyone: false },
  });
  await t.rejects(gateway.clientOf('ada').getApplication({ params }), notFound, 'nobody but its owner');
});

await row('PUT A/permissions', async (t) => {
  const body = {
    readOnly: { users: ['ada'], roles: [], everyone: false },
    readWrite: { users: ['will'], roles: [], everyone: false },
  };
  await client.putApplicationPermissions({ params, body });
  t.strictSame(await client.getApplicationPermissions({ params }), body);
  const { appPath } = await application();
  const kept = `${cluster.nameNode}/webhdfs/v1${new URL(appPath).pathname}/permissions.json?op=OPEN&user.name=root`;
  t.match(await (await fetch(kept)).json(), body, 'in its folder, where others find them');
  const change = { params: rand, body: { tuplesBlast: 5 } };
  t.match(await gateway.clientOf('ada').getApplication({ params }), { id: appid, canWrite: false });
  await t.rejects(gateway.clientOf('ada').setOperatorProperties(change), {
    status: 403,
    code: 'FORBIDDEN',
  });
  t.match(await gateway.clientOf('will').getApplication({ params }), { id: appid, canWrite: true });
  await t.rejects(gateway.clientOf('eve').getApplication({ params }), notFound);
});

await row('POST A/loggers', async (t) => {
  const loggers = [{ target: 'com.datatorrent.stram.*', logLevel: 'DEBUG' as const }];
  await client.setLoggers({ params, body: { loggers } });
  t.match(await client.listLoggers({ params }), { loggers });
});

await row('GET A/loggers', async (t) => {
  t.strictSame(await client.listLoggers({ params }), {
    loggers: [{ target: 'com.datatorrent.stram.*', logLevel: 'DEBUG' }],
  });
});

await row('GET A/loggers/search', async (t) => {
  const { loggers } = await client.searchLoggers({
    params,
    query: { pattern: 'com\\.datatorrent\\.stram\\.Str.*' },
  });
  t.ok(loggers.some(({ name }) => name.endsWith('.StreamingAppMaster')));
});

await row('GET A/operatorClasses', async (t) => {
  const { operatorClasses } = await client.listOperatorClasses({ params, query: { q: 'console' } });
  t.ok(operatorClasses.some(({ name }) => name === 'com.datatorrent.lib.io.ConsoleOutputOperator'));
});

await row('GET A/operatorClasses/{}', async (t) => {
  const operatorClass = 'com.datatorrent.lib.io.ConsoleOutputOperator';
  const description = await client.getOperatorClass({ params: { appid, operatorClass } });
  t.match(description, { inputPorts: [{ name: 'input' }] });
  t.ok(description.properties.some(({ name }) => name === 'silent'));
});

await t.test('the topics of the gateway tell what the engine does', (t) =>
  topicsTell(t, client, appid, rows),
);

await t.test('an operator of the engine publishes through the hub', async (t) => {
  const numbers: unknown[] = [];
  const stop = client.subscribe(topic, (data) => numbers.push(data));
  await until(
    async () => numbers.length,
    (count) => count >= 20,
  );
  stop();
  t.ok(numbers.every((number) => Number(number) >= 0 && Number(number) <= 100));
});

// --- 4.3, as far as it only reads and sets

await row('GET LP', async (t) => {
  const plan = await client.getLogicalPlan({ params });
  t.strictSame(plan.operators.map(({ name }) => name).sort(), ['console', 'hub', 'rand']);
  t.match(plan.streams, [{ name: 'numbers' }]);
});

await row('GET LP/attributes', async (t) => {
  t.match(await client.getApplicationAttributes({ params }), { APPLICATION_NAME: 'Random' });
});

await row('GET LP/operators', async (t) => {
  const { operators: logical } = await client.listLogicalOperators({ params });
  t.match(
    logical.toSorted((a, b) => a.name.localeCompare(b.name)),
    [
      {
        name: 'console',
        className: 'org.example.MeteredConsole',
        status: { ACTIVE: 1 },
        autoMetrics: { half: 0.5, windows: Number },
      },
      { name: 'hub', className: 'com.datatorrent.lib.io.PubSubWebSocketOutputOperator' },
      { name: 'rand', className: 'com.datatorrent.lib.testbench.RandomEventGenerator', failureCount: 0 },
    ],
  );
  for (const { name, containerIds } of logical)
    t.strictSame(containerIds, [(await operator(name)).container], `where ${name} runs`);
});

await row('GET LP/operators/{}', async (t) => {
  t.match(await client.getLogicalOperator({ params: rand }), { name: 'rand', partitions: ['1'] });
  await t.rejects(client.getLogicalOperator({ params: { appid, opName: 'nobody' } }), notFound);
});

await row('POST LP/operators/{}/properties', async (t) => {
  await client.setOperatorProperties({ params: rand, body: { tuplesBlast: 7 } });
  const { tuplesBlast } = await until(
    () => client.getOperatorProperties({ params: rand }),
    (properties) => Number(properties['tuplesBlast']) === 7,
  );
  t.equal(Number(tuplesBlast), 7);
});

await row('GET LP/operators/{}/properties', async (t) => {
  const one = await client.getOperatorProperties({ params: rand, query: { propertyName: 'tuplesBlast' } });
  t.strictSame(Object.keys(one), ['tuplesBlast']);
});

await row('GET LP/operators/{}/attributes', async (t) => {
  t.match(await client.getOperatorAttributes({ params: rand }), { MEMORY_MB: /256/ });
});

await row('GET LP/operators/{}/ports/{}/attributes', async (t) => {
  const attributes = await client.getPortAttributes({ params: { ...rand, portName: 'integer_data' } });
  t.match(attributes, { BUFFER_MEMORY_MB: /32/ });
});

await row('GET LP/operators/{}/stats/meta', async (t) => {
  const meta = await until(
    () => client.getOperatorStatsMeta({ params: rand }),
    ({ count }) => count > 2,
  );
  t.match(meta, { appId: appid, operatorName: 'rand', operatorIds: ['1'], ended: false });
  t.ok(meta.startTime >= (await application()).startedTime && meta.endTime >= meta.startTime);
});

await row('GET LP/operators/{}/stats', async (t) => {
  const { operatorStats } = await client.listOperatorStats({ params: rand });
  t.ok(operatorStats.every(({ operatorId }) => operatorId === '1'));
  const times = operatorStats.map(({ timestamp }) => timestamp);
  t.strictSame(times, times.toSorted());
  const totals = operatorStats.map(({ stats }) => stats.totalTuplesEmitted);
  t.strictSame(
    totals,
    totals.toSorted((a = 0, b = 0) => a - b),
    'totals grow',
  );
  const last = operatorStats.at(-1)?.stats;
  const now = await operator('rand');
  t.ok(
    (last?.totalTuplesEmitted ?? 0) > 0 && (last?.totalTuplesEmitted ?? 0) <= (now.totalTuplesEmitted ?? 0),
  );
  t.match(last, { container: now.container, ports: [{ name: 'integer_data', type: 'output' }] });
  // At most 7 numbers each 200 milliseconds.
  t.ok((last?.tuplesEmittedPSMA ?? 0) > 0 && (last?.tuplesEmittedPSMA ?? 0) <= 40);
  const [range] = [{ startTime: times[1] ?? 0, endTime: times[2] ?? 0 }];
  const some = await client.listOperatorStats({ params: rand, query: range });
  t.strictSame(some.operatorStats, operatorStats.slice(1, 3), 'both ends included');
});

await row('GET LP/operators/{}/logs/{}', async (t) => {
  const params = { appid, operatorName: 'rand', logName: 'stdout' };
  const { lines } = await until(
    () => client.listOperatorCollections({ params }),
    (log) => log.lines.length > 0,
  );
  t.match(lines[0], { type: 'GC', heapCapacity: Number });
});

// --- 4.2

await row('GET PP', async (t) => {
  const plan = await client.getPhysicalPlan({ params });
  const idOf = (wanted: string) => plan.operators.find(({ name }) => name === wanted)?.id;
  t.match(plan.streams, [
    { logicalName: 'numbers', source: { operatorId: idOf('rand'), portName: 'integer_data' } },
  ]);
  t.strictSame(
    plan.streams[0]?.sinks.toSorted((a, b) => a.operatorId.localeCompare(b.operatorId)),
    [idOf('console'), idOf('hub')].sort().map((operatorId) => ({ operatorId, portName: 'input' })),
  );
});

await row('GET PP/operators', async (t) => {
  t.strictSame((await operators()).map(({ name }) => name).sort(), ['console', 'hub', 'rand']);
});

await row('GET PP/streams', async (t) => {
  const { streams } = await client.getPhysicalPlan({ params });
  t.strictSame(await client.listPhysicalStreams({ params }), { streams });
});

// Known from here on.
let opid = '';
let physical = { appid, opid };
let port = { ...physical, portName: 'integer_data' };

await row('GET PP/operators/{}', async (t) => {
  opid = (await operator('rand')).id;
  physical = { appid, opid };
  port = { ...physical, portName: 'integer_data' };
  const one = await client.getPhysicalOperator({ params: physical });
  t.match(one, { id: opid, name: 'rand', host: /^localhost:/ });
  t.ok((one.totalTuplesEmitted ?? 0) > 0);
  await t.rejects(client.getPhysicalOperator({ params: { appid, opid: '99' } }), notFound);
});

await row('GET PP/operators/{}/deployHistory', async (t) => {
  const history = await client.getDeployHistory({ params: physical });
  t.match(history, { name: 'rand', containers: [{ container: /^container_/ }] });
});

await row('GET PP/operators/{}/ports', async (t) => {
  const { ports } = await client.listPorts({ params: physical });
  t.match(ports, [{ name: 'integer_data', type: 'output', recordingId: null }]);
  t.ok((ports[0]?.totalTuples ?? 0) > 0 && (ports[0]?.tuplesPSMA ?? 0) <= 40);
});

await row('GET PP/operators/{}/ports/{}', async (t) => {
  t.ok(((await client.getPort({ params: port })).totalTuples ?? 0) > 0);
});

await row('POST PP/operators/{}/properties', async () => {
  await client.setPhysicalOperatorProperties({ params: physical, body: { minvalue: 3 } });
});

await row('GET PP/operators/{}/properties', async (t) => {
  const recorded = { minvalue: '3', tuplesBlast: '7', maxvalue: '100' };
  await until(
    () => client.getPhysicalOperatorProperties({ params: physical }),
    ({ minvalue }) => minvalue === recorded.minvalue,
  );
  t.match(await client.getPhysicalOperatorProperties({ params: physical }), recorded, 'what it was given');
  const live = await client.getPhysicalOperatorProperties({ params: physical, query: { live: true } });
  t.match(live, { minvalue: 3, tuplesBlast: 7, maxvalue: 100 }, 'and what it has');
  t.equal((await operator('rand')).failureCount, 0, 'asking did it no harm');
});

let recording = '';
await row('POST PP/operators/{}/recordings/start', async (t) => {
  recording = (await client.startOperatorRecording({ params: physical })).id;
  t.ok(recording);
});

await row('GET PP/operators/{}/recordings/{}', async (t) => {
  const found = await until(
    () => client.getRecording({ params: { ...physical, id: recording } }).catch(() => undefined),
    (one) => one !== undefined,
  );
  t.match(found, { id: recording, operatorId: opid, ended: false, containerId: /^container_/ });
});

await row('POST PP/operators/{}/recordings/stop', async (t) => {
  const since = BigInt((await operator('rand')).currentWindowId ?? 0);
  await until(
    () => operator('rand'),
    ({ currentWindowId }) => BigInt(currentWindowId ?? 0) >= since + 4n,
  );
  await client.stopOperatorRecording({ params: physical });
  const ended = await until(
    () => client.getRecording({ params: { ...physical, id: recording } }),
    (one) => one.ended,
  );
  t.ok(ended.totalTuples > 0);
});

await row('GET PP/operators/{}/recordings', async (t) => {
  const { recordings } = await client.listOperatorRecordings({ params: physical });
  t.strictSame(
    recordings.map(({ id }) => id),
    [recording],
  );
});

await row('GET A/recordings', async (t) => {
  t.strictSame(
    await client.listApplicationRecordings({ params }),
    await client.listOperatorRecordings({ params: physical }),
  );
});

await row('GET PP/operators/{}/recordings/{}/tuples', async (t) => {
  const query = { limit: 10 };
  const batch = await client.getRecordedTuples({ params: { ...physical, id: recording }, query });
  t.equal(batch.startOffset, '0');
  t.match(batch.tuples[0], { windowId: /^7\d{18}$/ });
  const written = batch.tuples.flatMap(({ tuples }) => tuples.map(({ data }) => Number(data)));
  t.ok(written.length > 0 && written.every((number) => number >= 0 && number <= 100), `${written}`);
});

await row('DELETE PP/operators/{}/recordings/{}', async (t) => {
  await client.deleteRecording({ params: { ...physical, id: recording } });
  t.strictSame((await client.listOperatorRecordings({ params: physical })).recordings, []);
  // The engine's plan shows it for a heartbeat longer, and nothing is left that says otherwise.
  await until(
    () => operator('rand'),
    (one) => one.recordingId === null,
  );
});

await row('POST PP/operators/{}/ports/{}/recordings/start', async (t) => {
  const { id } = await client.startPortRecording({ params: port, body: { numWindows: 4 } });
  const ended = await until(
    () => client.getRecording({ params: { ...physical, id } }).catch(() => undefined),
    (one) => one?.ended === true,
  );
  t.strictSame(
    ended?.ports.map(({ name }) => name),
    ['integer_data'],
  );
});

await row('POST PP/operators/{}/ports/{}/recordings/stop', async (t) => {
  const { id } = await client.startPortRecording({ params: port });
  await until(
    () => client.getRecording({ params: { ...physical, id } }).catch(() => undefined),
    (one) => one !== undefined,
  );
  await client.stopPortRecording({ params: port });
  const ended = await until(
    () => client.getRecording({ params: { ...physical, id } }),
    (one) => one.ended,
  );
  t.ok(ended);
});

await row('GET PP/containers', async (t) => {
  await until(
    () => client.listContainers({ params, query: { states: 'ACTIVE' } }),
    ({ containers }) => containers.length === 4,
  );
  const { containers: masters } = await client.listContainers({ params, query: { types: 'appmaster' } });
  t.match(masters, [{ id: /_000001$/, containerType: 'APP_MASTER' }]);
});

let containerId = '';
let container = { appid, containerId };

await row('GET PP/containers/{}', async (t) => {
  containerId = (await operator('rand')).container ?? '';
  container = { appid, containerId };
  t.match(await client.getContainer({ params: container }), {
    state: 'ACTIVE',
    operators: { [opid]: 'rand' },
  });
});

await row('GET PP/containers/{}/logs', async (t) => {
  const { logs } = await client.listLogs({ params: container });
  t.strictSame(logs.map(({ name }) => name).sort(), ['apex.log', 'stderr', 'stdout']);
  t.ok(logs.some(({ length }) => length > 0));
});

await row('GET PP/containers/{}/logs/{}', async (t) => {
  const params = { ...container, logName: 'apex.log' };
  const text = async (query: Parameters<typeof client.readLog>[0]['query']) => {
    const answer = await client.readLog({ params, ...(query && { query }) });
    return answer instanceof Response ? answer.text() : JSON.stringify(answer);
  };
  t.match(await text({ start: 0, end: 30 }), /^\d{4}-\d\d-\d\d /);
  t.match(await text({ grep: 'StreamingContainer' }), /StreamingContainer/);
  t.match(await text({ lastNBytes: 2000 }), /\S/);
  t.match(JSON.parse(await text({ includeOffset: true, end: 1000 })), { lines: [{ byteOffset: '0' }] });
});

await row('GET PP/containers/logs/{}', async (t) => {
  const containers = async () => {
    const answer = await client.listCollections({
      params: { appid, logName: 'stdout' },
      query: { includeOffset: true },
    });
    const { lines } = answer instanceof Response ? { lines: [] } : answer;
    return [...new Set(lines.map((line) => line.container))];
  };
  const found = await until(containers, ({ length }) => length >= 2);
  t.ok(
    found.every((id) => /^container_/.test(id)),
    'of more than one container',
  );
});

await row('GET PP/containers/{}/stackTrace', async (t) => {
  const { threads } = await client.getStackTrace({ params: container });
  t.ok(
    threads.some(({ name }) => /rand/.test(name)),
    'the thread of the operator',
  );
});

await row('GET PP/containers/stats/meta', async (t) => {
  const meta = await until(
    () => client.getContainerStatsMeta({ params }),
    ({ count }) => count > 0,
  );
  t.ok(Object.values(meta.containers).some(({ id }) => id === containerId));
});

await row('GET PP/containers/stats', async (t) => {
  const { containerStats } = await until(
    () => client.listContainerStats({ params }),
    (stats) => stats.containerStats.length > 0,
  );
  t.match(containerStats[0], { containerId: /^container_/, stats: { numOperators: 1 } });
});

await row('POST PP/containers/{}/kill', async (t) => {
  await t.rejects(client.killContainer({ params: { appid, containerId: `${containerId}9` } }), notFound);
  await client.killContainer({ params: container });
  const moved = await until(
    () => operator('rand'),
    (one) => one.container !== null && one.container !== containerId && one.status === 'ACTIVE',
  );
  t.not(moved.container, containerId);
  const history = await client.getDeployHistory({ params: physical });
  t.equal(history.containers.length, 2);
  const { containers } = await client.listContainers({ params, query: { states: 'KILLED' } });
  t.ok(containers.some(({ id }) => id === containerId));
  await untilAllMove(client, appid);
});

await row('POST LP', async (t) => {
  const change = (...requests: Parameters<typeof client.changeLogicalPlan>[0]['body']['requests']) =>
    client.changeLogicalPlan({ params, body: { requests } });
  await t.rejects(change({ requestType: 'RemoveOperatorRequest', operatorName: 'nobody' }));
  await change(
    {
      requestType: 'CreateOperatorRequest',
      operatorName: 'second',
      operatorFQCN: 'com.datatorrent.lib.stream.DevNull',
    },
    {
      requestType: 'AddStreamSinkRequest',
      streamName: 'numbers',
      sinkOperatorName: 'second',
      sinkOperatorPortName: 'data',
    },
  );
  // While the readers stand still.
  others().catch(() => {});
  const all = await untilAllMove(client, appid, 20n);
  t.strictSame(all.map(({ name }) => name).sort(), ['console', 'hub', 'rand', 'second'], 'and all go on');
  const { issues } = await client.listApplicationIssues({ params });
  t.match(
    issues.filter(({ key }) => key === 'CONTAINER_FAILURES'),
    [{ description: /^\d+ containers ended within the last 10 minutes/ }],
    'the killed one, and those of the readers that stood still',
  );
});

await row('GET A/failureRootCause', async (t) => {
  await t.rejects(client.getFailureRootCause({ params }), notFound, 'this one runs');
  const params2 = { appid: (await others()).failing };
  // The resource manager tells the end first, and why a moment later.
  const ended = await until(
    () => client.getApplication({ params: params2 }),
    ({ finalStatus, diagnostics }) => finalStatus !== 'UNDEFINED' && diagnostics !== '',
  );
  t.match(ended, { finalStatus: 'FAILED', diagnostics: /failure threshold/ });
  const cause = await client.getFailureRootCause({ params: params2 });
  t.match(cause, { title: 'FC_OPERATOR_ERROR', type: 'markdown' });
  t.match(cause.content, /## Cause\n\n```\n.*IllegalStateException: broken, as it was told/);
  t.match(cause.content, /- Operator: ` beans `/);
  t.match(cause.content, /org\.example\.Beans\.beginWindow\(Beans\.java:\d+\)/, 'its stack');
  t.match(cause.content, /## Log\n\n```\n[^`]*ERROR [^`]*IllegalStateException: broken/, 'what it logged');
  t.match(cause.content, /## Diagnostics\n\n```\n[^`]*failure threshold/);
});

// --- the end

let lastWindow = 0n;
await row('POST A/shutdown', async (t) => {
  lastWindow = BigInt((await operator('rand')).currentWindowId ?? 0);
  await client.shutdownApplication({ params });
  t.match(await untilState('FINISHED'), { finalStatus: 'SUCCEEDED' });
  t.ok((await client.listEvents({ params })).events.length > 0, 'its events stay');
  t.ok((await client.listContainers({ params })).containers.every(({ state }) => state === 'KILLED'));
});

await row('POST A/restart', async (t) => {
  const before = await application();
  const body = { 'apex.operator.rand.prop.tuplesBlast': 3 };
  await t.rejects(client.restartApplication({ params, body }), {
    status: 400,
    message: /takes no properties/,
  });
  const again = (await client.restartApplication({ params })).appId;
  t.not(again, appid);
  const params2 = { appid: again };
  const after = await until(
    () => client.getApplication({ params: params2 }),
    ({ state }) => state === 'RUNNING',
  );
  t.match(after, {
    name: 'Random',
    user: 'root',
    finalStatus: 'UNDEFINED',
    currentAttemptId: /_000001$/,
    appPackageSource: before.appPackageSource ?? {},
  });
  // A master that has just begun may be late.
  const plan = await until(
    () => client.getLogicalPlan({ params: params2 }),
    ({ operators }) => operators.length > 0,
  );
  const names = plan.operators.map(({ name }) => name).sort();
  t.strictSame(names, ['console', 'hub', 'rand', 'second'], 'with the changed plan');
  const restored = await until(
    () => client.getOperatorProperties({ params: { ...params2, opName: 'rand' } }),
    ({ tuplesBlast }) => tuplesBlast !== undefined,
  );
  t.match(restored, { tuplesBlast: '7' });
  // Not from all: the engine forgets readers here as well, until it finds them blocked.
  await until(
    () => client.listPhysicalOperators({ params: params2 }),
    (plan) =>
      plan.operators.some(
        ({ name, currentWindowId }) => name === 'rand' && BigInt(currentWindowId ?? 0) > lastWindow,
      ),
  );
  t.equal((await application()).state, 'FINISHED', 'the one before stays what it was');
  await client.shutdownApplication({ params: params2 });
});

await row('POST A/kill', async (t) => {
  const params = { appid: (await others()).killed };
  const state = async () => (await client.getApplication({ params })).state;
  await until(state, (now) => now === 'RUNNING');
  await client.killApplication({ params });
  t.equal(await until(state, (now) => now !== 'RUNNING'), 'KILLED');
  await t.rejects(client.killApplication({ params }), { status: 409, code: 'APPLICATION_ENDED' });
});

report();
