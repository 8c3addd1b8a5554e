import { appendFileSync } from 'node:fs';
import t from 'tap';
import type { PhysOperator } from '../../../lib/driver-kit.js';
import { untilItRuns, untilState } from '../../helpers/applications.js';
import { as } from '../../helpers/people.js';
import { containerOf, pidOf } from '../../helpers/plan-changes.js';
import { until } from '../../helpers/waiting.js';
import { demoServer } from './demo-application.js';
import { rowsOf } from './noting.js';

// Every operation of a running application, on the demo application: it reads the access log of the very server that
// answers here, so that what the operations tell can be held against that file.

const demo = await demoServer(t);
const { client, appid, application, logged, heard } = demo;
const params = { appid };
const notFound = { status: 404, code: 'NOT_FOUND' };

/** How many lines each operator on the way has counted; they agree when all was read. */
const countsOf = (operators: readonly PhysOperator[]) => {
  const named = (name: string) => operators.find((operator) => operator.name === name);
  return [
    named('lines')?.totalTuplesEmitted,
    named('parse')?.totalTuplesProcessed,
    named('requests')?.totalTuplesProcessed,
    named('rate')?.totalTuplesProcessed,
    named('paths')?.totalTuplesProcessed,
  ];
};
async function traffic(requests = 40) {
  for (let sent = 0; sent < requests; sent += 1)
    await (await fetch(`${demo.baseUrl}/ws/v2/${sent % 4 === 0 ? 'nowhere' : 'health'}`)).text();
}
const metric = async (id: string, name: string, operator: string) => {
  const { metrics } = await client.getApplicationMetrics({ params: { appid: id } });
  return metrics.find((one) => one.name === name)?.values[operator];
};
const streaming = async (id = appid) =>
  (await client.listContainers({ params: { appid: id }, query: { states: 'ACTIVE' } })).containers.filter(
    ({ containerType }) => containerType === 'STREAMING',
  );
const textOf = async (answer: unknown) => (answer instanceof Response ? answer.text() : 'not text');

await heard(appid, (operators) =>
  operators.every(({ status, currentWindowId }) => status === 'ACTIVE' && Number(currentWindowId) > 0),
);
await traffic();
const { operators } = await client.getPhysicalPlan({ params });
const idOf = (name: string) => operators.find((operator) => operator.name === name)?.id ?? '';
const names = application.operators.map(({ name }) => name);

t.test('the application: itself, its counts and those of the file, what is wrong', async (t) => {
  t.match((await client.listApplications()).apps, [{ id: appid, name: 'Access log', state: 'RUNNING' }]);
  let lines = -1;
  const still = await heard(appid, async (operators) => {
    lines = (await logged()).length;
    return countsOf(operators).every((count) => count === lines);
  });
  t.ok(lines > 40);
  t.strictSame(countsOf(still), Array(5).fill(lines), 'every line of the file, once');
  const own = await until(
    () => metric(appid, 'lines', 'lines'),
    (count) => Number(count) >= lines,
  );
  t.ok(Number(own) <= (await logged()).length, 'the operator counts itself, and no more than there are');

  const app = await client.getApplication({ params });
  t.match(app, { appDataSources: [{ operatorName: 'pathTable' }], runningContainers: 3 });
  t.ok((app.stats?.totalTuplesEmitted ?? 0) > lines);
  t.ok(BigInt(app.stats?.currentWindowId ?? 0) > 0n);
  t.equal(app.stats?.numOperators, names.length);
  t.strictSame(await client.listApplicationIssues({ params }), { issues: [] });
  await t.rejects(client.getFailureRootCause({ params }), notFound, 'nothing has failed');
});

t.test('the logical plan is the JSON application', async (t) => {
  const plan = await client.getLogicalPlan({ params });
  t.strictSame(plan.operators.map(({ name }) => name).sort(), [...names].sort());
  t.match(
    plan.streams.map(({ name, source, sinks }) => ({ name, source, sinks })),
    application.streams.map(({ name, source, sinks }) => ({ name, source, sinks })),
  );
  const { operators } = await client.listLogicalOperators({ params });
  t.ok(operators.every(({ partitions, status }) => partitions.length === 1 && status['ACTIVE'] === 1));
  const one = await client.getLogicalOperator({ params: { appid, opName: 'parse' } });
  t.match(one, { className: 'headgate.parse.JsonParse', partitions: [idOf('parse')] });
  t.ok((one.totalTuplesProcessed ?? 0) > 40);

  for (const { name, properties } of application.operators.filter(({ name }) => name !== 'lines'))
    t.match(await client.getOperatorProperties({ params: { appid, opName: name } }), properties ?? {}, name);
  t.match(await client.getOperatorProperties({ params: { appid, opName: 'lines' } }), { path: demo.logFile });

  t.match(await client.getApplicationAttributes({ params }), {
    APPLICATION_ID: appid,
    APPLICATION_NAME: 'Access log',
    STREAMING_WINDOW_SIZE_MILLIS: 500,
  });
  const ofOperator = await client.getOperatorAttributes({ params: { appid, opName: 'paths' } });
  t.strictSame(ofOperator, application.operators.find(({ name }) => name === 'paths')?.attributes);
  t.match(ofOperator, { MEMORY_MB: Number });
  const port = { appid, opName: 'parse', portName: 'input' };
  t.match(await client.getPortAttributes({ params: port }), { QUEUE_CAPACITY: Number });
});

t.test('the physical plan: operators, ports, streams', async (t) => {
  const { operators } = await client.listPhysicalOperators({ params });
  t.strictSame(operators.map(({ name }) => name).sort(), [...names].sort());
  const { streams } = await client.listPhysicalStreams({ params });
  t.strictSame(
    streams.map(({ logicalName }) => logicalName).sort(),
    application.streams.map(({ name = '' }) => name).sort(),
  );
  const opid = idOf('parse');
  const one = await client.getPhysicalOperator({ params: { appid, opid } });
  const { ports } = await client.listPorts({ params: { appid, opid } });
  t.strictSame(
    ports.map(({ name, type }) => [name, type]),
    [
      ['input', 'input'],
      ['output', 'output'],
      ['errors', 'output'],
    ],
  );
  const input = await client.getPort({ params: { appid, opid, portName: 'input' } });
  t.ok((input.totalTuples ?? 0) >= (one.totalTuplesProcessed ?? 0) && (one.totalTuplesProcessed ?? 0) > 40);
});

t.test('containers, their threads, logs and garbage collections', async (t) => {
  const { containers } = await client.listContainers({ params });
  t.strictSame(containers.map(({ containerType }) => containerType).sort(), [
    'APP_MASTER',
    'STREAMING',
    'STREAMING',
  ]);
  t.strictSame(containers.flatMap(({ operators }) => Object.values(operators)).sort(), [...names].sort());
  const { id: containerId } = await containerOf(client, appid, 'rejected');
  const one = await client.getContainer({ params: { appid, containerId } });
  t.ok(pidOf(one) > 0 && pidOf(one) !== process.pid, 'a process of its own');
  process.kill(pidOf(one), 0);

  const { threads } = await client.getStackTrace({ params: { appid, containerId } });
  t.ok(
    threads.some(
      ({ name, state, stackTraceElements }) =>
        name === 'main' && (state === 'WAITING' || stackTraceElements.length > 0),
    ),
    'the main thread is somewhere, or waits for events',
  );

  appendFileSync(demo.logFile, 'this is no JSON\n');
  const log = { appid, containerId, logName: 'headgate.log' };
  const query = { grep: 'not a log line: .*this is no JSON' };
  const found = await until(
    async () => textOf(await client.readLog({ params: log, query })),
    (text) => text !== '',
  );
  t.match(found, /^[\d-]+ [\d:,]+ \[main\] WARN .*this is no JSON.*\n$/, 'what the operator wrote, once');
  const { logs } = await client.listLogs({ params: { appid, containerId } });
  t.ok((logs.find(({ name }) => name === 'headgate.log')?.length ?? 0) > found.length);

  const withOffset = { includeOffset: true } as const;
  const collections = await until(
    async () => client.listCollections({ params: { appid, logName: 'gc.log' }, query: withOffset }),
    (answer) =>
      !(answer instanceof Response) && answer.lines.some(({ container }) => container === containerId),
  );
  const ofParse = await client.listOperatorCollections({
    params: { appid, operatorName: 'parse', logName: 'gc.log' },
  });
  if (collections instanceof Response) throw new Error('JSON was expected');
  const expected = collections.lines.filter(({ container }) => container === containerId);
  t.strictSame(ofParse.lines.slice(0, expected.length), expected, 'those of its container');
  const gcLog = { appid, containerId, logName: 'gc.log' };
  const written = (await textOf(await client.readLog({ params: gcLog, query: { grep: '\\[gc\\] GC' } })))
    .split('\n')
    .slice(0, expected.length);
  t.strictSame(
    expected.map(({ line }) => line),
    written,
  );
});

t.test('recordings hold the lines of the access log', async (t) => {
  const opid = idOf('parse');
  const port = { appid, opid, portName: 'input' };
  const before = await logged();
  const ofPort = await client.startPortRecording({ params: port });
  await traffic(20);
  const place = { appid, opid, id: ofPort.id };
  await until(
    () => client.getRecording({ params: place }),
    ({ totalTuples }) => totalTuples >= 20,
  );
  await client.stopPortRecording({ params: port });
  const { tuples } = await client.getRecordedTuples({ params: place });
  const recorded = tuples.flatMap(({ tuples }) => tuples.map(({ data }) => data));
  const lines = await logged();
  const first = lines.indexOf(String(recorded[0]));
  t.ok(first >= before.length - 10 && recorded.length >= 20);
  t.strictSame(recorded, lines.slice(first, first + recorded.length), 'in order, none missing, none twice');

  const operator = { appid, opid: idOf('requests') };
  const { id } = await client.startOperatorRecording({ params: operator });
  await traffic(4);
  await until(
    () => client.getRecording({ params: { ...operator, id } }),
    ({ totalTuples }) => totalTuples > 0,
  );
  await client.stopOperatorRecording({ params: operator });
  t.match((await client.listOperatorRecordings({ params: operator })).recordings, [{ id, ended: true }]);
  const all = async () =>
    (await client.listApplicationRecordings({ params })).recordings.map((recording) => recording.id);
  t.strictSame(await all(), [ofPort.id, id]);
  await client.deleteRecording({ params: { ...operator, id } });
  t.strictSame(await all(), [ofPort.id]);
});

t.test('statistics grow', async (t) => {
  const opName = { appid, opName: 'lines' };
  const meta = await until(
    () => client.getOperatorStatsMeta({ params: opName }),
    ({ count }) => count >= 4,
  );
  t.match(meta, { operatorIds: [idOf('lines')], ended: false });
  const { operatorStats } = await client.listOperatorStats({ params: opName });
  const emitted = operatorStats.map(({ stats }) => stats.totalTuplesEmitted);
  t.strictSame(
    emitted,
    emitted.toSorted((a = 0, b = 0) => a - b),
  );
  t.ok((emitted.at(-1) ?? 0) > (emitted[0] ?? Infinity));
  t.ok((emitted.at(-1) ?? Infinity) <= (await logged()).length);

  const ofContainers = await client.getContainerStatsMeta({ params });
  t.strictSame(Object.keys(ofContainers.containers).sort(), (await streaming()).map(({ id }) => id).sort());
  const { containerStats } = await client.listContainerStats({ params });
  t.ok(containerStats.length >= ofContainers.count && ofContainers.count > 2);
  t.ok(containerStats.every(({ containerId }) => containerId in ofContainers.containers));
});

t.test('who may, loggers, operator classes', async (t) => {
  const eve = demo.newClient(as('eve', 'guest'));
  await t.rejects(eve.getApplication({ params }), notFound);
  const permissions = await client.getApplicationPermissions({ params });
  const body = { ...permissions, readOnly: { ...permissions.readOnly, users: ['eve'] } };
  await client.putApplicationPermissions({ params, body });
  t.strictSame(await client.getApplicationPermissions({ params }), body);
  t.match(await eve.getApplication({ params }), { id: appid, canWrite: false });

  const loggers = [{ target: 'headgate.io.*', logLevel: 'DEBUG' as const }];
  await client.setLoggers({ params, body: { loggers } });
  t.strictSame(await client.listLoggers({ params }), { loggers });
  const found = await client.searchLoggers({ params, query: { pattern: 'headgate\\.io\\.File.*' } });
  t.strictSame(found, { loggers: [{ name: 'headgate.io.FileLines', level: 'DEBUG' }] });

  const { operatorClasses } = await client.listOperatorClasses({ params });
  const known = new Set(operatorClasses.map(({ name }) => name));
  t.strictSame(
    application.operators.filter(({ class: type }) => !known.has(type)),
    [],
  );
  const top = await client.getOperatorClass({
    params: { appid, operatorClass: 'headgate.aggregate.TopN' },
  });
  t.ok(top.properties.some(({ name, canSet }) => name === 'length' && canSet));
  t.match(top, { inputPorts: [{ name: 'input' }], outputPorts: [{ name: 'output' }] });
});

t.test('properties change while it runs', async (t) => {
  const opName = { appid, opName: 'paths' };
  const opid = { appid, opid: idOf('paths') };
  const length = async () => (await client.getPhysicalOperatorProperties({ params: opid }))['length'];
  t.equal(await length(), 10);
  await client.setOperatorProperties({ params: opName, body: { length: 1 } });
  t.equal(await length(), 1, 'where it runs');
  await traffic(8);
  const published = await new Promise<unknown>((resolve) => {
    const stop = client.subscribe('demo.accessLog', (data) => {
      const top = topOf(data);
      if (top?.length !== 1) return;
      stop();
      resolve(top[0]);
    });
  });
  t.match(published, { key: /^\//, count: Number }, 'what it publishes has one path only');
  await client.setPhysicalOperatorProperties({ params: opid, body: { length: 2 } });
  t.equal(await length(), 2);
});

t.test('the plan changes while tuples flow', async (t) => {
  const requests = [
    {
      requestType: 'CreateOperatorRequest',
      operatorName: 'missing',
      operatorFQCN: 'headgate.transform.Filter',
    },
    {
      requestType: 'SetOperatorPropertyRequest',
      operatorName: 'missing',
      propertyName: 'condition',
      propertyValue: 'number(status) == 404',
    },
    {
      requestType: 'AddStreamSinkRequest',
      streamName: 'records',
      sinkOperatorName: 'missing',
      sinkOperatorPortName: 'input',
    },
    {
      requestType: 'CreateOperatorRequest',
      operatorName: 'notes',
      operatorFQCN: 'headgate.io.ConsoleOutput',
    },
    {
      requestType: 'CreateStreamRequest',
      streamName: 'notFound',
      sourceOperatorName: 'missing',
      sourceOperatorPortName: 'output',
      sinkOperatorName: 'notes',
      sinkOperatorPortName: 'input',
    },
  ] as const;
  await client.changeLogicalPlan({ params, body: { requests: [...requests] } });
  const since = (await logged()).length;
  const { operators, streams } = await client.getLogicalPlan({ params });
  t.ok(['missing', 'notes'].every((name) => operators.some((operator) => operator.name === name)));
  t.match(
    streams.find(({ name }) => name === 'notFound'),
    { sinks: [{ operatorName: 'notes' }] },
  );
  const { operators: physical } = await untilItRuns(client, appid);
  t.equal(physical.length, names.length + 2);
  await traffic(20);
  await heard(appid, async (operators) => {
    const lines = (await logged()).slice(since).filter((line) => /"status":404\b/.test(line));
    return operators.find(({ name }) => name === 'notes')?.totalTuplesProcessed === lines.length;
  });
});

t.test('slips are answered with what there is', async (t) => {
  const parse = { appid, opid: idOf('parse') };
  const paths = { appid, opName: 'paths' };
  const create = (operatorName: string) => ({
    requestType: 'CreateOperatorRequest' as const,
    operatorName,
    operatorFQCN: 'headgate.transform.Filter',
  });
  const join = {
    requestType: 'AddStreamSinkRequest' as const,
    streamName: 'records',
    sinkOperatorName: 'some',
    sinkOperatorPortName: 'input',
  };
  const { id: containerId } = await containerOf(client, appid, 'parse');
  const log = { appid, containerId, logName: 'headgate.log' };
  const slips: readonly [string, () => Promise<unknown>][] = [
    [
      'There is no physical operator "parse"',
      () => client.startOperatorRecording({ params: { appid, opid: 'parse' } }),
    ],
    [
      'There is no connected port "out"; there are input, output, errors',
      () => client.startPortRecording({ params: { ...parse, portName: 'out' } }),
    ],
    [
      'There is no port "out"; there are input, output, errors',
      () => client.getPort({ params: { ...parse, portName: 'out' } }),
    ],
    [
      'body.numWindows: expected a number',
      () => client.startOperatorRecording({ params: parse, body: { numWindows: 'many' } }),
    ],
    [
      'There is no property "lenght"; there are key, weight, length, windows, maxKeys',
      () => client.setOperatorProperties({ params: paths, body: { lenght: 3 } }),
    ],
    [
      "The regular expression in query.grep can't be read: missing closing ): `(`",
      () => client.readLog({ params: log, query: { grep: '(' } }),
    ],
    [
      'query.lastNBytes: expected a number of bytes',
      () => client.readLog({ params: log, query: { lastNBytes: '1 KB' } }),
    ],
    [
      'requests.0: condition of some: is missing',
      () => client.changeLogicalPlan({ params, body: { requests: [create('some'), join] } }),
    ],
  ];
  for (const [message, ask] of slips) await t.rejects(ask(), { message });
});

t.test('a killed container comes back, and no line is lost or counted twice', async (t) => {
  const lines = { appid, opid: idOf('lines') };
  const { id: containerId } = await containerOf(client, appid, 'lines');
  t.match(await client.getDeployHistory({ params: lines }), { containers: [{ container: containerId }] });
  await traffic(10);
  await client.killContainer({ params: { appid, containerId } });
  await traffic(10);
  const history = await until(
    () => client.getDeployHistory({ params: lines }),
    ({ containers }) => containers.length === 2,
  );
  const next = await until(
    async () => (await streaming()).find(({ operators }) => lines.opid in operators)?.id,
    (id) => id !== undefined,
  );
  t.equal(history.containers[1]?.container, next);
  await untilRead(appid);

  const { events } = await client.listEvents({ params, query: { limit: 1000 } });
  t.strictSame(
    events.map(({ id }) => Number(id)),
    events.map((_, index) => index + 1),
  );
  t.strictSame(
    events.map(({ timestamp }) => timestamp),
    events.map(({ timestamp }) => timestamp).toSorted((a, b) => a - b),
  );
  const killed = events.find(
    ({ type, data }) => type === 'StopContainer' && data['containerId'] === containerId,
  );
  t.ok(killed, JSON.stringify(events.map(({ type }) => type)));
});

t.test('the end: drained, started again where it was, killed, failed', async (t) => {
  await client.shutdownApplication({ params });
  t.match(await untilState(client, appid, 'FINISHED'), { finalStatus: 'SUCCEEDED' });
  await traffic(10);
  const again = (await client.restartApplication({ params })).appId;
  await untilItRuns(client, again);
  await untilRead(again);
  await client.killApplication({ params: { appid: again } });
  await untilState(client, again, 'KILLED');

  const last = (await client.restartApplication({ params: { appid: again } })).appId;
  await untilItRuns(client, last);
  await until(
    async () => {
      for (const container of await streaming(last)) crash(pidOf(container));
      return client.getApplication({ params: { appid: last } });
    },
    ({ state }) => state === 'FAILED',
  );
  const cause = await client.getFailureRootCause({ params: { appid: last } });
  t.match(cause, { type: 'markdown', content: /SIGKILL/ });
  const { events } = await client.listEvents({ params: { appid: last }, query: { limit: 1000 } });
  t.match(
    events.find(({ type }) => type === 'ContainerError'),
    { data: { containerId: /^container_/, errorMessage: /SIGKILL/, logLevel: 'ERROR' } },
    'no operator of several is to blame',
  );
});

t.test('every operation of the three sections was answered here', async (t) => {
  const { count, unanswered } = rowsOf(/^4\.[123] /, demo.answered);
  t.equal(count, 55);
  t.strictSame(unanswered, []);
});

/** Until its source has counted every line there is: its own count, which survives failures. */
async function untilRead(id: string) {
  await heard(id, async (operators) => {
    const source = operators.find(({ name }) => name === 'lines');
    return source?.counters?.['lines'] === (await logged()).length;
  });
}

function crash(pid: number) {
  try {
    if (pid > 0) process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended meanwhile.
  }
}

const topOf = (data: unknown): unknown[] | undefined => {
  if (typeof data !== 'object' || data === null || !('paths' in data)) return undefined;
  const { paths } = data;
  if (typeof paths !== 'object' || paths === null || !('top' in paths)) return undefined;
  return Array.isArray(paths.top) ? paths.top : undefined;
};
