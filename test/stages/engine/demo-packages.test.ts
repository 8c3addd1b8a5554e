import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { JsonApplication } from '../../../lib/driver-kit.js';
import { refuses } from '../../helpers/accounts.js';
import { engineGateway, untilItRuns, untilState } from '../../helpers/applications.js';
import { jarOf } from '../../helpers/class-bytes.js';
import { testFolder } from '../../helpers/folder.js';
import { application, genericBase, operatorClasses } from '../../helpers/operator-jars.js';
import { configuration, type Files, manifest, packageOf } from '../../helpers/packages.js';
import { as } from '../../helpers/people.js';
import { until } from '../../helpers/waiting.js';
import { noting, rowsOf } from './noting.js';

// Every operation on application packages, on a gateway as the example server's: with the demo packages to import, and
// with one of them that holds jars, too.

const examples = fileURLToPath(new URL('../../../../examples/packages/', import.meta.url));
const importDirectory = mkdtempSync(join(tmpdir(), 'headgate-packages-'));
t.teardown(() => rmSync(importDirectory, { recursive: true }));
execFileSync(process.execPath, [join(examples, 'build.js'), importDirectory]);

const { newClient } = await engineGateway(t, { packageCode: true }, { packages: { importDirectory } });
const answered = new Set<string>();
const client = noting(newClient(as('ann', 'admin')), answered);
const params = { owner: 'ann', name: 'log-analytics', version: '2.0.0' };
const required = 'platform.operator.archive.prop.directory';
const notFound = { status: 404, code: 'NOT_FOUND' };

/** The demo package of this name, with a manifest of its own and more files. */
function enlarged(name: string, more: Files): Buffer {
  const folder = join(examples, name);
  const files = readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  const contents = files.map((file) => [relative(folder, file).split(sep).join('/'), readFileSync(file)]);
  return packageOf({}, { ...Object.fromEntries(contents), ...more });
}

const jars: Files = {
  'META-INF/MANIFEST.MF': manifest('log-analytics', '2.0.0'),
  'app/words.jar': jarOf([application('org.example.WordsApp', 'words'), ...operatorClasses]),
  'lib/base.jar': jarOf([genericBase]),
};

const heard = (topic: string) =>
  new Promise<unknown>((resolve) => {
    const stop = client.subscribe(topic, (data) => {
      stop();
      resolve(data);
    });
  });

t.test('the script makes the same bytes again, in any time zone', async (t) => {
  const again = testFolder(t);
  execFileSync(process.execPath, [join(examples, 'build.js'), again], { env: { TZ: 'Asia/Tokyo' } });
  for (const file of ['log-analytics.apa', 'sensors.apa'])
    t.ok(readFileSync(join(again, file)).equals(readFileSync(join(importDirectory, file))), file);
});

t.test('import: what is offered, and what is taken in', async (t) => {
  const { appPackages } = await client.listImportablePackages();
  t.match(appPackages, [
    { file: 'log-analytics.apa', name: 'log-analytics', displayName: 'Log analytics', version: '1.0.0' },
    { file: 'sensors.apa', name: 'sensors', description: /^A simulated greenhouse.*files$/ },
  ]);
  await client.importPackages({ body: { files: appPackages.map(({ file }) => file) } });
  const listed = await client.listPackages();
  t.strictSame(
    listed.appPackages.map(({ owner, appPackageName }) => [owner, appPackageName]),
    [
      ['ann', 'log-analytics'],
      ['ann', 'sensors'],
    ],
  );
});

t.test('upload and read: jars, applications, configurations, dashboards and services', async (t) => {
  const body = enlarged('log-analytics', jars);
  const meta = await client.uploadPackage({ body });
  t.match(meta, {
    appJars: ['words.jar'],
    appJsonFiles: ['errors.json', 'traffic.json'],
    configs: ['quiet.xml', 'rush-hour.xml'],
    defaultProperties: { 'platform.operator.hub.prop.topic': 'demo.traffic' },
  });
  t.strictSame(
    meta.applications.map(({ name, type }) => [name, type]),
    [
      ['errors', 'json'],
      ['traffic', 'json'],
      ['words', 'class'],
    ],
  );
  t.match(await client.getPackage({ params, query: { includeDescription: true } }), {
    defaultProperties: {
      'platform.operator.lines.prop.linesPerSecond': { value: '50', description: /busy/ },
    },
  });
  t.strictSame(await client.listPackageVersions({ params }), { versions: ['1.0.0', '2.0.0'] });
  t.match((await client.listPackages({ query: { hasServices: true, hasUI: true } })).appPackages, [
    {
      appPackageName: 'log-analytics',
      ui: { dashboards: [{ name: 'Traffic', appNames: ['traffic'] }, { name: 'Errors' }] },
      services: { services: [{ name: 'traffic', type: 'engine' }] },
    },
    { appPackageVersion: '2.0.0' },
  ]);
  const download = await client.downloadPackage({ params });
  t.match(download.headers.get('content-disposition'), 'log-analytics');
  t.ok(Buffer.from(await download.arrayBuffer()).equals(body), 'what was uploaded, byte for byte');
  await refuses(t, client.uploadPackage({ body, query: { merge: 'fail' } }), { status: 412 });
});

t.test('operators: of modules, and of jars', async (t) => {
  const { operatorClasses: classes } = await client.listPackageOperators({ params });
  const names = classes.map(({ name }) => name);
  t.ok(names.includes('demo.logs.AccessLines') && names.includes('org.example.Words'), names.join(' '));
  t.match(await client.getPackageOperator({ params: { ...params, classname: 'demo.logs.AccessLines' } }), {
    title: 'Access lines',
    outputPorts: [{ name: 'output', type: 'string' }],
    properties: [{ name: 'linesPerSecond', type: 'number' }],
    defaultValue: { linesPerSecond: 50 },
  });
  t.match(await client.getPackageOperator({ params: { ...params, classname: 'org.example.Words' } }), {
    properties: Array,
  });
  const { classSchemas } = await client.listClassSchemas({ params });
  t.ok(classSchemas.length > 0);
  const [name = ''] = classSchemas.flatMap(({ title }) => (typeof title === 'string' ? title : []));
  t.match(await client.getClassSchema({ params: { ...params, classSchemasName: name } }), { type: String });
});

t.test('configurations: read, written, deleted', async (t) => {
  const configName = 'calm.xml';
  await client.putPackageConfig({
    params: { ...params, configName },
    body: configuration({ 'platform.operator.lines.prop.linesPerSecond': '20' }),
  });
  t.strictSame((await client.listPackageConfigs({ params })).configs, [
    'calm.xml',
    'quiet.xml',
    'rush-hour.xml',
  ]);
  const answer = await client.getPackageConfig({ params: { ...params, configName } });
  t.equal(answer.headers.get('content-type'), 'application/xml');
  t.match(await answer.text(), '<value>20</value>');
  await client.deletePackageConfig({ params: { ...params, configName: 'quiet.xml' } });
  t.strictSame((await client.listPackageConfigs({ params })).configs, ['calm.xml', 'rush-hour.xml']);
});

t.test('applications: read, written, deleted', async (t) => {
  const appName = 'slow';
  const place = { ...params, appName };
  const { fileContent } = await client.getPackageApplication({
    params: { ...params, appName: 'errors' },
  });
  const body = JsonApplication.parse(fileContent);
  t.match(body.displayName, 'Errors');
  t.strictSame(await client.putPackageApplication({ params: place, body }), {});
  await refuses(t, client.putPackageApplication({ params: place, body, query: { errorIfExists: true } }), {
    status: 412,
  });
  if (body.operators[0]) body.operators[0].class = 'demo.logs.Nothing';
  t.match(await client.putPackageApplication({ params: place, body }), { error: /demo\.logs\.Nothing/ });
  const { applications } = await client.listPackageApplications({ params });
  t.match(
    applications.find(({ name }) => name === appName),
    { type: 'json', error: /demo\.logs\.Nothing/ },
  );
  t.match(await client.getPackageApplication({ params: { ...params, appName: 'traffic' } }), {
    dag: { operators: [{ name: 'lines' }], streams: [{ name: 'text' }] },
    fileContent: { operators: [{ class: 'demo.logs.AccessLines' }] },
  });
  t.notOk(applications.find(({ name }) => name === 'traffic')?.error);
  await client.deletePackageApplication({ params: place });
  await t.rejects(client.getPackageApplication({ params: place }), notFound);
});

t.test('merge and permissions', async (t) => {
  const { owner: user, name: appPackageName, version: appPackageVersion } = params;
  const target = { user, appPackageName, appPackageVersion };
  await client.mergePackages({ params: target, body: { version: '1.0.0' } });
  t.strictSame(
    (await client.listPackageConfigs({ params })).configs,
    ['calm.xml', 'quiet.xml', 'rush-hour.xml'],
    'what was deleted is back',
  );
  const eve = newClient(as('eve'));
  await t.rejects(eve.getPackage({ params }), notFound);
  await client.putPackagePermissions({ params, body: { readOnly: { users: ['eve'] } } });
  t.match(await client.getPackagePermissions({ params }), { readOnly: { users: ['eve'] } });
  t.match(await eve.getPackage({ params }), { canWrite: false });
});

t.test('both demo packages run, and are seen live', async (t) => {
  const traffic = { ...params, appName: 'traffic' };
  const query = { config: 'rush-hour.xml' };
  const { appId } = await client.launchPackageApplication({ params: traffic, query });
  t.match(await until(() => heard('demo.traffic'), hasTraffic), {
    statuses: { keys: { '2xx': { count: Number } } },
    latency: { p50: Number, p99: Number },
    pages: { top: [{ key: '/' }] },
  });
  t.match(await client.getApplication({ params: { appid: appId } }), {
    appPackageSource: { user: 'ann', name: 'log-analytics', version: '2.0.0', appName: 'traffic' },
  });
  t.match(
    await client.getOperatorProperties({ params: { appid: appId, opName: 'lines' } }),
    { linesPerSecond: 500, failurePercent: 4 },
    'from the configuration',
  );
  await refuses(t, client.launchPackageApplication({ params: traffic }), { status: 409 }, 'it runs already');

  const greenhouse = { owner: 'ann', name: 'sensors', version: '1.0.0', appName: 'greenhouse' };
  await t.rejects(client.launchPackageApplication({ params: greenhouse }), {
    status: 400,
    message: new RegExp(required.replaceAll('.', '\\.')),
  });
  const body = { [required]: 'readings', 'platform.operator.alarms.prop.high': '15' };
  const second = await client.launchPackageApplication({ params: greenhouse, body });
  t.match(await heard('demo.greenhouse'), { means: { keys: Object }, alarms: { active: Array } });
  await untilItRuns(client, second.appId);

  await t.rejects(client.launchPackageApplication({ params: { ...params, appName: 'words' } }), {
    status: 400,
    message: /class application in app\/words\.jar \(org\.example\.WordsApp\), which needs a JVM/,
  });
  for (const appid of [appId, second.appId]) {
    await client.killApplication({ params: { appid } });
    await untilState(client, appid, 'KILLED');
  }
});

t.test('an application goes on though its package is deleted', async (t) => {
  const { appId } = await client.launchPackageApplication({ params: { ...params, appName: 'traffic' } });
  await client.deletePackage({ params });
  await t.rejects(client.getPackage({ params }), notFound);
  await untilItRuns(client, appId);
  await client.killApplication({ params: { appid: appId } });
  await untilState(client, appId, 'KILLED');
  const again = await client.restartApplication({ params: { appid: appId } });
  await untilItRuns(client, again.appId);
  await client.killApplication({ params: { appid: again.appId } });
  client.close();
});

t.test('every operation of the section was answered here', async (t) => {
  const { count, unanswered } = rowsOf(/^4\.6 /, answered);
  t.equal(count, 24);
  t.strictSame(unanswered, []);
});

const hasTraffic = (data: unknown): boolean => /"5xx".*"top":\[\{/.test(JSON.stringify(data));
