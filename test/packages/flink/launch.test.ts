import t, { type Test } from 'tap';
import { memoryStorage } from '../../../adapters/storage/memory.js';
import type { RunBody } from '../../doubles/flink/jars.js';
import { savepointOf } from '../../doubles/flink/job.js';
import { type ClassSpec, flags, jarOf } from '../../helpers/class-bytes.js';
import { flinkGateway } from '../../helpers/flink.js';
import { packageOf } from '../../helpers/packages.js';
import { until } from '../../helpers/waiting.js';

// Programs of jars, from the package to the job: what is asked of Flink, and that a launch is one job whatever happens to the answers.

const withMain = (name: string): ClassSpec => ({
  name,
  methods: [{ name: 'main', descriptor: '([Ljava/lang/String;)V', flags: flags.public | flags.static }],
});
const jar = jarOf([
  withMain('org.example.Words'),
  withMain('org.example.Numbers'),
  { name: 'org.example.Util' },
]);
const limits = { timeoutMillis: 1000, runMillis: 2000 };

async function launching(
  t: Test,
  ...more: Parameters<typeof flinkGateway> extends [unknown, ...infer R] ? R : never
) {
  const [options = {}, gatewayOptions = {}] = more;
  const found = await flinkGateway(t, { limits, ...options }, gatewayOptions);
  const { client } = found;
  const { owner: user = '' } = await client.uploadPackage({ body: packageOf({}, { 'app/jobs.jar': jar }) });
  const params = { owner: user, name: 'sensors', version: '1.0.0', appName: 'org.example.Words' };
  const launch = async (body: Record<string, string> = {}, appName = params.appName) =>
    (await client.launchPackageApplication({ params: { ...params, appName }, body })).appId;
  return { ...found, user, params, launch };
}

const orderOf = (runs: readonly RunBody[], jobId: string) => runs.find((run) => run.jobId === jobId);

t.test('a class with a main is an application, and its launch a job with all that was said', async (t) => {
  const { client, double, user, params, launch } = await launching(t);
  const { applications } = await client.listPackageApplications({ params });
  t.match(
    applications.map(({ name, displayName, type, file }) => ({ name, displayName, type, file })),
    [
      { name: 'org.example.Numbers', displayName: 'Numbers', type: 'class', file: 'jobs.jar' },
      { name: 'org.example.Words', displayName: 'Words', type: 'class', file: 'jobs.jar' },
    ],
  );
  const appId = await launch({
    'flink.args': `--topic "a b" 'it''s' "line\nbreak" plain\\ word`,
    'flink.parallelism': '2',
    'flink.savepoint': 'file:/savepoints/one',
    'flink.allowNonRestoredState': 'true',
    'state.backend.type': 'hashmap',
  });
  t.strictSame(double.jars.runs, [
    {
      entryClass: 'org.example.Words',
      programArgsList: ['--topic', 'a b', 'its', 'line\nbreak', 'plain word'],
      parallelism: 2,
      savepointPath: 'file:/savepoints/one',
      allowNonRestoredState: true,
      flinkConfiguration: { 'pipeline.name': 'org.example.Words', 'state.backend.type': 'hashmap' },
      jobId: appId,
    },
  ]);
  t.ok(double.jars.taken[0]?.bytes.equals(jar), 'the jar came as it is in the package');
  t.equal(double.jars.uploaded.size, 0, 'and does not stay there');
  const { appName: _, ...source } = params;
  t.match(await client.getApplication({ params: { appid: appId } }), {
    id: appId,
    name: 'org.example.Words',
    user,
    state: 'RUNNING',
    appPackageSource: { user: source.owner, name: 'sensors', version: '1.0.0', appName: 'org.example.Words' },
  });
  const list = await launch({ 'flink.args': '["--x", "a b", 3]' }, 'org.example.Numbers');
  t.strictSame(orderOf(double.jars.runs, list)?.programArgsList, ['--x', 'a b', '3']);
  await t.rejects(launch(), { status: 409, code: 'APPLICATION_NAME_TAKEN' });
  t.match(await client.getApplication({ params: { appid: await launch({ 'pipeline.name': 'other' }) } }), {
    name: 'other',
  });
});

t.test('properties that can not be used are named', async (t) => {
  const { double, launch } = await launching(t);
  for (const [name, value] of [
    ['flink.parallelism', 'two'],
    ['flink.parallelism', '0'],
    ['flink.allowNonRestoredState', 'perhaps'],
    ['flink.savepoint', ' '],
    ['flink.args', '"open'],
    ['flink.parallelizm', '2'],
    ['apex.attr.MASTER_MEMORY_MB', '512'],
    ['$internal.pipeline.job-id', '0'.repeat(32)],
  ] as const)
    await t.rejects(
      launch({ [name]: value }),
      { status: 400, code: 'LAUNCH_PROPERTY_REFUSED', message: new RegExp(name.replaceAll(/[.$]/g, '\\$&')) },
      `${name}: ${value}`,
    );
  t.strictSame(double.jars.runs, []);
});

t.test('a version without options for a single job is told none', async (t) => {
  const { double, launch } = await launching(t);
  double.jars.version = '1.16.3';
  await t.rejects(launch({ 'state.backend.type': 'hashmap' }), {
    code: 'LAUNCH_PROPERTY_REFUSED',
    message: /Flink 1\.16\.3 .*state\.backend\.type/,
  });
  const appId = await launch({ 'flink.parallelism': '3' });
  t.strictSame(orderOf(double.jars.runs, appId), {
    ...{ entryClass: 'org.example.Words', programArgsList: [], parallelism: 3, jobId: appId },
  });
});

t.test('what Flink refuses is told with its reason, and nothing runs', async (t) => {
  const { client, double, user, launch } = await launching(t);
  const refusal = async (body: Record<string, string>) => {
    const error: unknown = await launch(body).catch((thrown: unknown) => thrown);
    t.match(error, { status: 400, code: 'ENGINE_REFUSED' });
    t.notMatch(JSON.stringify(error), /\bat org\.|Exception|\\n/);
    return error;
  };
  t.match(await refusal({ 'flink.args': '--fail' }), { message: /no topic is given/ });
  t.match(await client.listApplications(), { apps: [] });
  t.match(await refusal({ 'flink.savepoint': 'file:/nowhere/x' }), { message: /Cannot find.*nowhere\/x/ });
  const { apps } = await client.listApplications();
  t.match(apps, [{ state: 'FAILED', user }], 'as Flink lists it');
  t.equal(double.jars.uploaded.size, 0);
  double.jars.next = 'off';
  t.match(await refusal({}), { message: /web\.submit\.enable/ });
  double.jars.next = undefined;
  t.ok(await launch(), 'tried again it runs');
});

t.test('a launch whose answer was lost is one job, when it is asked again as well', async (t) => {
  const storage = { ...memoryStorage(), close: async () => {} };
  const { client, gateway, double, params, launch } = await launching(t, {}, { storage });
  double.jars.next = 'lost';
  const begun = await launch({ 'flink.args': 'a' });
  t.equal(double.jobs.size, 1, 'it is found by its id');
  await client.killApplication({ params: { appid: begun } });

  const [manager] = double.jobManagers;
  double.jars.next = 'unheard';
  const error: unknown = await launch({ 'flink.args': 'b' }).catch((thrown: unknown) => thrown);
  t.match(error, {
    status: 502,
    code: 'UNREACHABLE',
    message: /not known whether the job [0-9a-f]{32} began/,
  });
  t.equal(double.jars.uploaded.size, 1, 'the jar may still be needed');
  const asked = double.jars.runs.at(-1)?.jobId;
  await gateway.close();

  const second = await flinkGateway(t, { limits, jobManagers: manager?.url ?? '' }, { storage });
  const again = await second.client.launchPackageApplication({ params, body: { 'flink.args': 'b' } });
  t.equal(again.appId, asked, 'after a restart of the gateway too');
  t.equal(double.jars.uploaded.size, 0, 'nothing is left behind');
  t.match(await second.client.getApplication({ params: { appid: again.appId } }), {
    state: 'RUNNING',
    appPackageSource: { appName: 'org.example.Words' },
  });
  t.equal(double.jobs.size, 2);
});

t.test(
  'a JobManager that is down, or comes to nothing in between, costs the launch and nothing else',
  async (t) => {
    const { client, double, launch } = await launching(t);
    const [manager] = double.jobManagers;
    await client.listApplications();
    await manager?.stop();
    await t.rejects(launch(), { status: 502, code: 'UNREACHABLE' });
    await manager?.start();
    const appId = await until(
      () => launch().catch(() => undefined),
      (id) => id !== undefined,
    );
    t.equal(double.jobs.size, 1);
    t.match(await client.getApplication({ params: { appid: appId ?? '' } }), { state: 'RUNNING' });
  },
);

t.test('an ended job starts again from what it left, with the jar that it had', async (t) => {
  const { client, double, user, params, launch } = await launching(t);
  const appid = await launch({ 'flink.args': '--x 1', 'flink.parallelism': '2' });
  const again = (id: string, body = {}) => client.restartApplication({ params: { appid: id }, body });
  await t.rejects(again(appid), { status: 409, code: 'APPLICATION_RUNNING' });
  await client.shutdownApplication({ params: { appid } });
  const { appName: _, ...version } = params;
  await client.deletePackage({ params: version });

  const job = double.jobs.get(appid);
  const savepoint = job ? savepointOf(job) : '';
  const { appId: next } = await again(appid);
  t.match(orderOf(double.jars.runs, next), {
    entryClass: 'org.example.Words',
    programArgsList: ['--x', '1'],
    parallelism: 2,
    savepointPath: savepoint,
  });
  t.ok(double.jars.taken.at(-1)?.bytes.equals(jar));
  t.match(await client.getApplication({ params: { appid: next } }), {
    user,
    name: 'org.example.Words',
    appPackageSource: { name: 'sensors' },
  });
  const { appId: drained } = await again(appid, { 'pipeline.name': 'drained' });
  await client.shutdownApplication({ params: { appid: drained }, query: { drain: true } });
  await t.rejects(again(drained), { status: 409, code: 'NO_SAVED_STATE', message: /was drained/ });
  const named = await again(drained, { 'flink.savepoint': 'file:/savepoints/one' });
  t.match(orderOf(double.jars.runs, named.appId), { savepointPath: 'file:/savepoints/one' });
  await client.killApplication({ params: { appid: next } });
  await t.rejects(again(next), { status: 409, code: 'NO_SAVED_STATE' }, 'its checkpoints went with it');
  const kept = double.jobs.get(next);
  if (kept) kept.retention = { enabled: true, delete_on_cancellation: false };
  kept?.checkpoints.unshift({
    ...{ id: 7, status: 'COMPLETED', is_savepoint: false, external_path: 'file:/checkpoints/7' },
  });
  const { appId: third } = await again(next, { 'flink.parallelism': 4 });
  t.match(orderOf(double.jars.runs, third), { savepointPath: 'file:/checkpoints/7', parallelism: 4 });
  await client.killApplication({ params: { appid: third } });
  const { appId: fourth } = await again(third, { 'flink.savepoint': 'file:/savepoints/by-hand' });
  t.match(orderOf(double.jars.runs, fourth), { savepointPath: 'file:/savepoints/by-hand' });

  const foreign = double.start('of somebody else');
  double.end(foreign, 'FINISHED');
  await t.rejects(again(foreign.id), { status: 409, code: 'PACKAGE_CODE_MISSING' });
});

t.test('asked twice at once it is one job', async (t) => {
  const { double, launch } = await launching(t);
  const both = await Promise.allSettled([launch(), launch()]);
  t.strictSame(both.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
  t.match(
    both.flatMap((one) => (one.status === 'rejected' ? [one.reason] : [])),
    [{ status: 409, code: 'APPLICATION_NAME_TAKEN' }],
  );
  t.equal(double.jobs.size, 1);
});

t.test(
  'a JobManager that hangs when it has the jar is given up, and the launch is tried again',
  async (t) => {
    const { double, launch } = await launching(t, { limits: { ...limits, runMillis: 500 } });
    double.jars.next = 'hangs';
    await t.rejects(launch(), { status: 504, code: 'TIMED_OUT', message: /launch the same again/ });
    const [asked] = double.jars.runs;
    t.equal(await launch(), asked?.jobId);
    t.strictSame([double.jobs.size, double.jars.uploaded.size], [1, 0]);
  },
);

t.test('jars are kept for restarts as long as there is room', async (t) => {
  const { client, double, launch, params } = await launching(t, {
    limits: { ...limits, jarsBytes: jar.length + 10 },
  });
  const first = await launch();
  await client.shutdownApplication({ params: { appid: first } });
  const other = jarOf([withMain('org.example.Words'), { name: 'org.example.Other' }]);
  await client.uploadPackage({ body: packageOf({ version: '2.0' }, { 'app/jobs.jar': other }) });
  const { appId: second } = await client.launchPackageApplication({ params: { ...params, version: '2.0' } });
  await client.shutdownApplication({ params: { appid: second } });
  await t.rejects(client.restartApplication({ params: { appid: first } }), {
    status: 409,
    code: 'PACKAGE_CODE_MISSING',
  });
  const { appId: third } = await client.restartApplication({ params: { appid: second } });
  t.match(double.jobs.get(third), { state: 'RUNNING' });
});

t.test('what is no program of a jar, and a queue that there is not, are refused', async (t) => {
  const { client, double, params } = await launching(t);
  const files = { 'app/words.json': JSON.stringify({ operators: [], streams: [] }), 'app/x.jar': 'no jar' };
  await client.uploadPackage({ body: packageOf({ version: '2.0' }, files) });
  const launch = (appName: string, query = {}, version = '2.0') =>
    client.launchPackageApplication({ params: { ...params, version, appName }, query });
  await t.rejects(launch('words'), { status: 400, code: 'APPLICATION_TYPE_NOT_SUPPORTED' });
  await t.rejects(launch('x.jar'), { status: 400, code: 'APPLICATION_NOT_LAUNCHABLE' });
  await t.rejects(launch('no.such.Class'), { status: 404, code: 'NOT_FOUND' });
  await t.rejects(launch(params.appName, { queue: 'fast' }, '1.0.0'), { code: 'UNKNOWN_QUEUE' });
  const unknown = { originalAppId: '0'.repeat(32) };
  await t.rejects(launch(params.appName, unknown, '1.0.0'), { status: 404, code: 'NOT_FOUND' });
  t.strictSame(double.jars.runs, []);
});
