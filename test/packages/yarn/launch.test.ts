import t from 'tap';
import { memoryStorage } from '../../../adapters/storage/memory.js';
import type { HostLaunch } from '../../../lib/index.js';
import { answerOf, reasonIn } from '../../../packages/yarn/commands/cli.js';
import { commandLine, settingsXml } from '../../../packages/yarn/commands/command-line.js';
import { yarnCluster } from '../../../packages/yarn/index.js';
import { untilState } from '../../helpers/applications.js';
import { silentContext } from '../../helpers/local-cluster.js';
import { packageContent } from '../../helpers/package-content.js';
import { as, people } from '../../helpers/people.js';
import { until } from '../../helpers/waiting.js';
import { pipeline, yarnGateway } from '../../helpers/yarn.js';

const request = (change: Partial<HostLaunch> = {}): HostLaunch => ({
  user: 'ann',
  name: 'numbers',
  application: pipeline().application,
  ...change,
});

t.test('what is said to the command line arrives as it is', async (t) => {
  t.equal(
    commandLine(['launch', 'a b', 'x;y$z#', 'say "no"', 'C:\\x', 'two\nlines']),
    'launch "a b" "x;y$z#" "say \\"no\\"" "C:\\\\x" "two\\nlines" ',
  );
  t.match(settingsXml({ 'a.b': '<&">x' }), '<name>a.b</name><value>&lt;&amp;&quot;&gt;x</value>');
});

t.test('what no XML file can hold is refused by its name, before anything is launched', async (t) => {
  const { gateway, client, double } = await yarnGateway(t);
  const application = pipeline().application;
  const label = 'dt.operator.rand.prop.label';
  const attributes = { DESCRIPTION: 'a\u0000b' };
  const odd: [launch: Partial<HostLaunch>, path: string | RegExp][] = [
    [{ properties: { [label]: 'a\u0000b', 'dt.attr.X': 'good' } }, 'body.apex.operator.rand.prop.label'],
    [
      { properties: { 'apex.attr.CONTAINER_JVM_OPTIONS': '-Da=\u001b[0m' } },
      'body.apex.attr.CONTAINER_JVM_OPTIONS',
    ],
    [{ properties: { 'my.own': 'x\ufffe' } }, 'body.my.own'],
    [{ properties: { 'my.own': 'half \ud83d' } }, 'body.my.own'],
    [{ properties: { 'my.\u0000': 'x' } }, 'body."my.\\u0000"'],
    [{ application: { ...application, attributes } }, 'body.apex.attr.DESCRIPTION'],
    [{ name: 'num\u0001bers' }, 'body.apex.attr.APPLICATION_NAME'],
    [{ queue: 'night\u0000' }, 'body.queue'],
  ];
  for (const [change, path] of odd) {
    const message = 'holds characters that no XML file can hold';
    const refused = await gateway.launch(request(change)).catch((error: unknown) => error);
    t.match(refused, { status: 400, details: [{ path, message }] });
  }
  const { id } = await double.run(pipeline());
  await client.killApplication({ params: { appid: id } });
  await untilState(client, id, 'KILLED');
  t.match(
    await client
      .restartApplication({ params: { appid: id }, query: { queue: 'x\u0000' } })
      .catch((error: unknown) => error),
    { status: 400, details: [{ path: 'body.queue' }] },
  );
  t.equal(double.launches.length, 0);
  const value = 'tab\tline\n\u{1f600} <&> \u00e4';
  await gateway.launch(request({ properties: { [label]: value } }));
  t.equal(double.launches[0]?.properties['apex.operator.rand.prop.label'], value, 'all others arrive');
});

t.test('why a command failed, in one sentence', async (t) => {
  const noise = 'SLF4J: bindings\nlog4j:WARN x\n';
  t.equal(
    reasonIn(`${noise}com.datatorrent.stram.cli.ApexCli$CliException: No applications matching "X"\n\tat y`),
    'No applications matching "X"',
  );
  const missing = 'java.io.FileNotFoundException: app (No such file)';
  t.equal(reasonIn(`${noise}${missing}\n\tat y`), missing);
  const invalid = `Invalid command 'x'. Type "help" for list of commands`;
  t.equal(reasonIn(`${noise}${invalid}`), invalid);
  const wrapped = `java.lang.IllegalArgumentException: Failed to load: x.JsonFileAppFactory@70acb7b7\nClass not found: a.B\n\tat y
Caused by: java.lang.IllegalArgumentException: Class not found: a.B\n\tat y\nCaused by: java.lang.ClassNotFoundException: a.B\n\tat z`;
  t.equal(reasonIn(`${noise}${wrapped}`), 'java.lang.ClassNotFoundException: a.B', 'the innermost cause');
  const remote =
    'org.apache.hadoop.ipc.RemoteException(x.SafeModeException): Cannot create directory /user/x.';
  t.equal(reasonIn(`${noise}${remote}\n\tat y`), remote);
  t.equal(reasonIn(noise), undefined);
  const run = { stdout: '', stderr: '', code: 1, isLate: false };
  const refused = (change: Partial<typeof run> | { code: null }) => () => answerOf({ ...run, ...change });
  t.throws(refused({}), { status: 400, message: /code 1 and did not say why/ });
  t.throws(refused({ stderr: 'x.CliException: "n" already running by the user' }), {
    status: 409,
    message: /already running/,
  });
  const full =
    'x.CliException: org.apache.hadoop.hdfs.protocol.DSQuotaExceededException: The DiskSpace quota of /u';
  t.throws(refused({ stderr: full }), { status: 507, code: 'NO_SPACE' });
  t.throws(refused({ code: null }), { status: 502, message: /killed/ });
  t.throws(refused({ code: 0, stdout: 'hello {' }), { status: 502, message: /JSON/ });
  t.same(answerOf({ ...run, code: 0, stdout: 'noise of the application\n{"appId":"x"}\n' }), { appId: 'x' });
});

t.test('a launch: who, what, under which name, and where its gateway is', async (t) => {
  const { gateway, client, double } = await yarnGateway(t, {
    gatewayAddress: 'gateway.example.org:9090',
    user: 'cluster',
  });
  const tricky = 'a;b $c "d" \\ # <e> &';
  const id = await gateway.launch(
    request({ queue: 'night', properties: { 'dt.operator.rand.prop.label': tricky, 'platform.attr.X': 7 } }),
  );
  const [launch] = double.launches;
  t.match(launch, {
    queue: 'night',
    user: 'cluster',
    root: '/user/cluster/datatorrent',
    options: /-Djava\.io\.tmpdir=\S+headgate-cli/,
    properties: {
      'apex.operator.rand.prop.label': tricky,
      'apex.attr.X': '7',
      'apex.attr.APPLICATION_NAME': 'numbers',
      'apex.attr.GATEWAY_CONNECT_ADDRESS': 'gateway.example.org:9090',
    },
  });
  t.same(launch?.application, pipeline().application);
  await untilState(client, id, 'RUNNING');
  const { name, user } = await client.getApplication({ params: { appid: id } });
  t.same({ name, user }, { name: 'numbers', user: 'ann' }, 'the owner is who launched it');
});

t.test('what proves who an application is, is seen by nobody', async (t) => {
  const { double } = await yarnGateway(t);
  const cluster = yarnCluster({
    resourceManager: double.managers[0]?.url ?? '',
    cli: { ...double.cli(), environment: { ...double.cli().environment, DT_CLIENT_OPTS: '-Xmx99m' } },
    gatewayAddress: '127.0.0.1:9090',
  });
  const credentials = {
    issue: async () => ({ userName: 'app-1', password: 'very-hush' }),
    bind: async () => {},
    discard: async () => {},
  };
  await cluster.open({ ...silentContext([]), credentials });
  t.teardown(() => cluster.close());
  const { launcher } = cluster.resourceManager;
  const named = (name: string) => ({ user: 'ann', name, application: pipeline().application });
  await launcher?.launch(named('plain'));
  await launcher?.launch({ ...named('configured'), configContent: packageContent({ 'files/x': 'y' }) });
  t.equal(double.launches.length, 2);
  for (const { properties, line, options } of double.launches) {
    t.match(properties, {
      'apex.attr.GATEWAY_USER_NAME': 'app-1',
      'apex.attr.GATEWAY_PASSWORD': 'very-hush',
      'apex.attr.GATEWAY_CONNECT_ADDRESS': '127.0.0.1:9090',
    });
    t.notMatch(line, 'very-hush');
    t.match(options, /^-Xmx99m -Djava\.io\.tmpdir=/);
  }
  const stderr = `Invalid command 'launch "-Dapex.attr.GATEWAY_PASSWORD=very-hush" -Da.token=x'. Type "help"`;
  t.throws(() => answerOf({ stdout: '', stderr, code: 1, isLate: false }), {
    message: /PASSWORD=\*{8}" -Da\.token=\*{8}/,
    details: { output: /PASSWORD=\*{8}/ },
  });
});

t.test('owners are known after a new start of the gateway', async (t) => {
  const storage = memoryStorage();
  const kept = { ...storage, close: async () => {} };
  const first = await yarnGateway(t, {}, { storage: kept, auth: people });
  const id = await first.gateway.launch(request());
  await first.gateway.close();
  const { double } = first;
  const second = await yarnGateway(
    t,
    { resourceManager: double.managers[0]?.url ?? '', files: double.files.nameNode.url },
    { storage, auth: people },
  );
  const { apps } = await second.newClient(as('ann')).listApplications();
  t.match(apps, [{ id, user: 'ann' }]);
  t.same((await second.newClient(as('eve')).listApplications()).apps, []);
});

t.test('one of a name and user at a time; what is wrong is named', async (t) => {
  const { gateway, double } = await yarnGateway(t);
  const both = await Promise.allSettled([gateway.launch(request()), gateway.launch(request())]);
  t.same(both.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
  await t.rejects(gateway.launch(request()), { status: 409, message: /ann already runs/ });
  t.ok(await gateway.launch(request({ user: 'bob' })), 'another user may');
  t.equal(double.launches.length, 2);
  await t.rejects(gateway.launch(request({ name: 'x', properties: { 'dt.operator.nobody.prop.x': '1' } })), {
    status: 400,
    message: /dt\.operator\.nobody\.prop\.x/,
  });
  const broken = { operators: [{ name: 'b', class: 'no.such.Class' }], streams: [] };
  await t.rejects(gateway.launch(request({ name: 'y', application: broken })), {
    status: 400,
    message: /^The engine refuses this: .*no\.such\.Class$/,
  });
});

t.test('restart: only of what has ended, from its saved state', async (t) => {
  const { gateway, client, double } = await yarnGateway(t, { user: 'cluster' });
  const appid = await gateway.launch(request());
  const params = { appid };
  await untilState(client, appid, 'RUNNING');
  await t.rejects(client.restartApplication({ params }), { status: 409, code: 'APPLICATION_RUNNING' });
  await client.shutdownApplication({ params });
  await untilState(client, appid, 'FINISHED');
  const count = double.launches.length;
  await t.rejects(
    client.restartApplication({ params, body: { 'apex.operator.rand.prop.tuplesBlast': 5 } }),
    { status: 400, message: /takes no properties.*tuplesBlast.*when it runs/ },
    'the engine would forget them',
  );
  t.equal(double.launches.length, count);
  const { appId } = await client.restartApplication({ params, query: { queue: 'night' }, body: {} });
  t.not(appId, appid);
  const launch = double.launches.at(-1);
  t.match(launch, { originalAppId: appid, queue: 'night' });
  await untilState(client, appId, 'RUNNING');
});

t.test('a command line that is missing, hangs, is killed or talks nonsense', async (t) => {
  const missing = await yarnGateway(t, { cli: { command: '/no/such/apex' } });
  await t.rejects(missing.gateway.launch(request()), {
    status: 502,
    code: 'UNREACHABLE',
    message: /command line/,
  });
  for (const [cliFault, status, message] of [
    ['hang', 504, /in time/],
    ['kill', 502, /was killed/],
    ['garbage', 502, /JSON/],
  ] as const) {
    const { gateway } = await yarnGateway(t, {
      cliFault,
      limits: { commandMillis: cliFault === 'hang' ? 1500 : 60_000 },
    });
    await t.rejects(gateway.launch(request()), { status, message }, cliFault);
    await t.rejects(gateway.launch(request()), { status, message }, `${cliFault}: the name is free again`);
  }
});

t.test('launches wait for their turn, and not without end', async (t) => {
  const { gateway, double } = await yarnGateway(t, { limits: { commands: 1, waitingCommands: 1 } });
  const all = await Promise.allSettled(['a', 'b', 'c'].map((name) => gateway.launch(request({ name }))));
  t.same(all.map(({ status }) => status).sort(), ['fulfilled', 'fulfilled', 'rejected']);
  const refused = all.find(({ status }) => status === 'rejected');
  t.match(refused, { reason: { status: 429 } });
  t.equal(double.launches.length, 2);
});

t.test('permissions: with the application, or with the gateway where that may not write', async (t) => {
  const { gateway, newClient, double } = await yarnGateway(t, {}, { auth: people });
  const appid = await gateway.launch(request());
  const ann = newClient(as('ann', 'developer'));
  const eve = newClient(as('eve'));
  const params = { appid };
  const file = () =>
    JSON.parse(double.files.read(`/user/hadoop/datatorrent/apps/${appid}/permissions.json`) ?? '');
  const readers = (users: string[]) => ({ readOnly: { users, roles: [], everyone: false } });
  await ann.putApplicationPermissions({ params, body: readers(['eve']) });
  t.match(file(), readers(['eve']));
  t.ok(await eve.getApplication({ params }));
  double.files.safeMode = true;
  await ann.putApplicationPermissions({ params, body: readers(['rita']) });
  t.match(await ann.getApplicationPermissions({ params }), readers(['rita']));
  await t.rejects(eve.getApplication({ params }), { status: 404, code: 'NOT_FOUND' });
  double.files.safeMode = false;
  await ann.putApplicationPermissions({ params, body: readers([]) });
  t.match(file(), readers([]));

  double.files.nameNode.fault = 'down';
  await until(
    () => ann.listApplications(),
    ({ apps }) => apps.length === 1,
  );
  t.same((await eve.listApplications()).apps, [], 'rights that can not be read are none');
});
