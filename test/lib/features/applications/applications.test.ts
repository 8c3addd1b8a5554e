import t from 'tap';
import type { Client } from '../../../../lib/client.js';
import { engineGateway, untilItRuns, untilState, words } from '../../../helpers/applications.js';
import { as } from '../../../helpers/people.js';
import { until } from '../../../helpers/waiting.js';

const totalOf = ({ operators }: Awaited<ReturnType<Client['getPhysicalPlan']>>) =>
  operators.reduce((sum, { totalTuplesEmitted }) => sum + (totalTuplesEmitted ?? 0), 0);

t.test('an application runs, is shut down, is started again and killed', async (t) => {
  const { gateway, newClient } = await engineGateway(t);
  const client = newClient(as('ada', 'developer'));
  const appid = await gateway.launch(words());
  const params = { appid };
  await untilItRuns(client, appid);

  const app = await client.getApplication({ params });
  t.match(app, {
    id: appid,
    name: 'words',
    user: 'ada',
    state: 'RUNNING',
    finalStatus: 'UNDEFINED',
    finishedTime: 0,
    canWrite: true,
    isSystemApp: false,
  });
  t.ok(app.elapsedTime > 0 && app.startedTime > 0);
  const { stats } = await until(
    () => client.getApplication({ params }),
    ({ stats }) => (stats?.totalTuplesProcessed ?? 0) > 0 && (stats?.tuplesEmittedPSMA ?? 0) > 0,
  );
  t.match(stats, {
    numOperators: 3,
    allocatedContainers: stats?.plannedContainers,
    currentWindowId: /^\d+$/,
  });
  t.match(await client.listApplications(), { apps: [{ id: appid, state: 'RUNNING', canWrite: true }] });

  await t.rejects(client.restartApplication({ params }), { status: 409, code: 'APPLICATION_RUNNING' });
  const lastWindow = stats?.currentWindowId ?? '0';
  await client.shutdownApplication({ params });
  const ended = await untilState(client, appid, 'FINISHED');
  t.match(ended, { finalStatus: 'SUCCEEDED', stats: { allocatedContainers: 0, lag: 0 } });
  t.ok(ended.finishedTime >= ended.startedTime);
  await t.rejects(client.shutdownApplication({ params }), { status: 409, message: /has ended/ });
  await t.rejects(client.killApplication({ params }), { status: 409, code: 'APPLICATION_ENDED' });
  await t.rejects(client.getFailureRootCause({ params }), { status: 404, code: 'NOT_FOUND' });
  t.same(await client.listApplicationIssues({ params }), { issues: [] });

  const counted = totalOf(await client.getPhysicalPlan({ params }));
  const again = await client.restartApplication({
    params,
    body: { 'dt.operator.source.prop.tuplesPerSecond': '150' },
  });
  t.not(again.appId, appid);
  await untilItRuns(client, again.appId);
  const restarted = await client.getApplication({ params: { appid: again.appId } });
  t.match(restarted, { name: 'words', user: 'ada', state: 'RUNNING', finalStatus: 'UNDEFINED' });
  t.ok(restarted.startedTime >= ended.finishedTime);
  const source = { appid: again.appId, opName: 'source' };
  t.match(await client.getOperatorProperties({ params: source }), { tuplesPerSecond: 150, kind: 'records' });
  const plan = await client.getPhysicalPlan({ params: { appid: again.appId } });
  t.ok(
    plan.operators.every(({ currentWindowId }) => BigInt(currentWindowId ?? 0) > BigInt(lastWindow)),
    'it goes on where it ended',
  );
  t.equal(totalOf(await client.getPhysicalPlan({ params })), counted, 'the one before stays what it was');
  await client.killApplication({ params: { appid: again.appId } });
  t.match(await untilState(client, again.appId, 'KILLED'), { finalStatus: 'KILLED' });

  const both = await client.listApplications();
  t.equal(both.apps.length, 2, 'ended ones stay in the list');
  const killed = await client.listApplications({
    query: { states: 'KILLED,RUNNING', name: 'words', user: 'ada' },
  });
  t.strictSame(
    killed.apps.map(({ id }) => id),
    [again.appId],
  );
});

t.test('who may what', async (t) => {
  const { gateway, newClient } = await engineGateway(t);
  const appid = await gateway.launch(words());
  const system = await gateway.launch({ ...words('system', 'platform'), isSystemApp: true });
  const owner = newClient(as('ada', 'developer'));
  await untilItRuns(owner, appid);
  await owner.putApplicationPermissions({
    params: { appid },
    body: { readOnly: { users: ['rita'], roles: ['operator'] }, readWrite: { users: ['will'] } },
  });
  const { containers } = await owner.listContainers({ params: { appid } });
  const containerId = containers.find(({ containerType }) => containerType === 'STREAMING')?.id ?? '';

  const params = { appid };
  const reads: Record<string, (client: Client) => Promise<unknown>> = {
    getApplication: (client) => client.getApplication({ params }),
    getApplicationMetrics: (client) => client.getApplicationMetrics({ params }),
    listApplicationIssues: (client) => client.listApplicationIssues({ params }),
    listEvents: (client) => client.listEvents({ params }),
    getApplicationPermissions: (client) => client.getApplicationPermissions({ params }),
    listLoggers: (client) => client.listLoggers({ params }),
    searchLoggers: (client) => client.searchLoggers({ params, query: { pattern: '.*' } }),
    listOperatorClasses: (client) => client.listOperatorClasses({ params }),
    getPhysicalPlan: (client) => client.getPhysicalPlan({ params }),
    getPhysicalOperator: (client) => client.getPhysicalOperator({ params: { appid, opid: '1' } }),
    getLogicalPlan: (client) => client.getLogicalPlan({ params }),
    listLogicalOperators: (client) => client.listLogicalOperators({ params }),
    listContainers: (client) => client.listContainers({ params }),
    getContainer: (client) => client.getContainer({ params: { appid, containerId } }),
  };
  // What can not succeed, so that every caller meets the same application: whoever may write gets the second status.
  const writes: Record<string, [call: (client: Client) => Promise<unknown>, allowed: number]> = {
    putApplicationPermissions: [
      (client) =>
        client.putApplicationPermissions({
          params,
          body: { readOnly: { users: ['rita'], roles: ['operator'] }, readWrite: { users: ['will'] } },
        }),
      200,
    ],
    setLoggers: [(client) => client.setLoggers({ params, body: { loggers: [] } }), 200],
    killContainer: [
      (client) => client.killContainer({ params: { appid, containerId: 'container_none' } }),
      404,
    ],
    restartApplication: [(client) => client.restartApplication({ params }), 409],
  };

  type Row = [who: string, client: Client, read: number, write: number, restart: number, inList: number];
  const table: Row[] = [
    ['owner', owner, 200, 200, 409, 1],
    ['owner without LAUNCH_APPS', newClient(as('ada')), 200, 200, 403, 1],
    ['other', newClient(as('eve', 'developer')), 404, 404, 404, 0],
    ['shared reader', newClient(as('rita', 'developer')), 200, 403, 403, 1],
    ['shared writer', newClient(as('will', 'developer')), 200, 200, 409, 1],
    ['operator', newClient(as('oscar', 'operator')), 200, 403, 403, 1],
    ['admin', newClient(as('root', 'admin')), 200, 200, 409, 2],
    ['anonymous', newClient(), 401, 401, 401, 0],
  ];
  const statusOf = (call: Promise<unknown>): Promise<number> =>
    call.then(
      () => 200,
      (error: { status: number }) => error.status,
    );
  for (const [who, client, read, write, restart, inList] of table) {
    for (const [id, call] of Object.entries(reads))
      t.equal(await statusOf(call(client)), read, `${who}: ${id}`);
    for (const [id, [call, allowed]] of Object.entries(writes)) {
      const expected = id === 'restartApplication' ? restart : write === 200 ? allowed : write;
      t.equal(await statusOf(call(client)), expected, `${who}: ${id}`);
    }
    const systemStatus = await statusOf(client.getApplication({ params: { appid: system } }));
    t.equal(
      systemStatus,
      who === 'admin' ? 200 : read === 401 ? 401 : 404,
      `${who}: an application of the platform`,
    );
    if (read === 401) continue;
    t.equal((await client.listApplications()).apps.length, inList, `${who}: listApplications`);
  }

  const rita = newClient(as('rita', 'developer'));
  t.match(await rita.getApplication({ params }), { canWrite: false });
  await t.rejects(rita.killApplication({ params }), { status: 403, message: /not yours to change/ });
  await owner.putApplicationPermissions({ params, body: {} });
  await t.rejects(rita.getApplication({ params }), { status: 404, code: 'NOT_FOUND' }, 'revoked at once');
});

t.test('permissions are kept sorted, and bad ones change nothing', async (t) => {
  const { gateway, newClient, baseUrl } = await engineGateway(t);
  const client = newClient(as('ada'));
  const params = { appid: await gateway.launch(words()) };
  t.same(
    await client.getApplicationPermissions({ params }),
    {
      readOnly: { roles: ['operator'], users: [], everyone: false },
      readWrite: { roles: [], users: [], everyone: false },
    },
    'by default',
  );
  await client.putApplicationPermissions({ params, body: { readOnly: { users: ['b', 'a', 'b'] } } });
  const kept = {
    readOnly: { roles: [], users: ['a', 'b'], everyone: false },
    readWrite: { roles: [], users: [], everyone: false },
  };
  t.same(await client.getApplicationPermissions({ params }), kept);
  for (const body of [
    '{"readOnly":7}',
    '[]',
    '{"readOnly":{"users":"eve"}}',
    'not json',
    '{"readWrite":null}',
  ]) {
    const response = await fetch(`${baseUrl}/ws/v2/applications/${params.appid}/permissions`, {
      method: 'PUT',
      headers: { ...as('ada').headers, 'content-type': 'application/json' },
      body,
    });
    t.equal(response.status, 400, body);
  }
  t.same(await client.getApplicationPermissions({ params }), kept);
});

t.test('events come in order, by number or by time', async (t) => {
  const { gateway, newClient } = await engineGateway(t);
  const client = newClient(as('ada'));
  const appid = await gateway.launch(words());
  const params = { appid };
  await untilItRuns(client, appid);
  const { events } = await until(
    () => client.listEvents({ params }),
    ({ events }) => events.filter(({ type }) => type === 'StartOperator').length >= 3,
  );
  t.ok(events.some(({ type }) => type === 'StartContainer'));
  t.strictSame(
    events,
    [...events].sort((a, b) => a.timestamp - b.timestamp),
  );
  const last = await client.listEvents({ params, query: { limit: 2 } });
  t.strictSame(last.events.length, 2, 'the newest');

  const from = events[0]?.timestamp ?? 0;
  const to = events.at(-1)?.timestamp ?? 0;
  const range = await client.listEvents({ params, query: { from, to, offset: 1, limit: 2 } });
  t.strictSame(
    range.events.map(({ id }) => id),
    events.slice(1, 3).map(({ id }) => id),
    'the second and third',
  );
  t.same(await client.listEvents({ params, query: { from: to + 3_600_000 } }), { events: [] });
  for (const query of [{ from: 2, to: 1 }, { limit: 0 }, { limit: 1001 }, { offset: -1 }, { limit: 1.5 }]) {
    await t.rejects(client.listEvents({ params, query }), { status: 400, code: 'INVALID_INPUT' });
  }
});

t.test('logger levels are set all or none', async (t) => {
  const { gateway, newClient } = await engineGateway(t);
  const client = newClient(as('ada'));
  const appid = await gateway.launch(words());
  const params = { appid };
  await untilItRuns(client, appid);
  const set = (loggers: readonly object[]) =>
    client.setLoggers({ params, body: { loggers: loggers as never } });

  await set([{ target: 'headgate.io.*', logLevel: 'DEBUG' }]);
  t.same(await client.listLoggers({ params }), { loggers: [{ target: 'headgate.io.*', logLevel: 'DEBUG' }] });
  for (const bad of [
    { target: 'headgate..io', logLevel: 'DEBUG' },
    { target: 'headgate.io', logLevel: 'LOUD' },
    { target: 'a b', logLevel: 'INFO' },
    { target: 'headgate.io' },
  ]) {
    await t.rejects(set([{ target: 'headgate.aggregate.*', logLevel: 'INFO' }, bad]), {
      code: 'INVALID_INPUT',
      details: [{ path: /^body\.loggers\.1/ }],
    });
  }
  t.same(
    await client.listLoggers({ params }),
    { loggers: [{ target: 'headgate.io.*', logLevel: 'DEBUG' }] },
    'nothing changed',
  );

  const { loggers } = await client.searchLoggers({ params, query: { pattern: 'headgate\\.io\\..*' } });
  t.ok(loggers.length > 0);
  for (const { name, level } of loggers)
    t.match({ name, level }, { name: /^headgate\.io\./, level: 'DEBUG' });
  t.same(
    await client.searchLoggers({ params, query: { pattern: 'headgate' } }),
    { loggers: [] },
    'whole names',
  );
  await t.rejects(client.searchLoggers({ params, query: { pattern: '(' } }), {
    code: 'PATTERN_NOT_VALID',
    details: [{ path: 'query.pattern' }],
  });
});

t.test('operator classes are found and described', async (t) => {
  const { gateway, newClient } = await engineGateway(t);
  const client = newClient(as('ada'));
  const params = { appid: await gateway.launch(words()) };
  const names = async (query: { q?: string; packagePrefixes?: string; parent?: string }) =>
    (await client.listOperatorClasses({ params, query })).operatorClasses.map(({ name }) => name);

  const all = await names({});
  t.ok(all.includes('headgate.io.Timer') && all.includes('headgate.parse.JsonParse'));
  t.strictSame(await names({ q: 'TIMER' }), ['headgate.io.Timer'], 'in any case');
  t.strictSame(await names({ q: 'no such thing' }), []);
  const two = await names({ packagePrefixes: 'headgate.parse,headgate.transform' });
  t.ok(two.length >= 2 && two.every((name) => /^headgate\.(parse|transform)\./.test(name)));
  await t.rejects(names({ parent: 'no.such.Class' }), { status: 404, code: 'NOT_FOUND' });

  const operatorClass = 'headgate.transform.Filter';
  t.match(await client.getOperatorClass({ params: { ...params, operatorClass } }), {
    category: 'transform',
    inputPorts: [{ name: 'input' }],
    outputPorts: [{ name: 'output' }, { name: 'rejected', optional: true }],
    properties: [{ name: 'condition', canGet: true, canSet: true }],
  });
  await t.rejects(client.getOperatorClass({ params: { ...params, operatorClass: 'no.such.Class' } }), {
    status: 404,
    code: 'NOT_FOUND',
  });
});

t.test('a launch says what is wrong with it, and starts nothing', async (t) => {
  const { gateway, newClient } = await engineGateway(t);
  const { application } = words();
  const broken: [
    what: string,
    request: Parameters<typeof gateway.launch>[0],
    error: { code: string; message: RegExp },
  ][] = [
    ['no name', { ...words(), name: '' }, { code: 'INVALID_INPUT', message: /body\.name/ }],
    [
      'a class that is not there',
      { ...words(), application: { ...application, operators: [{ name: 'a', class: 'no.such.Class' }] } },
      { code: 'INVALID_INPUT', message: /no\.such\.Class/ },
    ],
  ];
  for (const [what, request, error] of broken) await t.rejects(gateway.launch(request), error, what);
  await gateway.launch(words());
  await t.rejects(
    gateway.launch(words()),
    { status: 409, code: 'APPLICATION_NAME_TAKEN' },
    'one of that name runs',
  );
  t.equal((await newClient(as('root', 'admin')).listApplications()).apps.length, 1);
});

t.test('metrics of operators are put together by their name', async (t) => {
  const operators = [new URL('../../../fixtures/local-operators.js', import.meta.url)];
  const { gateway, newClient } = await engineGateway(t, { operators });
  const client = newClient(as('ada'));
  const numbers = (name: string) => ({
    name,
    class: 'test.Sequence',
    properties: { total: -1, perSecond: 1000 },
  });
  const appid = await gateway.launch({
    user: 'ada',
    name: 'numbers',
    application: {
      attributes: { HEARTBEAT_INTERVAL_MILLIS: 100 },
      operators: [
        numbers('one'),
        numbers('two'),
        { name: 'out', class: 'headgate.transform.Filter', properties: { condition: 'false' } },
        { name: 'out2', class: 'headgate.transform.Filter', properties: { condition: 'false' } },
      ],
      streams: [
        {
          source: { operatorName: 'one', portName: 'out' },
          sinks: [{ operatorName: 'out', portName: 'input' }],
        },
        {
          source: { operatorName: 'two', portName: 'out' },
          sinks: [{ operatorName: 'out2', portName: 'input' }],
        },
      ],
    },
  });
  const { applicationId, metrics } = await until(
    () => client.getApplicationMetrics({ params: { appid } }),
    ({ metrics }) => metrics.some(({ values }) => Number(values['one']) > 0 && Number(values['two']) > 0),
  );
  t.equal(applicationId, appid);
  const emitted = metrics.find(({ name }) => name === 'emitted');
  t.match(emitted, { type: 'number', values: { one: Number, two: Number } });
  const { operators: running } = await client.getPhysicalPlan({ params: { appid } });
  for (const name of ['one', 'two']) {
    const told = Number(emitted?.values[name]);
    t.ok(
      told > 0 && told <= (running.find((one) => one.name === name)?.totalTuplesEmitted ?? 0),
      `${name} ${told}`,
    );
  }
});

t.test('an application that fails says why', async (t) => {
  const operators = [new URL('../../../fixtures/local-operators.js', import.meta.url)];
  const { gateway, newClient } = await engineGateway(t, { operators });
  const client = newClient(as('ada'));
  const appid = await gateway.launch({
    user: 'ada',
    name: 'fails',
    application: {
      attributes: { MAX_CONTAINER_FAILURES: 1 },
      operators: [
        { name: 'numbers', class: 'test.Sequence', properties: { total: -1 } },
        { name: 'thrower', class: 'test.Trouble', properties: { how: 'throw', at: 3 } },
      ],
      streams: [
        {
          source: { operatorName: 'numbers', portName: 'out' },
          sinks: [{ operatorName: 'thrower', portName: 'in' }],
        },
      ],
    },
  });
  const app = await untilState(client, appid, 'FAILED');
  t.match(app, { finalStatus: 'FAILED', diagnostics: /./, stats: { numOperators: 2 } });
  const cause = await client.getFailureRootCause({ params: { appid } });
  t.match(cause, { title: /^FC_[A-Z_]+$/, type: 'markdown', content: /Trouble at tuple 3/ });
  t.match(cause.content, /thrower/, 'it names the operator');
});
