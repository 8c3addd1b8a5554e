import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { randomNumbers, writeConfigPackage } from './application-package.js';
import { until, type YarnSession, yarnSession } from './session.js';

// From a package to an application that runs, in all the ways that there are; and to one that does not.

t.setTimeout(600_000);
const whole = t;
let session: YarnSession;
let source = { owner: '', name: '', version: '' };
const launched = { layers: '', json: '' };

const properties = (appid: string, opName: string) =>
  session.client.getOperatorProperties({ params: { appid, opName } });
const prop = (operator: string, name: string) => `apex.operator.${operator}.prop.${name}`;

t.test('a package is uploaded, with a configuration of its own and a configuration package', async (t) => {
  session = await yarnSession(whole, { gateway: { discovery: 'cli' } });
  source = await session.upload({
    applications: { Random: randomNumbers },
    // Each layer sets what only it sets, and what the next one sets as well.
    properties: { [prop('console', 'debug')]: true, [prop('rand', 'minvalue')]: 1 },
    settings: {
      'META-INF/properties-Random.xml': { [prop('rand', 'minvalue')]: 2, [prop('rand', 'maxvalue')]: 90 },
      'conf/slow.xml': {
        [prop('rand', 'tuplesBlastIntervalMillis')]: 301,
        [prop('rand', 'tuplesBlast')]: 1,
      },
    },
  });
  const file = join(session.cluster.directory, 'tuning.apc');
  await writeConfigPackage(file, 'tuning', {
    [prop('rand', 'maxvalue')]: 91,
    [prop('rand', 'tuplesBlastIntervalMillis')]: 300,
  });
  t.match(await session.client.uploadConfigPackage({ body: await readFile(file) }), { name: 'tuning' });
  t.match(await session.client.getPackage({ params: source }), { configs: ['slow.xml'] });
});

t.test('what it holds is found out by the engine itself', async (t) => {
  const { operatorClasses } = await session.client.listPackageOperators({ params: source });
  const found = operatorClasses.find(({ name }) => name === randomNumbers.operators[0]?.class);
  t.match(found, {
    outputPorts: [{ name: /_data$/ }, { name: /_data$/ }],
    defaultValue: { tuplesBlast: 1000, maxvalue: 100 },
  });
});

t.test('a launch with all of them: the stronger layer wins', async (t) => {
  const { appId } = await session.client.launchPackageApplication({
    params: { ...source, appName: 'Random' },
    query: { config: 'slow.xml', configPackage: 'root/tuning' },
    body: { [prop('rand', 'tuplesBlast')]: 4, 'apex.attr.APPLICATION_NAME': 'Layers' },
  });
  launched.layers = appId;
  await session.untilItRuns(appId);
  const rand = await properties(appId, 'rand');
  t.equal(Number(rand['minvalue']), 2, "the application's own over the package's");
  t.equal(Number(rand['maxvalue']), 91, "the configuration package's over the application's own");
  t.equal(Number(rand['tuplesBlastIntervalMillis']), 301, 'the configuration over the configuration package');
  t.equal(Number(rand['tuplesBlast']), 4, 'and what the launch says over all');
  t.equal(String((await properties(appId, 'console'))['debug']), 'true', "the package's own");
  t.match(await session.client.getApplication({ params: { appid: appId } }), {
    name: 'Layers',
    appPackageSource: {
      user: 'root',
      name: source.name,
      version: source.version,
      appName: 'Random',
      configPackage: { user: 'root', name: 'tuning' },
    },
  });
});

t.test('the same name again is refused while it runs', async (t) => {
  const again = session.client.launchPackageApplication({
    params: { ...source, appName: 'Random' },
    body: { 'apex.attr.APPLICATION_NAME': 'Layers' },
  });
  await t.rejects(again, { status: 409, code: 'APPLICATION_NAME_TAKEN' });
});

t.test('a launch that goes on from the state of one that has ended', async (t) => {
  const { client } = session;
  await client.setOperatorProperties({
    params: { appid: launched.layers, opName: 'rand' },
    body: { minvalue: 7 },
  });
  await until(
    () => properties(launched.layers, 'rand'),
    ({ minvalue }) => Number(minvalue) === 7,
  );
  await client.shutdownApplication({ params: { appid: launched.layers } });
  await session.untilState(launched.layers, 'FINISHED');
  const { appId } = await client.launchPackageApplication({
    params: { ...source, appName: 'Random' },
    query: { originalAppId: launched.layers },
    body: { 'apex.attr.APPLICATION_NAME': 'Layers' },
  });
  t.not(appId, launched.layers);
  await session.untilItRuns(appId);
  t.equal(Number((await properties(appId, 'rand'))['minvalue']), 7, 'as it was changed while it ran');
  await until(
    () => client.getApplication({ params: { appid: appId } }),
    ({ connectedToThisGateway }) => connectedToThisGateway,
  );
  await client.killApplication({ params: { appid: appId } });
});

t.test('a JSON application that was put into the package', async (t) => {
  const { client } = session;
  const params = { ...source, appName: 'Twice' };
  const body = {
    displayName: 'Twice',
    operators: [
      ...randomNumbers.operators,
      { name: 'second', class: 'com.datatorrent.lib.io.ConsoleOutputOperator' },
    ],
    streams: [
      {
        name: 'numbers',
        source: { operatorName: 'rand', portName: 'integer_data' },
        sinks: [
          { operatorName: 'console', portName: 'input' },
          { operatorName: 'second', portName: 'input' },
        ],
      },
    ],
  };
  t.strictSame(await client.putPackageApplication({ params, body }), {});
  const { appId } = await client.launchPackageApplication({ params });
  launched.json = appId;
  const operators = await session.untilItRuns(appId);
  t.strictSame(operators.map(({ name }) => name).sort(), ['console', 'rand', 'second']);
  await client.killApplication({ params: { appid: appId } });
});

t.test('what the engine refuses at launch is told in one sentence', async (t) => {
  const { client } = session;
  const params = { ...source, appName: 'Nowhere' };
  const body = { operators: [{ name: 'x', class: 'org.example.Nowhere' }], streams: [] };
  await client.putPackageApplication({ params, body });
  const refused = client.launchPackageApplication({ params });
  await t.rejects(refused, { status: 400, message: /ClassNotFoundException: org\.example\.Nowhere$/ });
});

t.test('a launch that is accepted and then fails says why', async (t) => {
  const { client } = session;
  const broken = await session.upload({
    name: 'broken',
    without: /^objenesis/,
    applications: { Random: randomNumbers },
  });
  const { appId: appid } = await client.launchPackageApplication({
    params: { ...broken, appName: 'Random' },
  });
  await session.untilState(appid, 'FAILED');
  const { content, title } = await client.getFailureRootCause({ params: { appid } });
  t.match(content, /org[./]objenesis/, 'the class that it lacks');
  t.match(content, /exitCode: 1/, 'what the cluster says');
  t.match(title, /^FC_/);
});
