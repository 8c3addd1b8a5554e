import t from 'tap';
import { z } from 'zod';
import type { JsonApplication } from '../../../lib/driver-kit.js';
import { refuses } from '../../helpers/accounts.js';
import { engineGateway, untilItRuns, untilState, words } from '../../helpers/applications.js';
import { jarOf } from '../../helpers/class-bytes.js';
import { newGateway } from '../../helpers/gateway.js';
import { application, genericBase, operatorClasses } from '../../helpers/operator-jars.js';
import { configuration, type Files, manifest, packageOf } from '../../helpers/packages.js';
import { as, people } from '../../helpers/people.js';
import { until } from '../../helpers/waiting.js';
import { yarnGateway } from '../../helpers/yarn.js';

// Applications of packages: read, edited and launched, on the real engine.

const Values = z.record(z.string(), z.unknown());
const Failure = z.object({ message: z.string(), details: z.array(z.object({ path: z.string() })).catch([]) });

const definition = () => words().application;
const params = { owner: 'ada', name: 'wordy', version: '1.0.0' };
const app = (appName: string) => ({ params: { ...params, appName } });

const files: Files = {
  'app/words.json': JSON.stringify(definition(), null, 2),
  'app/broken.json': '{"operators": [',
  'app/half.json': JSON.stringify({ operators: [{ name: 'a.b', class: 'no.Such' }], streams: [] }),
  'app/odd.json': '{"operators": {}}',
  'app/old.properties': 'dt.application.old.class=org.example.Old\n',
  'META-INF/properties.xml': configuration(
    { 'dt.operator.source.prop.tuplesPerSecond': '150', 'dt.attr.MASTER_MEMORY_MB': '512' },
    'How many',
  ),
  'META-INF/properties-asking.xml': configuration({
    'dt.operator.hub.prop.topic': null,
    'dt.attr.APPLICATION_NAME': null,
  }),
  'app/asking.json': JSON.stringify(definition()),
  'conf/slow.xml': configuration({ 'apex.operator.source.prop.tuplesPerSecond': '20' }),
};

async function wordy(t: Parameters<typeof engineGateway>[0], more: Files = {}) {
  const living = await engineGateway(t);
  const ada = living.newClient(as('ada', 'developer'));
  await ada.uploadPackage({ body: packageOf({ name: 'wordy' }, { ...files, ...more }) });
  return { ...living, ada };
}

t.test('applications are listed, and what can not run says why', async (t) => {
  const { ada, newClient } = await wordy(t);
  const { applications } = await ada.listPackageApplications({ params });
  const byName = new Map(applications.map((application) => [application.name, application]));
  t.strictSame([...byName.keys()].sort(), ['asking', 'broken', 'half', 'odd', 'old', 'words']);
  t.equal(byName.get('words')?.error, undefined);
  t.equal(byName.get('words')?.displayName, 'Words');
  t.match(byName.get('broken')?.error, /not JSON/);
  t.match(byName.get('half')?.error, /operators\.0\.name: names hold no dots.*no operator class "no\.Such"/);
  t.match(byName.get('odd')?.error, /operators/);
  t.equal(byName.get('old')?.type, 'properties');
  t.strictSame(byName.get('asking')?.requiredProperties, [
    'dt.operator.hub.prop.topic',
    'dt.attr.APPLICATION_NAME',
  ]);
  t.strictSame(await ada.listPackageApplications({ params }), { applications }, 'the same when remembered');
  await refuses(t, newClient(as('eve')).listPackageApplications({ params }), { status: 404 });
});

t.test('an application tells its plan, its definition and its properties', async (t) => {
  const { ada, baseUrl } = await wordy(t);
  const found = await ada.getPackageApplication(app('words'));
  t.match(found, { name: 'words', file: 'words.json', type: 'json', displayName: 'Words' });
  t.strictSame(found.fileContent, definition(), 'the object that the file holds');
  t.notOk(found.error);
  t.match(found.dag?.operators[0], {
    name: 'source',
    class: 'headgate.io.RandomGenerator',
    properties: { class: 'headgate.io.RandomGenerator', tuplesPerSecond: 200 },
    ports: [{ name: 'output', type: 'output', attributes: {} }],
    x: 10,
  });
  t.match(found.dag?.streams[0], { name: 'records', locality: null });
  t.strictSame(found.defaultProperties, {
    'dt.operator.source.prop.tuplesPerSecond': '150',
    'dt.attr.MASTER_MEMORY_MB': '512',
  });
  const described = await ada.getPackageApplication({
    ...app('asking'),
    query: { includeDescription: true },
  });
  t.match(described.requiredProperties, { 'dt.operator.hub.prop.topic': { value: null } });
  t.match(described.defaultProperties, {
    'dt.operator.source.prop.tuplesPerSecond': { value: '150', description: 'How many' },
  });

  const half = await ada.getPackageApplication(app('half'));
  t.match(half.error, /names hold no dots/);
  t.equal(half.errorStackTrace?.split('\n').length, 2);
  t.equal(half.dag?.operators.length, 1);
  t.equal((await ada.getPackageApplication(app('broken'))).fileContent, files['app/broken.json']);
  t.equal((await ada.getPackageApplication(app('old'))).dag, undefined);
  await refuses(t, ada.getPackageApplication(app('none')), {
    status: 404,
    message: /application in ada\/wordy\/1\.0\.0 "none"/,
  });
  const response = await fetch(`${baseUrl}/ws/v2/appPackages/ada/wordy/1.0.0/applications/words`, as('ada'));
  t.match(response.headers.get('etag'), /^"[0-9a-f]{64}"$/);
});

t.test('a definition is kept as it was sent, whether it can run or not', async (t) => {
  const { ada, newClient, baseUrl } = await wordy(t);
  const url = `${baseUrl}/ws/v2/appPackages/ada/wordy/1.0.0/applications/mine`;
  const text = `{ "operators": [{"name":"a","class":"headgate.io.RandomGenerator","x":12345678901234567890,
    "properties":{"seed":12345678901234567890}}], "streams": [], "note": {"y": 1} }`;
  const put = await fetch(url, {
    method: 'PUT',
    body: text,
    headers: { ...as('ada').headers, 'content-type': 'application/json' },
  });
  t.equal(put.status, 200);
  const etag = put.headers.get('etag') ?? '';
  const read = await (await fetch(url, as('ada'))).text();
  t.ok(read.includes(`"fileContent":${text}`), 'numbers of 64 bits too');

  t.strictSame(await ada.putPackageApplication({ ...app('good'), body: definition() }), {});
  t.strictSame((await ada.getPackage({ params })).appJsonFiles.includes('good.json'), true);
  const half = { ...definition(), streams: [] };
  const { error } = await ada.putPackageApplication({ ...app('good'), body: half });
  t.match(error, /the input port "input" of count is not connected/);
  t.equal((await ada.getPackageApplication(app('good'))).error, error);

  await refuses(
    t,
    ada.putPackageApplication({ ...app('good'), body: definition(), query: { errorIfExists: true } }),
    {
      status: 412,
      details: undefined,
      code: 'ALREADY_EXISTS',
      message: /"good" in ada\/wordy\/1\.0\.0 already/,
    },
  );
  t.strictSame(
    await ada.putPackageApplication({
      ...app('other'),
      body: definition(),
      query: { errorIfExists: true },
    }),
    {},
  );
  await refuses(
    t,
    ada.putPackageApplication({ ...app('good'), body: definition(), headers: { 'if-match': etag } }),
    { status: 412 },
    'somebody changed the package since',
  );
  t.equal((await ada.getPackageApplication(app('good'))).error, error, 'and nothing was changed');
  await refuses(t, ada.putPackageApplication({ ...app('old'), body: definition() }), {
    status: 400,
    message: /properties application/,
  });
  const viewer = newClient(as('eve', 'operator'));
  await refuses(t, viewer.putPackageApplication({ ...app('good'), body: definition() }), { status: 403 });
  await refuses(t, viewer.deletePackageApplication(app('good')), { status: 403 });

  await ada.deletePackageApplication(app('good'));
  await ada.deletePackageApplication(app('old'));
  await refuses(t, ada.getPackageApplication(app('good')), { status: 404 });
  await refuses(t, ada.deletePackageApplication(app('good')), { status: 404 });
});

t.test('an application that its editor could not show is not saved empty', async (t) => {
  const { ada, baseUrl } = await wordy(t);
  const nothing = { operators: [], streams: [] };
  await refuses(t, ada.putPackageApplication({ ...app('words'), body: nothing }), {
    status: 412,
    code: 'WOULD_EMPTY',
    details: undefined,
    message: /"words" has 3 operators.*If-Match/,
  });
  t.strictSame((await ada.getPackageApplication(app('words'))).fileContent, definition());
  const url = `${baseUrl}/ws/v2/appPackages/ada/wordy/1.0.0/applications/words`;
  const etag = (await fetch(url, as('ada'))).headers.get('etag') ?? '';
  const headers = { 'if-match': etag };
  t.match(await ada.putPackageApplication({ ...app('words'), body: nothing, headers }), {
    error: /at least one operator/,
  });
  t.match(await ada.putPackageApplication({ ...app('words'), body: nothing }), {}, 'nothing to lose');
  t.match(await ada.putPackageApplication({ ...app('new'), body: nothing }), {}, 'nor here');
  t.match(await ada.putPackageApplication({ ...app('broken'), body: nothing }), {}, 'nor in what is none');
});

t.test('a package tells which of its applications can not run, and why', async (t) => {
  const lost = { ...application('org.example.App', 'Word count'), extends: 'org.example.None' };
  const jars = { 'app/words.jar': jarOf([lost]) };
  const { ada } = await wordy(t, jars);
  for (const { applications } of [
    await ada.getPackage({ params }),
    await ada.uploadPackage({ body: packageOf({ name: 'again' }, { ...files, ...jars }) }),
    await ada.listPackageApplications({ params }),
  ]) {
    const told = new Map(applications.map((found) => [found.name, found]));
    t.match(told.get('half'), { error: /no operator class "no\.Such"/, errorStackTrace: /no\.Such/ });
    t.match(told.get('broken'), { error: /not JSON/, errorStackTrace: /not JSON[\s\S]*app\/broken\.json/ });
    t.equal(told.get('words')?.error, undefined);
    for (const { name, error, errorStackTrace } of applications)
      t.equal(error === undefined, errorStackTrace === undefined, `${name}: both or none`);
  }
});

t.test('an application of a class that nobody knows is broken wherever it is told of', async (t) => {
  const lost = { operators: [{ name: 'reader', class: 'org.example.Lost' }], streams: [] };
  const content = { 'app/lost.json': JSON.stringify(lost), 'app/classes.jar': jarOf(operatorClasses) };
  const body = () => packageOf({}, content);
  for (const { newClient } of [await engineGateway(t), await yarnGateway(t, {}, { auth: people })]) {
    const ada = newClient(as('ada', 'developer'));
    const ref = { owner: 'ada', name: 'sensors', version: '1.0.0' };
    const uploaded = await ada.uploadPackage({ body: body() });
    const alone = await ada.getPackageApplication({ params: { ...ref, appName: 'lost' } });
    const told = [
      alone,
      uploaded.applications[0],
      (await ada.getPackage({ params: ref })).applications[0],
      (await ada.getPackage({ params: ref, query: { includeDescription: true } })).applications[0],
      (await ada.listPackageApplications({ params: ref })).applications[0],
    ];
    t.match(alone, {
      name: 'lost',
      error: /operators\.0\.class: there is no operator class "org\.example\.Lost"/,
    });
    t.match(alone.errorStackTrace, /operators\.0\.class.*org\.example\.Lost/);
    t.strictSame(alone.fileContent, lost, 'its editor can show it');
    for (const app of told) {
      t.equal(app?.name, 'lost');
      t.equal(app?.error, alone.error);
      t.equal(app?.errorStackTrace, alone.errorStackTrace);
    }
    await ada.putPackageApplication({
      params: { ...ref, appName: 'lost' },
      body: { ...lost, operators: [{ name: 'reader', class: 'org.example.Gone' }] },
    });
    const { applications } = await ada.getPackage({ params: ref });
    t.match(applications, [{ error: /Gone/, errorStackTrace: /Gone/ }], 'as it is now');
  }
});

t.test('what is no definition is refused at once, however large or deep', async (t) => {
  const { ada, baseUrl } = await wordy(t);
  const send = async (body: string, name = 'bad') => {
    const response = await fetch(`${baseUrl}/ws/v2/appPackages/ada/wordy/1.0.0/applications/${name}`, {
      method: 'PUT',
      body,
      headers: { ...as('ada').headers, 'content-type': 'application/json' },
    }).catch(() => undefined);
    if (!response) return [0, ''];
    const { message } = Failure.parse(await response.json());
    return [response.status, message];
  };
  const good = JSON.stringify(definition());
  const table: readonly [what: string, body: string, status: number, message: RegExp, name?: string][] = [
    ['nothing', '', 400, /not JSON/],
    ['not JSON', '{', 400, /not JSON/],
    ['a list', '[]', 400, /expected object/],
    ['no operators', '{"streams": []}', 400, /operators: is missing/],
    ['operators that are none', '{"operators": [1], "streams": []}', 400, /operators\.0/],
    ['a name that is none', '{"operators": [{"name": 1, "class": "x"}], "streams": []}', 400, /name/],
    ['10 MB', good.replace('Words', 'W'.repeat(10 * 1024 * 1024)), 413, /larger than/],
    ['deep', `{"operators": ${'['.repeat(100_000)}`, 400, /nested deeper than 64/],
    ['10 MB deep', '['.repeat(10 * 1024 * 1024), 413, /larger than/],
    ['many values', `{"operators": [${'0,'.repeat(60_000)}0]}`, 400, /more than 10000 values/],
    ['a prototype', '{"__proto__": {}, "operators": [], "streams": []}', 400, /__proto__/],
    ['a slash', good, 400, /slash/, 'a%2Fb'],
    ['a parent', good, 400, /slash/, '..%2F..'],
    ['a character of Windows', good, 400, /\\/, 'a%5Cb'],
  ];
  for (const [what, body, status, message, name] of table) {
    const [got, said] = await send(body, name);
    // A body that is too large may be cut off before the answer is read.
    if (got === 0 && status === 413) continue;
    t.equal(got, status, `${what}: ${said}`);
    t.match(said, message, what);
  }
  const { applications } = await ada.listPackageApplications({ params });
  t.equal(applications.length, 6, 'nothing was kept');
});

t.test(
  'definitions may set every port attribute there is, and name every operator of the engine',
  async (t) => {
    const { ada } = await wordy(t);
    const { application } = words();
    const attributes = {
      AUTO_RECORD: 'false',
      IS_OUTPUT_UNIFIED: 'true',
      PARTITION_PARALLEL: 'false',
      QUEUE_CAPACITY: '1024',
      SPIN_MILLIS: '10',
      STREAM_CODEC: 'com.datatorrent.lib.codec.KryoSerializableStreamCodec',
      UNIFIER_LIMIT: '2147483647',
    };
    const operators = application.operators.map((operator) =>
      operator.name === 'count' ? { ...operator, ports: [{ name: 'input', attributes }] } : operator,
    );
    const put = ada.putPackageApplication({ ...app('ported'), body: { ...application, operators } });
    t.strictSame(await put, {});
    const { appId: appid } = await ada.launchPackageApplication(app('ported'));
    await untilItRuns(ada, appid);
    const port = { appid, opName: 'count', portName: 'input' };
    t.match(await ada.getPortAttributes({ params: port }), { UNIFIER_LIMIT: 2147483647 });
    const { operatorClasses } = await ada.listPackageOperators({ params, query: { q: 'headgate.' } });
    const known = new Map(operatorClasses.map((found) => [found.name, found]));
    for (const { class: name } of operators) t.match(known.get(name), { name, outputPorts: Array }, name);
    t.match(await ada.getPackageOperator({ params: { ...params, classname: 'headgate.aggregate.Count' } }), {
      properties: [{}],
    });
    await refuses(
      t,
      ada.launchPackageApplication({ ...app('words'), body: { 'dt.operator.source.prop.x': 'a\0b' } }),
      { status: 400, message: /no XML file can hold/ },
    );
  },
);

t.test('an application goes on from one whose plan was changed while it ran', async (t) => {
  const { ada } = await wordy(t);
  const { appId } = await ada.launchPackageApplication(app('words'));
  await untilItRuns(ada, appId);
  const change = {
    requests: [
      {
        requestType: 'CreateOperatorRequest' as const,
        operatorName: 'second',
        operatorFQCN: 'headgate.aggregate.Count',
      },
      {
        requestType: 'SetOperatorPropertyRequest' as const,
        operatorName: 'second',
        propertyName: 'key',
        propertyValue: 'word',
      },
      {
        requestType: 'AddStreamSinkRequest' as const,
        streamName: 'records',
        sinkOperatorName: 'second',
        sinkOperatorPortName: 'input',
      },
    ],
  };
  await ada.changeLogicalPlan({ params: { appid: appId }, body: change });
  await ada.shutdownApplication({ params: { appid: appId } });
  await untilState(ada, appId, 'FINISHED');
  const again = await ada.launchPackageApplication({ ...app('words'), query: { originalAppId: appId } });
  await untilItRuns(ada, again.appId);
  const { operators } = await ada.getLogicalPlan({ params: { appid: again.appId } });
  t.strictSame(operators.map(({ name }) => name).sort(), ['count', 'hub', 'second', 'source']);
});

t.test('a launch runs the application with the properties of all layers', async (t) => {
  const { ada } = await wordy(t);
  const rate = async (appid: string) => {
    await untilItRuns(ada, appid);
    const properties = await ada.getOperatorProperties({ params: { appid, opName: 'source' } });
    return Values.parse(properties)['tuplesPerSecond'];
  };
  const { appId } = await ada.launchPackageApplication(app('words'));
  t.equal(await rate(appId), 150, 'the package over the definition');
  const running = await ada.getApplication({ params: { appid: appId } });
  t.match(running, {
    name: 'words',
    user: 'ada',
    state: 'RUNNING',
    appPackageSource: { user: 'ada', name: 'wordy', version: '1.0.0', appName: 'words' },
  });
  await refuses(t, ada.launchPackageApplication(app('words')), {
    status: 409,
    message: /already runs an application named "words"/,
  });

  const slow = await ada.launchPackageApplication({
    ...app('words'),
    query: { config: 'slow.xml', queue: 'default' },
    body: { 'platform.attr.APPLICATION_NAME': 'slow words' },
  });
  t.equal(await rate(slow.appId), 20, 'the configuration over the package');
  t.equal((await ada.getApplication({ params: { appid: slow.appId } })).name, 'slow words');

  const fast = await ada.launchPackageApplication({
    ...app('words'),
    query: { config: 'slow.xml' },
    body: { 'platform.attr.APPLICATION_NAME': 'fast', 'dt.operator.source.prop.tuplesPerSecond': 300 },
  });
  t.equal(await rate(fast.appId), 300, 'the launch over all');

  // Drained, so that there is a state to go on from.
  await ada.shutdownApplication({ params: { appid: appId } });
  await untilState(ada, appId, 'FINISHED');
  const again = await ada.launchPackageApplication({ ...app('words'), query: { originalAppId: appId } });
  t.not(again.appId, appId);
  await untilItRuns(ada, again.appId);
  const events = await until(
    () => ada.getApplication({ params: { appid: again.appId } }),
    ({ stats }) => Number(stats?.totalTuplesEmitted ?? 0) > 0,
  );
  t.match(events.appPackageSource, { appName: 'words' });
  await refuses(t, ada.launchPackageApplication({ ...app('words'), query: { originalAppId: again.appId } }), {
    status: 409,
    message: /has not ended/,
  });
});

t.test('what keeps a launch from running is told, all of it', async (t) => {
  const { ada, newClient } = await wordy(t);
  type Launch = Parameters<typeof ada.launchPackageApplication>[0];
  const table: readonly [what: string, launch: Launch, wanted: object][] = [
    [
      'required properties',
      app('asking'),
      {
        status: 400,
        message: 'Required properties are not set: dt.attr.APPLICATION_NAME, dt.operator.hub.prop.topic',
      },
    ],
    [
      'an empty name is given, but none',
      { ...app('asking'), body: { 'apex.attr.APPLICATION_NAME': '', 'apex.operator.hub.prop.topic': 'x' } },
      { status: 400, message: /APPLICATION_NAME/ },
    ],
    ['an application', app('none'), { status: 404 }],
    [
      'a configuration',
      { ...app('words'), query: { config: 'no.xml' } },
      { status: 404, message: /slow\.xml/ },
    ],
    ['a queue', { ...app('words'), query: { queue: 'fast' } }, { status: 400, message: /no queue "fast"/ }],
    ['an ended one', { ...app('words'), query: { originalAppId: 'application_1_9' } }, { status: 404 }],
    ['a configuration package', { ...app('words'), query: { configPackage: 'ada/none' } }, { status: 404 }],
    [
      'the name of a configuration package',
      { ...app('words'), query: { configPackage: 'none' } },
      { status: 400, message: /\{user\}\/\{name\}/ },
    ],
    [
      'keys',
      { ...app('words'), body: { 'dt.operator.nobody.prop.x': '1', 'operator.source.prop.kind': '1' } },
      { status: 400, message: /operator\.source\.prop\.kind.*nobody/ },
    ],
    [
      'a value',
      { ...app('words'), body: { 'dt.operator.source.prop.tuplesPerSecond': 'many' } },
      { status: 400, message: /operators\.0\.properties\.tuplesPerSecond/ },
    ],
    ['a broken one', app('broken'), { status: 400, message: /can't be launched: .*not JSON/ }],
    ['half of one', app('half'), { status: 400, message: /operators\.0\.name/ }],
    ['one without form', app('odd'), { status: 400, message: /operators/ }],
    ['one that needs a JVM', app('old'), { status: 400, message: /"local".*properties application.*JVM/ }],
  ];
  for (const [what, launch, wanted] of table)
    await refuses(t, ada.launchPackageApplication(launch), wanted, what);
  await refuses(t, newClient(as('eve', 'operator')).launchPackageApplication(app('words')), {
    status: 403,
    message: /LAUNCH_APPS/,
  });
  await refuses(t, newClient(as('eve', 'developer')).launchPackageApplication(app('none')), { status: 404 });
  const { apps } = await ada.listApplications();
  t.strictSame(apps, [], 'nothing was launched');
});

t.test('values that are neither text nor number are named, all of them', async (t) => {
  const { baseUrl } = await wordy(t);
  const response = await fetch(`${baseUrl}/ws/v2/appPackages/ada/wordy/1.0.0/applications/words/launch`, {
    method: 'POST',
    body: JSON.stringify({ 'dt.a': { b: 1 }, 'dt.b': 'fine', 'dt.c': [1], 'dt.d': null }),
    headers: {
      'x-user': 'ada',
      'x-roles': 'developer',
      'content-type': 'application/json',
    },
  });
  t.equal(response.status, 400);
  t.strictSame(
    Failure.parse(await response.json()).details.map(({ path }) => path),
    ['body.dt.a', 'body.dt.c', 'body.dt.d'],
  );
});

t.test('a package shared for reading can be launched, as an application of the caller', async (t) => {
  const { ada, newClient } = await wordy(t);
  await ada.putPackagePermissions({
    params: { owner: 'ada', name: 'wordy' },
    body: { readOnly: { users: ['eve'] } },
  });
  const eve = newClient(as('eve', 'developer'));
  const { appId } = await eve.launchPackageApplication(app('words'));
  t.match(await eve.getApplication({ params: { appid: appId } }), {
    user: 'eve',
    appPackageSource: { user: 'ada' },
  });
});

t.test(
  'without a driver that launches there is no launch, and definitions are checked all the same',
  async (t) => {
    const { client } = await newGateway(t);
    const body: JsonApplication = {
      operators: [{ name: 'a', class: 'x.Y' }],
      streams: [
        {
          source: { operatorName: 'a', portName: 'o' },
          sinks: [{ operatorName: 'b', portName: 'i' }],
        },
      ],
    };
    const { owner: uploader } = await client.uploadPackage({
      body: packageOf({}, { 'META-INF/MANIFEST.MF': manifest('sensors', '1.0.0') }),
    });
    const where = { owner: uploader, name: 'sensors', version: '1.0.0', appName: 'a' };
    const { error } = await client.putPackageApplication({ params: where, body });
    t.match(error, /no operator "b"/);
    await refuses(t, client.launchPackageApplication({ params: where }), { status: 501 });
  },
);

t.test('classes of jars are checked as the engine would, and need a driver with a JVM', async (t) => {
  const { ada } = await wordy(t, {
    'app/words.jar': jarOf([...operatorClasses, application('org.example.App', 'Word count')]),
    'lib/base.jar': jarOf([genericBase]),
  });
  const source = { name: 'source', class: 'org.example.Source', attributes: { VCORES: 1 } };
  const alone = { operators: [source], streams: [] };
  t.strictSame(await ada.putPackageApplication({ ...app('jvm'), body: alone }), {});

  const wrong = {
    operators: [
      { ...source, attributes: { PARTITIONS: 2 }, properties: { 'no such': 1 } },
      { name: 'words', class: 'org.example.Words' },
      { name: 'other', class: 'org.example.Nothing' },
    ],
    streams: [],
  };
  const { error } = await ada.putPackageApplication({ ...app('wrong'), body: wrong });
  t.match(error, /operators\.0\.attributes\.PARTITIONS: there is no such attribute/);
  t.match(error, /org\.example\.Source has no property "no such"/);
  t.match(error, /operators\.1: the input port "input" of words is not connected/);
  t.match(error, /no operator class "org\.example\.Nothing" in the package/);
  const { dag } = await ada.getPackageApplication(app('wrong'));
  t.strictSame(
    dag?.operators[1]?.ports.map(({ name, type }) => `${type} ${name}`),
    ['input input', 'input more', 'output lists', 'output output'],
  );

  await refuses(t, ada.launchPackageApplication(app('jvm')), {
    status: 400,
    message: /the driver "local" can't run org\.example\.Source, a class of the package's jars/,
  });
  await refuses(t, ada.launchPackageApplication(app('Word count')), {
    status: 400,
    message: /driver "local".*class application in app\/words\.jar \(org\.example\.App\).*JVM/,
  });
  await refuses(t, ada.deletePackageApplication(app('Word count')), {
    status: 400,
    message: /class application/,
  });
});
