import t, { type Test } from 'tap';
import { type FlinkClusterOptions, flinkCluster } from '../../../packages/flink/index.js';
import { flinkDouble } from '../../doubles/flink/index.js';
import { savepointOf } from '../../doubles/flink/job.js';
import { sqlGatewayDouble } from '../../doubles/flink/sql-gateway.js';
import { emptyCluster } from '../../helpers/empty-cluster.js';
import { newGateway } from '../../helpers/gateway.js';
import { packageOf } from '../../helpers/packages.js';

// Applications in SQL, from the package to the job: what the SQL gateway is asked, and that nothing is left of what fails.

const words = {
  kind: 'sql',
  displayName: 'Count of words',
  properties: { 'state.backend.type': 'hashmap', 'table.exec.mini-batch.size': '10' },
  statements: [
    "CREATE TABLE words (word STRING) WITH ('connector' = 'datagen') -- ; no end",
    "CREATE TABLE counts (word STRING, n BIGINT) WITH ('connector' = 'print');",
    "SET 'table.exec.mini-batch.size' = '20'",
    'INSERT INTO counts SELECT word, COUNT(*) FROM words GROUP BY word;\n',
  ],
};
const [createWords, , , insert] = words.statements;
const limits = { timeoutMillis: 1000, runMillis: 2000 };

async function launching(t: Test, options: Partial<FlinkClusterOptions> = {}) {
  const double = await flinkDouble();
  const sql = await sqlGatewayDouble(double);
  const cluster = flinkCluster({
    jobManagers: double.jobManagers.map(({ url }) => url),
    sqlGateway: `${sql.url}/`,
    ...{ pollMillis: 100, limits },
    ...options,
  });
  const teardown = (close: () => Promise<void>) =>
    t.teardown(async () => {
      await close();
      await sql.stop();
      await double.close();
    });
  const found = await newGateway({ teardown }, { cluster });
  const { client } = found;
  const body = packageOf({}, { 'app/words.json': JSON.stringify(words), 'lib/beside.jar': 'of jars' });
  const { owner } = await client.uploadPackage({ body });
  const params = { owner: owner ?? '', name: 'sensors', version: '1.0.0', appName: 'words' };
  const launch = async (body: Record<string, string> = {}, appName = params.appName) =>
    (await client.launchPackageApplication({ params: { ...params, appName }, body })).appId;
  /** Puts an application of these statements into the package; resolves what is wrong with it. */
  const put = async (statements: readonly string[], more: Record<string, unknown> = {}, appName = 'other') =>
    (
      await client.putPackageApplication({
        params: { ...params, appName },
        body: { kind: 'sql', statements: [...statements], ...more },
      })
    ).error;
  return { ...found, double, sql, params, launch, put };
}

t.test('statements are carried out in their order, and the last one makes the job', async (t) => {
  const { client, double, sql, params, launch } = await launching(t);
  const { applications } = await client.listPackageApplications({ params });
  t.strictSame(applications, [
    {
      ...{ name: 'words', file: 'words.json', type: 'json', displayName: 'Count of words' },
      ...{ requiredProperties: [], defaultProperties: {} },
    },
  ]);
  const told = await client.getPackageApplication({ params });
  t.match(told, { fileContent: words, error: undefined, dag: undefined });

  const appId = await launch({
    'flink.parallelism': '2',
    'flink.savepoint': 'file:/savepoints/one',
    'flink.allowNonRestoredState': 'true',
    'state.backend.type': 'rocksdb',
  });
  const [session] = sql.opened;
  t.strictSame(session?.statements, [
    ...words.statements.slice(0, 3),
    `SET '$internal.pipeline.job-id' = '${appId}'`,
    "SET 'table.dml-sync' = 'false'",
    insert,
  ]);
  t.match(Object.fromEntries(session?.properties ?? []), {
    'pipeline.name': 'words',
    'parallelism.default': '2',
    'state.backend.type': 'rocksdb',
    'table.exec.mini-batch.size': '20',
    'execution.state-recovery.path': 'file:/savepoints/one',
    'execution.savepoint.path': 'file:/savepoints/one',
    'execution.state-recovery.ignore-unclaimed-state': 'true',
  });
  t.equal(sql.sessions.size, 0, 'the session is closed');
  t.strictSame([...double.jobs.keys()], [appId]);
  t.match(await client.getApplication({ params: { appid: appId } }), {
    id: appId,
    name: 'words',
    user: params.owner,
    state: 'RUNNING',
    appPackageSource: { name: 'sensors', version: '1.0.0', appName: 'words' },
  });
  await t.rejects(launch(), { status: 409, code: 'APPLICATION_NAME_TAKEN' });
  t.equal(sql.opened.length, 1, 'of which the SQL gateway hears nothing');
});

t.test('a statement that fails ends the launch, and nothing is left of it', async (t) => {
  const { client, double, sql, launch, put } = await launching(t);
  t.equal(await put([createWords ?? '', createWords ?? '', insert ?? '']), undefined, 'only Flink can tell');
  const refusal = async (work: Promise<unknown>) => {
    const error: unknown = await work.catch((thrown: unknown) => thrown);
    t.match(error, { status: 400, code: 'ENGINE_REFUSED' });
    t.notMatch(JSON.stringify(error), /\bat org\.|Exception|\\n/);
    t.equal(sql.sessions.size, 0, 'the session is closed');
    return error;
  };
  t.match(await refusal(launch({}, 'other')), {
    message: /^Statement 2: .*Table words already exists/,
    details: [{ path: 'statements.1', message: /already exists/ }],
  });
  await put(['INSERT INTO counts SELECT * FROM nowhere']);
  t.match(await refusal(launch({}, 'other')), { message: /^Statement 1: .*'nowhere' not found/ });
  t.match(await client.listApplications(), { apps: [] });
  t.match(await refusal(launch({ 'flink.savepoint': 'file:/nowhere/x' })), { message: /nowhere\/x/ });
  t.match((await client.listApplications()).apps, [{ state: 'FAILED' }], 'as Flink lists it');

  sql.next = 'other id';
  t.match(await refusal(launch()), { message: /id that it was given/ });
  t.strictSame(
    [...double.jobs.values()].map(({ state }) => state),
    ['FAILED', 'CANCELED'],
  );
  t.ok(await launch());
});

t.test('a launch whose answer was lost is one job, when it is asked again as well', async (t) => {
  const { client, double, sql, launch } = await launching(t);
  sql.next = 'lost';
  const begun = await launch();
  t.strictSame([...double.jobs.keys()], [begun], 'it is found by its id');
  await client.killApplication({ params: { appid: begun } });
  for (const [fault, expected] of [
    ['unheard', { status: 502, code: 'UNREACHABLE' }],
    ['hangs', { status: 504, code: 'TIMED_OUT' }],
  ] as const) {
    sql.next = fault;
    await t.rejects(launch({ x: fault }), { ...expected, message: /launch the same again/ });
    const asked = sql.opened.at(-1)?.properties.get('$internal.pipeline.job-id');
    t.equal(sql.sessions.size, 0);
    t.equal(await launch({ x: fault }), asked, fault);
    await client.killApplication({ params: { appid: asked ?? '' } });
  }
  t.equal(double.jobs.size, 3);
  const both = await Promise.allSettled([launch(), launch()]);
  t.strictSame(both.map(({ status }) => status).sort(), ['fulfilled', 'rejected'], 'at once');
  t.equal(double.jobs.size, 4);
});

t.test('an ended job starts again from what it left, with the statements that it had', async (t) => {
  const { client, double, sql, params, launch } = await launching(t);
  const appid = await launch({ 'flink.parallelism': '2' });
  await client.shutdownApplication({ params: { appid } });
  const { appName: _, ...version } = params;
  await client.deletePackage({ params: version });
  const job = double.jobs.get(appid);
  const { appId } = await client.restartApplication({ params: { appid } });
  const session = sql.opened.at(-1);
  t.equal(session?.statements.at(-1), insert);
  t.match(Object.fromEntries(session?.properties ?? []), {
    'parallelism.default': '2',
    'state.backend.type': 'hashmap',
    'execution.state-recovery.path': job && savepointOf(job),
  });
  t.match(await client.getApplication({ params: { appid: appId } }), {
    name: 'words',
    appPackageSource: { name: 'sensors' },
  });
});

t.test('what can not come to one job is told before the launch, with its place', async (t) => {
  const { client, params, sql, launch, put } = await launching(t);
  const rejected = (issue: string) => ({ status: 400, code: 'INVALID_INPUT', message: issue });
  for (const [statements, place, problem] of [
    [[], 'statements', /there is none/],
    [['SELECT 1'], 'statements.0', /begins with SELECT/],
    [[insert, insert], 'statements.0', /only the last statement may.*EXECUTE STATEMENT SET/],
    [['CREATE TABLE x AS SELECT 1', insert], 'statements.0', /makes a job/],
    [['CREATE VIEW x AS SELECT 1; DROP VIEW x', insert], 'statements.0', /more than one statement/],
    [['SHOW TABLES', insert], 'statements.0', /begins with SHOW.*CREATE/],
    [['/* nothing', insert], 'statements.0', /no statement/],
    [["SET '$internal.pipeline.job-id' = 'x'", insert], 'statements.0', /for the gateway to set/],
    [['RESET;', insert], 'statements.0', /names no option/],
  ] as const) {
    const error = await put(statements.map((one) => one ?? ''));
    t.match(error, problem);
    t.ok(error?.startsWith(`${place}: `), `${place}: ${error}`);
    await t.rejects(launch({}, 'other'), rejected(error ?? ''));
  }
  t.match(await put([insert ?? ''], { properties: { 'apex.x': '1' } }), /^properties.apex.x: means nothing/);
  const whole =
    "-- ' one\nexecute /* ; */ statement set begin insert into a select ';'; insert into b select 1; end;";
  t.equal(await put([whole]), undefined);
  t.equal(sql.opened.length, 0, 'the SQL gateway was not asked');

  const many = Array.from({ length: 101 }, () => 'CREATE VIEW x AS SELECT 1');
  await t.rejects(put(many), { status: 400, code: 'INVALID_INPUT', message: /body\.statements: .*100/ });
  await t.rejects(put([`${'x'.repeat(70_000)}`]), { message: /body\.statements\.0: .*65536/ });
  await t.rejects(put([], { kind: 'sqll' }), { message: /body\.kind: is "sql", or is left out/ });
  await t.rejects(launch({ 'flink.args': 'x' }), { code: 'LAUNCH_PROPERTY_REFUSED', message: /flink\.args/ });

  const files = { 'app/many.json': JSON.stringify({ ...words, statements: many }) };
  await client.uploadPackage({ body: packageOf({ version: '2.0' }, files) });
  const at = { ...params, version: '2.0', appName: 'many' };
  t.match((await client.listPackageApplications({ params: at })).applications, [
    { name: 'many', error: /^statements: .*100/ },
  ]);
  await t.rejects(client.launchPackageApplication({ params: at }), { code: 'INVALID_INPUT' });
  await t.rejects(
    client.putPackageApplication({ params, body: { operators: [], streams: [] } }),
    { status: 412, code: 'WOULD_EMPTY', message: /has 4 statements/ },
    'a console that does not know them does not take them away',
  );
});

t.test('without a SQL gateway, and with one that is not well, only these launches fail', async (t) => {
  const { client, params, sql, launch } = await launching(t);
  for (const [fault, expected] of [
    ['down', { status: 502, code: 'UNREACHABLE' }],
    ['garbage', { status: 502, code: 'UNUSABLE_ANSWER' }],
    ['hang', { status: 504, code: 'TIMED_OUT' }],
  ] as const) {
    sql.fault = fault;
    await t.rejects(launch(), { ...expected, message: /^The SQL gateway/ }, fault);
    t.match(await client.listApplications(), { apps: [] });
  }
  sql.fault = undefined;
  await sql.stop();
  await t.rejects(launch(), { status: 502, code: 'UNREACHABLE' });
  await sql.start();
  t.ok(await launch());
  t.throws(() => flinkCluster({ jobManagers: 'http://jm:8081', sqlGateway: 'sql:8083' }), {
    message: 'flinkCluster: sqlGateway must be a URL such as http://sql.example.org:8083, not "sql:8083"',
  });

  const without = await flinkDouble();
  t.teardown(() => without.close());
  const cluster = flinkCluster({ jobManagers: without.jobManagers.map(({ url }) => url) });
  const other = await newGateway(t, { cluster });
  await other.client.uploadPackage({ body: packageOf({}, { 'app/words.json': JSON.stringify(words) }) });
  const sentence = /sqlGateway of flinkCluster/;
  t.match((await other.client.listPackageApplications({ params })).applications, [{ error: sentence }]);
  await t.rejects(other.client.launchPackageApplication({ params }), {
    status: 400,
    code: 'APPLICATION_TYPE_NOT_SUPPORTED',
    message: sentence,
  });
});

t.test('an engine without SQL says so, and a cluster of Flink runs no operators', async (t) => {
  const cluster = emptyCluster();
  const launcher = { launch: async () => 'never', restart: async () => 'never' };
  const { client } = await newGateway(t, {
    cluster: { ...cluster, resourceManager: { ...cluster.resourceManager, launcher } },
  });
  const { owner = '' } = await client.uploadPackage({
    body: packageOf({}, { 'app/words.json': JSON.stringify(words) }),
  });
  const params = { owner, name: 'sensors', version: '1.0.0', appName: 'words' };
  const sentence = /The driver "empty" runs no applications in SQL/;
  await t.rejects(client.launchPackageApplication({ params }), {
    status: 400,
    code: 'APPLICATION_TYPE_NOT_SUPPORTED',
    message: sentence,
  });
  t.match((await client.listPackageApplications({ params })).applications, [{ error: sentence }]);
  const flink = await launching(t);
  const body = { operators: [{ name: 'a', class: 'A' }], streams: [] };
  await flink.client.putPackageApplication({ params: { ...flink.params, appName: 'operators' }, body });
  await t.rejects(flink.launch({}, 'operators'), {
    code: 'APPLICATION_TYPE_NOT_SUPPORTED',
    message: /definition of operators/,
  });
});

t.test('a sample is some rows of a query, and nothing of it runs on', async (t) => {
  const { client, double, sql, params, launch } = await launching(t, {
    limits: { ...limits, sampleMillis: 500, sampleBytes: 10_000 },
  });
  const sample = (query: string, more: { rows?: number; properties?: Record<string, string> } = {}) =>
    client.samplePackageApplication({ params, body: { query, ...more } });
  const appId = await launch();
  const row = { kind: 'INSERT', values: ['word'] } as const;
  const first = await sample('SELECT word FROM words', {
    rows: 7,
    properties: { 'table.local-time-zone': 'UTC' },
  });
  t.strictSame(first, {
    columns: [{ name: 'word', type: 'VARCHAR' }],
    rows: Array.from({ length: 7 }, () => row),
    cut: 'rows',
  });
  const session = sql.opened.at(-1);
  t.strictSame(
    session?.statements.slice(0, 3),
    words.statements.slice(0, 3),
    'what prepares is carried out before',
  );
  t.notOk(session?.statements.includes(insert ?? ''), 'and the job is not made');
  t.equal(session?.properties.get('table.local-time-zone'), 'UTC');
  const whole = await sample('SELECT word FROM words LIMIT 12');
  t.strictSame([whole.rows.length, whole.cut], [12, undefined]);
  t.strictSame((await sample('SELECT word FROM words')).rows.length, 100, 'unless more are wanted');
  t.match(await sample('SHOW TABLES'), {
    rows: [{ values: ['words'] }, { values: ['counts'] }],
    cut: undefined,
  });
  const wide = await sample('SELECT wide FROM words');
  t.strictSame([wide.rows.length, wide.cut], [9, 'bytes']);
  const { rows: large } = await sample('SELECT large');
  t.strictSame(
    large[0]?.values,
    [
      ...['9007199254740993', '-9223372036854775808', 9007199254740991],
      'a " 12345678901234567890 \\',
      { '1234567890123456789': ['18446744073709551615'] },
      ...[1.5e300, 0.12345678901234568, '123456789012345.6789'],
    ],
    'to the last digit',
  );
  t.match(await sample('SELECT never FROM words'), { rows: [], cut: 'time' });

  const samples = [...double.jobs.values()].filter(({ name }) => name === 'headgate-sample');
  t.strictSame(
    samples.map(({ state }) => state),
    samples.map(() => 'CANCELED'),
  );
  t.equal(samples.length, 5);
  t.equal(sql.sessions.size, 0);
  t.match(await client.getApplication({ params: { appid: appId } }), { state: 'RUNNING' });
});

t.test('what a sample does not take, and cannot be told', async (t) => {
  const { client, double, sql, params, put } = await launching(t, { limits: { ...limits, samples: 1 } });
  const sample = (query: string, body: { rows?: number } = {}, appName = params.appName) =>
    client.samplePackageApplication({ params: { ...params, appName }, body: { query, ...body } });
  for (const query of [
    'INSERT INTO counts VALUES (1)',
    'DROP TABLE words',
    '/* SELECT */ DELETE FROM words',
    'SELECT 1; DROP TABLE words',
    ' -- nothing',
  ])
    await t.rejects(sample(query), { status: 400, code: 'INVALID_INPUT', message: /body\.query/ }, query);
  await t.rejects(sample('SELECT 1', { rows: 1001 }), { status: 400, message: /body\.rows/ });
  await put([insert ?? '', insert ?? '']);
  await t.rejects(sample('SELECT 1', {}, 'other'), { code: 'INVALID_INPUT', message: /statements\.0/ });
  t.equal(sql.opened.length, 0, 'the SQL gateway was not asked');
  const body = { operators: [], streams: [] };
  await client.putPackageApplication({ params: { ...params, appName: 'operators' }, body });
  await t.rejects(sample('SELECT 1', {}, 'operators'), { code: 'APPLICATION_TYPE_NOT_SUPPORTED' });

  await t.rejects(sample('SELECT * FROM nowhere'), {
    code: 'ENGINE_REFUSED',
    message: /'nowhere' not found/,
  });
  const both = await Promise.allSettled([sample('SHOW TABLES'), sample('SHOW TABLES')]);
  t.match(
    both.flatMap((one) => (one.status === 'rejected' ? [one.reason] : [])),
    [{ status: 429, code: 'TOO_MANY_REQUESTS' }],
  );
  sql.fault = 'garbage';
  await t.rejects(sample('SHOW TABLES'), { status: 502, code: 'UNUSABLE_ANSWER' });
  t.equal(double.jobs.size, 0);

  const without = await newGateway(t, { cluster: flinkCluster({ jobManagers: 'http://127.0.0.1:9' }) });
  await without.client.uploadPackage({ body: packageOf({}, { 'app/words.json': JSON.stringify(words) }) });
  await t.rejects(without.client.samplePackageApplication({ params, body: { query: 'SHOW TABLES' } }), {
    status: 501,
    code: 'NOT_SUPPORTED',
  });
});
