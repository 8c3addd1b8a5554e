import t from 'tap';
import { memoryStorage } from '../../../adapters/storage/memory.js';
import { doubleFiles } from '../../doubles/yarn/files.js';
import { yarnDouble } from '../../doubles/yarn/index.js';
import { untilState } from '../../helpers/applications.js';
import { until } from '../../helpers/waiting.js';
import { pipeline, yarnGateway } from '../../helpers/yarn.js';

// What the cluster does when it is not well: nothing ends without evidence, and nothing waits for long.

const limits = { timeoutMillis: 1000, backOffMillis: 1000, answerBytes: 1024 * 1024 };
const unreachable = { status: 502, code: 'UNREACHABLE' } as const;
const unusable = { status: 502, code: 'UNUSABLE_ANSWER' } as const;
const failedMaster = `2026-11-21 18:18:22,100 INFO com.datatorrent.stram.StreamingAppMaster: Initializing
java.lang.IllegalStateException: an earlier one
\tat com.example.Earlier.run(Earlier.java:1)
2026-11-21 18:18:23,200 ERROR com.datatorrent.stram.StreamingAppMaster: Exiting Application Master
java.lang.NoClassDefFoundError: com/example/Nix
\tat com.datatorrent.stram.StreamingAppMaster.main(StreamingAppMaster.java:104)
Caused by: java.lang.ClassNotFoundException: com.example.Nix
\tat java.net.URLClassLoader.findClass(URLClassLoader.java:387)
\t... 12 more
2026-11-21 18:18:23,300 INFO com.datatorrent.stram.StreamingAppMaster: Bye
`;
const late = { status: 504, code: 'TIMED_OUT' } as const;

t.test('a resource manager that is down at the start, and comes up later', async (t) => {
  const { client, double } = await yarnGateway(t, { limits });
  await double.managers[0]?.stop();
  const { id } = await double.run(pipeline());
  await t.rejects(client.listApplications(), unreachable);
  await t.rejects(client.getApplication({ params: { appid: id } }), unreachable, 'it was never seen');
  t.match(await client.getAbout(), { platformVersion: /./ }, 'what the gateway itself knows is told');
  await double.managers[0]?.start();
  t.match(await client.listApplications(), { apps: [{ id }] });
});

t.test('a resource manager that goes: masters live on, and are asked', async (t) => {
  const { client, double } = await yarnGateway(t, { limits });
  const { id } = await double.run(pipeline());
  const params = { appid: id };
  const before = await client.getApplication({ params });
  await client.getPhysicalPlan({ params });
  const [manager] = double.managers;
  for (const fault of ['down', 'hang'] as const) {
    if (manager) manager.fault = fault;
    for (let round = 0; round < 3; round++)
      t.equal((await client.getPhysicalPlan({ params })).operators.length, 2, fault);
    await client.setOperatorProperties({ params: { ...params, opName: 'rand' }, body: { tuplesBlast: 12 } });
    const told = await client.getApplication({ params });
    t.match(told, { state: 'RUNNING', stats: { numOperators: 2 } });
    t.ok(told.observedAt >= before.observedAt && told.observedAt <= Date.now(), 'as it was last seen');
    await t.rejects(client.killApplication({ params }), 'what only the manager can do');
    await t.rejects(client.listApplications());
  }
  const master = double.masters.get(id)?.server;
  if (master) master.fault = 'down';
  await t.rejects(client.getPhysicalPlan({ params }), unreachable);
  if (master) master.fault = undefined;
  await until(
    () => client.getPhysicalPlan({ params }).catch(() => undefined),
    (plan) => plan?.operators.length === 2,
  );
  if (manager) manager.fault = undefined;
  await until(
    () => client.getApplication({ params }),
    ({ observedAt }) => observedAt > before.observedAt,
  );
});

t.test('a gateway that starts while nothing of the cluster is there', async (t) => {
  const double = await yarnDouble();
  t.teardown(() => double.close());
  const { id } = await double.run(pipeline());
  const parts = [...double.managers, double.files.nameNode, double.nodeManager];
  await Promise.all(parts.map((part) => part.stop()));
  const resourceManager = double.managers[0]?.url ?? '';
  const { client } = await yarnGateway(t, { resourceManager, files: double.files.nameNode.url, limits });
  await t.rejects(client.listApplications(), unreachable);
  await t.rejects(client.getClusterMetrics(), unreachable);
  await Promise.all(parts.map((part) => part.start()));
  t.match(await client.listApplications(), { apps: [{ id, state: 'RUNNING' }] });
  await until(
    () => client.listEvents({ params: { appid: id } }).catch(() => ({ events: [] })),
    ({ events }) => events.length > 0,
  );
});

t.test('answers of the manager that are no answers', async (t) => {
  const { client, double } = await yarnGateway(t, { limits });
  await double.run(pipeline());
  const [manager] = double.managers;
  for (const [fault, error] of [
    ['down', unreachable],
    ['hang', late],
    ['garbage', unusable],
    ['cut', unreachable],
    ['huge', unusable],
  ] as const) {
    if (manager) manager.fault = fault;
    await t.rejects(client.listApplications(), error, fault);
  }
  if (manager) manager.fault = undefined;
  t.equal((await client.listApplications()).apps.length, 1);
});

t.test('failover: the one on standby sends on, in both ways; with none active nothing is told', async (t) => {
  const { client, double } = await yarnGateway(t, { limits, managers: 2 });
  const { id } = await double.run(pipeline());
  const ids = async () => (await client.listApplications()).apps.map((app) => app.id);
  for (const way of ['refresh', 'redirect'] as const) {
    double.standby = way;
    for (const active of [1, 0]) {
      double.active = active;
      t.same(await ids(), [id], `${way} to ${active}`);
    }
  }
  double.active = undefined;
  await t.rejects(client.listApplications(), { status: 502 } as never);
  await double.managers[0]?.stop();
  double.active = 1;
  t.same(await ids(), [id], 'the first one is gone');
  t.match(await client.getAbout(), { haEnabled: true });
});

t.test('a manager that forgot: what ran is unknown, not ended', async (t) => {
  const { client, double } = await yarnGateway(t, { limits });
  const running = await double.run(pipeline());
  const ended = await double.run(pipeline({ name: 'ended' }));
  ended.end('FINISHED', 'SUCCEEDED');
  const { apps } = await client.listApplications();
  t.equal(apps.length, 2);
  const before = apps.find(({ id }) => id === running.id);
  double.forget();
  const params = { appid: running.id };
  const after = await client.getApplication({ params });
  t.match(after, { state: 'RUNNING', finalStatus: 'UNDEFINED' });
  t.ok(after.observedAt <= Date.now() && before && after.observedAt >= before.observedAt);
  const again = await client.getApplication({ params });
  t.equal(again.observedAt, after.observedAt, 'as of when it was last seen');
  t.match(await client.listApplications({ query: { states: 'RUNNING' } }), { apps: [{ id: running.id }] });
  const told = { id: ended.id, state: 'FINISHED', finalStatus: 'SUCCEEDED' } as const;
  t.match(
    (await client.listApplications()).apps.find(({ id }) => id === ended.id),
    told,
    'one that had ended has ended as it did',
  );
});

t.test('what was seen of applications outlives the gateway and the memory of the manager', async (t) => {
  const storage = memoryStorage();
  const kept = { ...storage, close: async () => {} };
  const double = await yarnDouble();
  t.teardown(() => double.close());
  const shared = { resourceManager: double.managers[0]?.url ?? '', files: double.files.nameNode.url, limits };
  const next = () => yarnGateway(t, shared, { storage: kept });
  const running = await double.run(pipeline());
  const ended = await double.run(pipeline({ name: 'ended' }));
  const unseen = await double.run(pipeline({ name: 'unseen', type: 'MAPREDUCE' }));
  ended.end('FAILED', 'FAILED', 'out of luck');
  const first = await next();
  t.equal((await first.client.listApplications()).apps.length, 2);
  await first.gateway.close();
  double.forget();

  const { client, gateway } = await next();
  const { apps } = await client.listApplications();
  t.same(Object.fromEntries(apps.map(({ id, state }) => [id, state])), {
    [running.id]: 'RUNNING',
    [ended.id]: 'FAILED',
  });
  const params = { appid: ended.id };
  t.match(await client.getApplication({ params }), {
    state: 'FAILED',
    diagnostics: 'out of luck',
    attributes: { APPLICATION_NAME: 'ended' },
  });
  t.match(await client.listEvents({ params }), { events: [{ id: '3' }] });
  await t.rejects(
    client.getApplication({ params: { appid: unseen.id } }),
    { status: 404, code: 'NOT_FOUND' },
    'of one that nobody saw a folder does not tell how it ended',
  );
  await gateway.close();

  double.files.nameNode.fault = 'down';
  const blind = await next();
  t.equal(
    (await blind.client.listApplications()).apps.length,
    2,
    'a file system that is down takes nothing away',
  );
  await blind.gateway.close();
  double.files.nameNode.fault = undefined;
  double.files.remove(ended.folder);
  const last = await next();
  await t.rejects(last.client.getApplication({ params }), { status: 404, code: 'NOT_FOUND' });
  t.same(
    (await last.client.listApplications()).apps.map(({ id }) => id),
    [running.id],
    'gone with its folder',
  );
});

t.test('ids of nothing, of something else, and of applications of others', async (t) => {
  const { client, double } = await yarnGateway(t, { limits });
  const other = double.launch(pipeline({ type: 'MAPREDUCE' }));
  for (const appid of ['nix', '../../conf', 'application_1_1', 'application_1_1/state', other.id])
    await t.rejects(client.getApplication({ params: { appid } }), { status: 404, code: 'NOT_FOUND' }, appid);
  t.notOk(
    double.managers[0]?.asked.some((one) => /conf|nix/.test(one)),
    'what is no id is not asked for',
  );
});

t.test('a master that hangs, hangs up or talks nonsense costs its own application only', async (t) => {
  const { client, double } = await yarnGateway(t, { limits });
  const sick = await double.run(pipeline());
  const well = await double.run(pipeline({ name: 'well' }));
  const master = double.masters.get(sick.id)?.server;
  const plan = (appid: string) => client.getPhysicalPlan({ params: { appid } });
  await plan(sick.id);
  for (const [fault, error] of [
    ['hang', late],
    ['garbage', unusable],
    ['huge', unusable],
    ['cut', unreachable],
    ['down', unreachable],
  ] as const) {
    if (master) master.fault = fault;
    await t.rejects(plan(sick.id), error, fault);
    t.equal((await plan(well.id)).operators.length, 2);
    const detail = await client.getApplication({ params: { appid: sick.id } });
    t.match(detail, { state: 'RUNNING', stats: null }, 'what the manager knows is told');
    if (master) master.fault = undefined;
    await until(
      () => plan(sick.id).catch(() => undefined),
      (answer) => answer !== undefined,
    );
  }
});

t.test('a master that hangs is left alone for a while', async (t) => {
  const { client, double } = await yarnGateway(t, { limits: { ...limits, backOffMillis: 60_000 } });
  const { id } = await double.run(pipeline());
  const master = double.masters.get(id)?.server;
  if (!master) throw new Error('no master');
  master.fault = 'hang';
  const plan = () => client.getPhysicalPlan({ params: { appid: id } });
  await t.rejects(plan(), late);
  const asked = master.asked.length;
  await Promise.all(Array.from({ length: 20 }, () => t.rejects(plan(), late)));
  t.equal(master.asked.length, asked, 'twenty more cost it nothing');
});

t.test('with the waiting times that every host has, who hangs keeps nobody else waiting', async (t) => {
  const { client, double } = await yarnGateway(t);
  const sick = await double.run(pipeline());
  const well = await double.run(pipeline({ name: 'well' }));
  const master = double.masters.get(sick.id)?.server;
  if (!master) throw new Error('no master');
  const { nameNode } = double.files;
  const plan = (appid: string) => client.getPhysicalPlan({ params: { appid } });
  const containerId = well.masterContainer;
  await plan(sick.id);
  for (const server of [master, nameNode, double.nodeManager]) server.fault = 'hang';
  const waiting = [
    plan(sick.id),
    client.getApplicationAttributes({ params: { appid: sick.id } }),
    client.listEvents({ params: { appid: well.id } }),
    client.listLogs({ params: { appid: well.id, containerId } }),
  ];
  const ended = Promise.race(waiting.map((one) => one.catch(() => {}))).then(() => 'one that hangs');
  const others = Promise.all([
    client.listApplications(),
    plan(well.id),
    client.setOperatorProperties({ params: { appid: well.id, opName: 'rand' }, body: { tuplesBlast: 20 } }),
    client.getOperatorProperties({ params: { appid: well.id, opName: 'rand' } }),
  ]).then(() => 'the others');
  t.equal(await Promise.race([ended, others]), 'the others');
  for (const one of waiting) await t.rejects(one, late);
  t.match(await client.getApplication({ params: { appid: sick.id } }), { state: 'RUNNING', stats: null });

  for (const server of [master, nameNode, double.nodeManager]) server.fault = undefined;
  t.match(await client.listEvents({ params: { appid: well.id } }), { events: [{ id: '3' }] }, 'at once');
  await until(
    () => plan(sick.id).catch(() => undefined),
    (answer) => answer?.operators.length === 2,
  );
});

t.test('the next attempt, at another port, is found while something is being recorded', async (t) => {
  const { client, double } = await yarnGateway(t, { limits });
  const application = await double.run(pipeline());
  const params = { appid: application.id };
  const { id: recording } = await client.startOperatorRecording({ params: { ...params, opid: '1' } });
  await until(
    () => client.getRecording({ params: { ...params, opid: '1', id: recording } }),
    ({ totalTuples }) => totalTuples > 0,
  );
  await double.restartMaster(application.id);
  const after = await until(
    () => client.getApplication({ params }),
    ({ stats, currentAttemptId }) => stats !== null && /_000002$/.test(currentAttemptId),
  );
  t.match(after, { state: 'RUNNING' });
  t.equal((await client.getPhysicalPlan({ params })).operators.length, 2);
  const { containers } = await client.listContainers({ params, query: {} });
  const ended = containers.filter(({ state }) => state === 'KILLED');
  t.equal(ended.length, 3, 'those of the first attempt are told as ended');
  const { recordings } = await client.listApplicationRecordings({ params });
  t.match(recordings, [{ id: recording }], 'and what was recorded is there');
  const { tuples } = await client.getRecordedTuples({
    params: { ...params, opid: '1', id: recording },
    query: { limit: 1 },
  });
  t.equal(tuples.length, 1);
  await client.stopOperatorRecording({ params: { ...params, opid: '1' } });
  t.ok((await client.getRecording({ params: { ...params, opid: '1', id: recording } })).ended);
});

t.test('a change is sent once, also when the master hangs up in the middle', async (t) => {
  const { client, double } = await yarnGateway(t, { limits });
  const { id } = await double.run(pipeline());
  const params = { appid: id, opName: 'rand' };
  await client.getOperatorProperties({ params });
  const master = double.masters.get(id)?.server;
  if (!master) throw new Error('no master');
  master.fault = 'cut';
  await t.rejects(client.shutdownApplication({ params: { appid: id } }), unreachable);
  t.equal(master.asked.filter((one) => one.endsWith('/shutdown')).length, 1);
});

t.test('masters that ask for a cookie get it, also a new one', async (t) => {
  const { client, double } = await yarnGateway(t, { limits });
  const { id } = await double.run(pipeline());
  const master = double.masters.get(id);
  if (!master) throw new Error('no master');
  master.cookie = 'first';
  const plan = () => client.getPhysicalPlan({ params: { appid: id } });
  t.equal((await plan()).operators.length, 2);
  master.cookie = 'second';
  t.equal((await plan()).operators.length, 2, 'a token that ran out is renewed');
});

t.test('a launch that was accepted and fails before it runs', async (t) => {
  const { client, double } = await yarnGateway(t, { limits });
  let start = () => {};
  const starts = new Promise<void>((resolve) => {
    start = resolve;
  });
  const { id } = double.launch(pipeline({ failure: 'AM Container exited with exitCode: 1', starts }));
  const params = { appid: id };
  t.match(await client.getApplication({ params }), { state: 'ACCEPTED', stats: null, currentAttemptId: '' });
  await t.rejects(client.getPhysicalPlan({ params }), { status: 409, message: /ACCEPTED/ });
  start();
  const failed = await untilState(client, id, 'FAILED');
  t.match(failed.diagnostics, /exitCode: 1/);
  t.match(await client.getFailureRootCause({ params }), { title: 'FC_UNKNOWN', content: /exitCode: 1/ });
  t.same(await client.listEvents({ params }), { events: [] }, 'it left nothing');
  t.match(await client.listContainers({ params, query: {} }), {
    containers: [{ id: /_000001$/, containerType: 'APP_MASTER', state: 'KILLED' }],
  });
  double.apps.get(id)?.logs.set('apex.log', failedMaster);
  const { title, content } = await client.getFailureRootCause({ params });
  t.equal(title, 'FC_MASTER_FAILED', 'the log of its master tells why');
  t.match(content, /## Cause\n\n```\njava\.lang\.ClassNotFoundException: com\.example\.Nix\n```/);
  t.match(content, /StreamingAppMaster\.main/, 'with the whole stack');
  t.match(content, /exitCode: 1/);
});

t.test('a file system that is down, forbidden, in safe mode or full of nonsense', async (t) => {
  const { client, double } = await yarnGateway(t, { limits });
  const { id, folder } = await double.run(pipeline({ attributes: { STREAMING_WINDOW_SIZE_MILLIS: 50 } }));
  const params = { appid: id };
  const events = () => client.listEvents({ params });
  const { nameNode, dataNode } = double.files;
  for (const server of [nameNode, dataNode])
    for (const [fault, error] of [
      ['down', unreachable],
      ['hang', late],
      ['cut', server === dataNode ? unreachable : undefined],
    ] as const) {
      if (!error) continue;
      server.fault = fault;
      await t.rejects(events(), error, fault);
      t.ok((await client.getApplication({ params })).stats, 'what needs no files goes on');
      t.equal((await client.listContainers({ params, query: {} })).containers.length, 3);
      server.fault = undefined;
    }
  double.files.forbidden.add(folder);
  await t.rejects(events(), { status: 403, code: 'FORBIDDEN' });
  double.files.forbidden.clear();

  const operator = { ...params, opid: '1' };
  const recording = await client.startOperatorRecording({ params: operator });
  await until(
    () => client.getRecording({ params: { ...operator, id: recording.id } }),
    ({ totalTuples }) => totalTuples > 0,
  );
  const meta = `${folder}/recordings/1/${recording.id}/meta.txt`;
  const written = double.files.read(meta) ?? '';
  double.files.write(meta, '');
  t.match(
    await client.getRecording({ params: { ...operator, id: recording.id } }),
    { startTime: 0, ended: false },
    'nothing is written yet',
  );
  double.files.write(meta, written);
  await client.stopOperatorRecording({ params: operator });
  double.files.safeMode = true;
  await t.rejects(client.deleteRecording({ params: { ...operator, id: recording.id } }), {
    ...unusable,
    message: /safe mode/,
  });
  double.files.safeMode = false;
  double.files.write(`${folder}/recordings/1/202611211822-noroom/meta.txt`, '');
  const { recordings } = await client.listOperatorRecordings({ params: operator });
  t.match(recordings, [{ id: recording.id }], 'one that is damaged hides no other one');
  t.equal(recordings.length, 1);
  const damaged = { params: { ...operator, id: '202611211822-noroom' } };
  await t.rejects(client.getRecording(damaged), { status: 500, code: 'DAMAGED' });
  await client.deleteRecording(damaged);
  await t.rejects(client.getRecording(damaged), { status: 404, code: 'NOT_FOUND' });
  double.files.write(`${folder}/meta.json`, '{"attributes":{"A":');
  double.files.write(
    `${folder}/containers_1.json`,
    'not json\n{"id":"container_1_0001_01_000007"}\n{"id":"cont',
  );
  await client.killApplication({ params });
  await untilState(client, id, 'KILLED');
  t.match(await client.getApplication({ params }), { attributes: {}, stats: null });
  t.match(await client.listContainers({ params, query: {} }), {
    containers: [{ id: /_000007$/, state: 'KILLED' }],
  });
});

t.test('a file system that is full, or may not be written: what has to be kept is kept', async (t) => {
  const { client, double } = await yarnGateway(t, { limits });
  const { id, folder } = await double.run(pipeline());
  const params = { appid: id };
  const put = (user: string) =>
    client.putApplicationPermissions({ params, body: { readOnly: { users: [user] } } });
  const { files } = double;
  const inFolder = () => files.read(`${folder}/permissions.json`) ?? '';
  for (const full of ['disks', 'quota'] as const) {
    files.full = full;
    await put(full);
    t.match(await client.getApplicationPermissions({ params }), { readOnly: { users: [full] } });
    t.notMatch(inFolder(), full);
  }
  files.full = undefined;
  files.forbidden.add(`${folder}/permissions.json`);
  await put('denied');
  t.match(await client.getApplicationPermissions({ params }), { readOnly: { users: ['denied'] } });
  files.forbidden.clear();
  await put('rita');
  t.match(inFolder(), /rita/);
  t.match(await client.getApplicationPermissions({ params }), { readOnly: { users: ['rita'] } });
});

t.test('several name nodes: the one that is active is found', async (t) => {
  const double = await yarnDouble();
  const other = await doubleFiles();
  t.teardown(async () => {
    await double.close();
    await Promise.all([other.nameNode.stop(), other.dataNode.stop()]);
  });
  const { client } = await yarnGateway(t, {
    resourceManager: double.managers[0]?.url ?? '',
    files: [other.nameNode.url, double.files.nameNode.url],
    limits,
  });
  const { id } = await double.run(pipeline());
  const events = () => client.listEvents({ params: { appid: id } });
  other.standby = true;
  t.match(await events(), { events: [{ id: '3' }] });
  await other.nameNode.stop();
  t.match(await events(), { events: [{ id: '3' }] });
  double.files.standby = true;
  await t.rejects(events(), { status: 502 } as never, 'none of them is');
  await other.nameNode.start();
  await t.rejects(events(), { ...unusable, message: /no active name node/ });
  t.match(await client.getApplication({ params: { appid: id } }), { state: 'RUNNING', stats: {} });
});

t.test('node managers that are gone, and logs that go while they are read', async (t) => {
  const { client, double } = await yarnGateway(t, { limits });
  const application = await double.run(pipeline());
  const params = { appid: application.id, containerId: application.masterContainer };
  const log = { ...params, logName: 'apex.log' };
  double.rawLogs = true;
  application.logs.set('apex.log', 'line\n'.repeat(100_000));
  const part = await client.readLog({ params: log, query: { start: 5, end: 15 } });
  t.equal(part instanceof Response && (await part.text()), 'line\nline\n', 'parts are read as parts');
  application.logs.delete('apex.log');
  await t.rejects(client.readLog({ params: log, query: {} }), { status: 404, code: 'NOT_FOUND' });
  application.logs.set('apex.log', 'line\n'.repeat(100_000));
  for (const raw of [true, false]) {
    double.rawLogs = raw;
    double.nodeManager.fault = 'cut';
    const read = client.readLog({ params: log, query: {} });
    await t.rejects(
      read.then(async (whole) => (whole instanceof Response ? whole.text() : '')),
      'half a log is no log',
    );
  }
  double.nodeManager.fault = 'hang';
  await t.rejects(client.listLogs({ params }), late);
  await double.nodeManager.stop();
  await t.rejects(client.listLogs({ params }), unreachable);
  t.equal((await client.getPhysicalPlan({ params: { appid: application.id } })).operators.length, 2);
});

t.test('a log that comes only as a whole is copied up to a limit', async (t) => {
  const { client, double } = await yarnGateway(t, { limits: { ...limits, copiedLogBytes: 1000 } });
  const application = await double.run(pipeline());
  const params = { appid: application.id, containerId: application.masterContainer, logName: 'apex.log' };
  application.logs.set('apex.log', 'x'.repeat(1001));
  await t.rejects(client.readLog({ params, query: {} }), {
    status: 400,
    code: 'ANSWER_TOO_LARGE',
    message: /copiedLogBytes/,
  });
  application.logs.set('apex.log', 'x'.repeat(1000));
  const whole = await client.readLog({ params, query: { lastNBytes: 1000 } });
  t.equal(whole instanceof Response && (await whole.text()), 'x'.repeat(1000));
});
