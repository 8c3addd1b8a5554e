import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { publishedNumbers, writePackage } from './application-package.js';
import { artifacts } from './artifacts.js';
import { startYarn } from './cluster.js';
import { explainFailures } from './explain.js';
import { yarnGateway } from './gateway.js';
import { specifiedRows } from './rows.js';
import { until, untilAllMove } from './session.js';

// Every operation of the specification's sections 4.1 to 4.3, through the gateway, on a living application of the real
// engine. One after the other, in the order of a life.

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
await writePackage(file, { jars: parts.packageJars, applications: { Random: publishedNumbers(topic) } });
const meta = await client.uploadPackage({ body: await readFile(file) });
const packaged = {
  owner: 'root',
  name: meta.appPackageName,
  version: meta.appPackageVersion,
  appName: 'Random',
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
  return (await client.launchPackageApplication({ params: packaged, body })).appId;
};
const appid = await launch('Random');
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
  t.match(await client.listApplications(), { apps: [{ id: appid, name: 'Random', state: 'RUNNING' }] });
  t.strictSame((await client.listApplications({ query: { states: 'FAILED' } })).apps, []);
});

await row('GET A', async (t) => {
  const app = await until(application, ({ stats }) => stats !== null && stats.totalTuplesProcessed > 0);
  t.match(app, { id: appid, user: 'root', state: 'RUNNING', version: '3.7.0', currentAttemptId: /_000001$/ });
  t.match(app.stats, { numOperators: 3, plannedContainers: 3, currentWindowId: /^7\d{18}$/ });
});

await row('GET A/metrics', async (t) => {
  t.match(await client.getApplicationMetrics({ params }), { applicationId: appid, metrics: [] });
});

await row('GET A/failureRootCause', async (t) => {
  await t.rejects(client.getFailureRootCause({ params }), notFound, 'nothing has failed');
});

await row('GET A/issues', async (t) => {
  t.ok(Array.isArray((await client.listApplicationIssues({ params })).issues));
});

await row('GET A/events', async (t) => {
  const types = async () => (await client.listEvents({ params })).events.map(({ type }) => type);
  const found = await until(types, (all) => all.includes('StartContainer') && all.includes('StartOperator'));
  t.ok(found.length >= 2);
});

await row('GET A/permissions', async (t) => {
  t.ok((await client.getApplicationPermissions({ params })).readOnly);
});

await row('PUT A/permissions', async (t) => {
  const body = {
    readOnly: { users: ['ada'], roles: [], everyone: false },
    readWrite: { users: [], roles: [], everyone: false },
  };
  await client.putApplicationPermissions({ params, body });
  t.match(await client.getApplicationPermissions({ params }), body);
});

await row('POST A/loggers', async (t) => {
  const loggers = [{ target: 'com.datatorrent.stram.*', logLevel: 'DEBUG' as const }];
  await client.setLoggers({ params, body: { loggers } });
  t.match(await client.listLoggers({ params }), { loggers });
});

await row('GET A/loggers', async (t) => {
  t.equal((await client.listLoggers({ params })).loggers.length, 1);
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

await t.test('the topics of the gateway tell what the engine does', async (t) => {
  const names = ['applications', 'cluster.metrics'].concat(
    ['', '.containers', '.physicalOperators', '.logicalOperators', '.events'].map(
      (part) => `applications.${appid}${part}`,
    ),
  );
  const refused: string[] = [];
  const heard = names.map((name) => {
    const different = new Set<string>();
    const stop = client.subscribe(
      name,
      (data) => different.add(JSON.stringify(data)),
      ({ code }) => refused.push(`${name}: ${code}`),
    );
    return { different, stop };
  });
  let tuplesBlast = 5;
  await until(
    async () => {
      // Each change is an event.
      tuplesBlast = tuplesBlast === 5 ? 6 : 5;
      await client.setOperatorProperties({ params: rand, body: { tuplesBlast } });
      return heard.map(({ different }) => different.size);
    },
    (sizes) => sizes.every((size) => size >= 2),
  );
  for (const { stop } of heard) stop();
  t.strictSame(refused, []);
  for (const name of names) rows.heard(name.replace(appid, '{}'));
});

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
  t.equal((await client.listLogicalOperators({ params })).operators.length, 3);
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
    ({ count }) => count > 0,
  );
  t.equal(meta.ended, false);
});

await row('GET LP/operators/{}/stats', async (t) => {
  const { operatorStats } = await until(
    () => client.listOperatorStats({ params: rand }),
    (stats) => stats.operatorStats.length > 0,
  );
  t.match(operatorStats[0], { stats: {} });
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
  t.match(plan.streams, [{ logicalName: 'numbers' }]);
});

await row('GET PP/operators', async (t) => {
  t.strictSame((await operators()).map(({ name }) => name).sort(), ['console', 'hub', 'rand']);
});

await row('GET PP/streams', async (t) => {
  t.equal((await client.listPhysicalStreams({ params })).streams.length, 1);
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
  t.ok(one.totalTuplesEmitted > 0);
  await t.rejects(client.getPhysicalOperator({ params: { appid, opid: '99' } }), notFound);
});

await row('GET PP/operators/{}/deployHistory', async (t) => {
  const history = await client.getDeployHistory({ params: physical });
  t.match(history, { name: 'rand', containers: [{ container: /^container_/ }] });
});

await row('GET PP/operators/{}/ports', async (t) => {
  t.match(await client.listPorts({ params: physical }), {
    ports: [{ name: 'integer_data', type: 'output' }],
  });
});

await row('GET PP/operators/{}/ports/{}', async (t) => {
  t.ok((await client.getPort({ params: port })).totalTuples > 0);
});

await row('POST PP/operators/{}/properties', async () => {
  await client.setPhysicalOperatorProperties({ params: physical, body: { minvalue: 3 } });
});

await row('GET PP/operators/{}/properties', async (t) => {
  const properties = await until(
    () => client.getPhysicalOperatorProperties({ params: physical }),
    ({ minvalue }) => minvalue !== undefined,
  );
  t.match(properties, { minvalue: 3, tuplesBlast: 7 });
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
  t.match(found, { id: recording, operatorId: opid, ended: false });
});

await row('POST PP/operators/{}/recordings/stop', async (t) => {
  const since = BigInt((await operator('rand')).currentWindowId);
  await until(
    () => operator('rand'),
    ({ currentWindowId }) => BigInt(currentWindowId) >= since + 4n,
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
  t.match(await client.listApplicationRecordings({ params }), { recordings: [{ id: recording }] });
});

await row('GET PP/operators/{}/recordings/{}/tuples', async (t) => {
  const query = { limit: 10 };
  const batch = await client.getRecordedTuples({ params: { ...physical, id: recording }, query });
  t.equal(batch.startOffset, '0');
  t.ok(batch.tuples.flatMap(({ tuples }) => tuples).length > 0);
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
  t.match(containerStats[0], { stats: { numOperators: 1 } });
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
  const all = await untilAllMove(client, appid);
  t.strictSame(all.map(({ name }) => name).sort(), ['console', 'hub', 'rand', 'second'], 'and all go on');
});

// --- the end

await row('POST A/shutdown', async (t) => {
  await client.shutdownApplication({ params });
  t.match(await untilState('FINISHED'), { finalStatus: 'SUCCEEDED', stats: null });
  t.ok((await client.listEvents({ params })).events.length > 0, 'its events stay');
  t.ok((await client.listContainers({ params })).containers.every(({ state }) => state === 'KILLED'));
});

await row('POST A/restart', async (t) => {
  const again = (await client.restartApplication({ params })).appId;
  t.not(again, appid);
  await until(
    () => client.getApplication({ params: { appid: again } }),
    ({ state }) => state === 'RUNNING',
  );
  await client.shutdownApplication({ params: { appid: again } });
});

await row('POST A/kill', async (t) => {
  const params = { appid: await launch('Killed') };
  const state = async () => (await client.getApplication({ params })).state;
  await until(state, (now) => now === 'RUNNING');
  await client.killApplication({ params });
  t.equal(await until(state, (now) => now !== 'RUNNING'), 'KILLED');
  await t.rejects(client.killApplication({ params }), { status: 409, code: 'CONFLICT' });
});

report();
