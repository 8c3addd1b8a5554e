import { createHash } from 'node:crypto';
import t from 'tap';
import { refuses } from '../../../helpers/accounts.js';
import { testFolder } from '../../../helpers/folder.js';
import { newGateway } from '../../../helpers/gateway.js';
import { configuration, fullFiles, fullPackage, packageOf } from '../../../helpers/packages.js';
import { as, people } from '../../../helpers/people.js';

const params = { owner: 'ada', name: 'sensors', version: '1.0.0' };
const at = '/ws/v2/appPackages/ada/sensors/1.0.0';
const digestOf = (content: Buffer | Uint8Array) => createHash('sha256').update(content).digest('hex');

async function gateway(t: Parameters<typeof newGateway>[0], options: Parameters<typeof newGateway>[1] = {}) {
  const living = await newGateway(t, { auth: people, ...options });
  const ada = living.newClient(as('ada', 'developer'));
  const bytes = async (client = ada) =>
    Buffer.from(await (await client.downloadPackage({ params })).arrayBuffer());
  const config = async (configName: string) =>
    (await ada.getPackageConfig({ params: { ...params, configName } })).text();
  return { ...living, ada, bytes, config };
}

t.test('an upload tells what it holds', async (t) => {
  const { ada, baseUrl } = await gateway(t);
  const content = fullPackage();
  const before = Date.now();
  const meta = await ada.uploadPackage({ body: content });
  t.match(meta, {
    appPackageName: 'sensors',
    appPackageVersion: '1.0.0',
    appPackageGroupId: 'org.example',
    engineVersion: '3.7.0',
    appPackageDisplayName: 'Sensors',
    appPackageDescription: 'Readings of many sensors, kept in files that grow',
    classPath: ['lib/*.jar'],
    appJars: ['sensors-1.0.0.jar'],
    appJsonFiles: ['broken.json', 'readings.json'],
    appPropertiesFiles: ['sensors.properties'],
    requiredProperties: ['dt.operator.sink.prop.directory'],
    defaultProperties: { 'dt.operator.source.prop.rate': '10' },
    configs: ['large.xml', 'small.xml'],
    owner: 'ada',
    canWrite: true,
  });
  t.ok(meta.modificationTime >= before && meta.modificationTime <= Date.now());
  t.strictSame(
    meta.applications.map(({ name, type, displayName }) => ({ name, type, displayName })),
    [
      { name: 'broken', type: 'json', displayName: 'broken' },
      { name: 'readings', type: 'json', displayName: 'Sensor readings' },
      { name: 'sensors', type: 'properties', displayName: 'sensors' },
    ],
  );
  t.match(meta.applications[0]?.error, /app\/broken\.json: it is not JSON/);
  t.strictSame(
    meta.applications[1]?.requiredProperties,
    [],
    'its own properties give what the package asks for',
  );

  t.strictSame(await ada.getPackage({ params }), meta);
  const described = await ada.getPackage({ params, query: { includeDescription: true } });
  t.strictSame(described.requiredProperties, {
    'dt.operator.sink.prop.directory': { value: null, description: 'Say it' },
  });
  t.strictSame(described.defaultProperties, {
    'dt.operator.source.prop.rate': { value: '10', description: 'Say it' },
  });
  const response = await fetch(`${baseUrl}${at}`, as('ada'));
  t.equal(response.headers.get('etag'), `"${digestOf(content)}"`);
  await response.arrayBuffer();
});

t.test('the list is plain, or filtered by what packages hold', async (t) => {
  const { ada } = await gateway(t);
  const meta = await ada.uploadPackage({ body: fullPackage() });
  await ada.uploadPackage({ body: packageOf({ name: 'bare' }) });
  await ada.uploadPackage({
    body: packageOf({ name: 'seen' }, { 'resources/ui/dashboards/all.dtdashboard': '{}' }),
  });

  const names = async (query: { hasUI?: boolean; hasServices?: boolean }) =>
    (await ada.listPackages({ query })).appPackages.map(({ appPackageName }) => appPackageName);
  t.strictSame(await names({}), ['bare', 'seen', 'sensors']);
  t.strictSame(await names({ hasUI: true }), ['seen', 'sensors']);
  t.strictSame(await names({ hasUI: false }), ['bare']);
  t.strictSame(await names({ hasServices: true }), ['sensors']);
  t.strictSame(await names({ hasServices: false, hasUI: true }), ['seen']);

  const { modificationTime } = meta;
  const item = { owner: 'ada', modificationTime, appPackageName: 'sensors', appPackageVersion: '1.0.0' };
  const plain = await ada.listPackages();
  t.strictSame(plain.appPackages[2], item, 'the plain list tells no more');
  const { appPackages } = await ada.listPackages({ query: { hasServices: true } });
  t.strictSame(appPackages, [
    {
      ...item,
      appPackageDisplayName: 'Sensors',
      appPackageDescription: 'Readings of many sensors, kept in files that grow',
      canWrite: true,
      applications: [
        { name: 'broken', displayName: 'broken', type: 'json', launchDisabled: false },
        { name: 'readings', displayName: 'Sensor readings', type: 'json', launchDisabled: false },
        { name: 'sensors', displayName: 'sensors', type: 'properties', launchDisabled: false },
      ],
      ui: { dashboards: [{ name: 'Readings', file: 'readings.dtdashboard', appNames: ['readings'] }] },
      services: {
        services: [
          { name: 'store', type: 'container', srcUrl: 'example/store', container: { run: '-p 80' } },
        ],
        applications: [
          { name: 'readings', requiredServices: [{ name: 'store', requiredBeforeLaunch: 'true' }] },
        ],
      },
    },
  ]);
});

t.test('versions come and go, the permissions with the last of them', async (t) => {
  const { ada } = await gateway(t);
  const name = { owner: 'ada', name: 'sensors' };
  for (const version of ['1.0.0', '1.1.0', 'a b%2F']) {
    await ada.uploadPackage({ body: packageOf({ version }) });
  }
  t.strictSame(await ada.listPackageVersions({ params: name }), { versions: ['1.0.0', '1.1.0', 'a b%2F'] });
  const nobody = { roles: [], users: [], everyone: false };
  const shared = { readOnly: nobody, readWrite: { ...nobody, users: ['will'] } };
  t.strictSame(await ada.getPackagePermissions({ params: name }), {
    readOnly: { ...nobody, roles: ['operator'] },
    readWrite: nobody,
  });
  await ada.putPackagePermissions({ params: name, body: shared });

  await ada.deletePackage({ params });
  await ada.deletePackage({ params: { ...name, version: 'a b%2F' } });
  t.strictSame(await ada.listPackageVersions({ params: name }), { versions: ['1.1.0'] });
  t.strictSame(await ada.getPackagePermissions({ params: name }), shared);
  await refuses(t, ada.getPackage({ params }), { status: 404 });
  await refuses(t, ada.deletePackage({ params }), { status: 404 });

  await ada.deletePackage({ params: { ...name, version: '1.1.0' } });
  await refuses(t, ada.listPackageVersions({ params: name }), { status: 404 });
  await refuses(t, ada.putPackagePermissions({ params: name, body: shared }), { status: 404 });
  await ada.uploadPackage({ body: packageOf() });
  t.match(await ada.getPackagePermissions({ params: name }), { readOnly: { roles: ['operator'] } });
});

t.test('who uploads first may have permissions of his own in mind', async (t) => {
  const { ada } = await gateway(t);
  const team = { roles: ['team'], users: [], everyone: false };
  const nobody = { roles: [], users: [], everyone: false };
  const own = { readOnly: nobody, readWrite: team };
  await ada.putSetting({ params: { user: 'ada', key: 'defaultPermissions' }, body: { value: own } });
  await ada.uploadPackage({ body: packageOf() });
  t.strictSame(await ada.getPackagePermissions({ params: { owner: 'ada', name: 'sensors' } }), own);
});

t.test('the archive comes back as it was, whole and in parts', async (t) => {
  const { ada, baseUrl, bytes } = await gateway(t);
  const content = fullPackage();
  await ada.uploadPackage({ body: content });
  t.ok((await bytes()).equals(content));

  const etag = `"${digestOf(content)}"`;
  const ask = async (headers: Record<string, string>, method = 'GET') => {
    const response = await fetch(`${baseUrl}${at}/download`, {
      method,
      headers: { ...as('ada').headers, ...headers },
    });
    return { response, status: response.status, body: Buffer.from(await response.arrayBuffer()) };
  };
  const whole = await ask({});
  const { headers } = whole.response;
  t.equal(headers.get('content-type'), 'application/zip');
  t.equal(
    headers.get('content-disposition'),
    `attachment; filename="sensors-1.0.0.apa"; filename*=UTF-8''sensors-1.0.0.apa`,
  );
  t.equal(headers.get('etag'), etag);
  t.equal(headers.get('accept-ranges'), 'bytes');
  t.equal(headers.get('content-length'), String(content.length));

  const { length } = content;
  const parts: readonly (readonly [range: string, start: number, end: number])[] = [
    ['bytes=0-9', 0, 10],
    ['bytes=10-', 10, length],
    ['bytes=-7', length - 7, length],
    [`bytes=5-${length + 100}`, 5, length],
    [`bytes=-${length + 100}`, 0, length],
    [`bytes=${length - 1}-`, length - 1, length],
  ];
  for (const [range, start, end] of parts) {
    const part = await ask({ range });
    t.equal(part.status, 206, range);
    t.equal(part.response.headers.get('content-range'), `bytes ${start}-${end - 1}/${length}`);
    t.ok(part.body.equals(content.subarray(start, end)), range);
  }
  for (const range of [`bytes=${length}-`, 'bytes=-0', `bytes=${length + 5}-${length + 9}`]) {
    const part = await ask({ range });
    t.equal(part.status, 416, range);
    t.equal(part.response.headers.get('content-range'), `bytes */${length}`);
  }
  for (const range of ['bytes=9-5', 'lines=1-2', 'bytes=0-1,4-5', 'bytes=-', 'bytes=a-b']) {
    t.equal((await ask({ range })).status, 200, range);
  }
  t.equal((await ask({ range: 'bytes=0-9', 'if-range': etag })).status, 206);
  for (const ifRange of ['"other"', `W/${etag}`, new Date().toUTCString()]) {
    t.equal((await ask({ range: 'bytes=0-9', 'if-range': ifRange })).status, 200, ifRange);
  }
  const head = await ask({}, 'HEAD');
  t.equal(head.status, 200);
  t.equal(head.response.headers.get('content-length'), String(length));
  t.equal(head.body.length, 0);
});

t.test('configurations are read, put and deleted', async (t) => {
  const { ada, baseUrl, config } = await gateway(t);
  await ada.uploadPackage({ body: fullPackage() });
  t.strictSame(await ada.listPackageConfigs({ params }), { configs: ['large.xml', 'small.xml'] });
  t.equal(await config('small.xml'), fullFiles['conf/small.xml']);

  const content = `<?xml version="1.0"?>\n${configuration({ 'dt.attr.MASTER_MEMORY_MB': 'ü' })}\n`;
  await ada.putPackageConfig({ params: { ...params, configName: 'mine.xml' }, body: content });
  await ada.putPackageConfig({
    params: { ...params, configName: 'small.xml' },
    body: content,
    headers: { 'content-type': 'text/xml; charset=utf-8' },
  });
  t.equal(await config('mine.xml'), content);
  t.equal(await config('small.xml'), content);
  const xml = await fetch(`${baseUrl}${at}/configs/mine.xml`, as('ada'));
  t.equal(xml.headers.get('content-type'), 'application/xml');
  await xml.arrayBuffer();
  const { configs, applications, appJars } = await ada.getPackage({ params });
  t.strictSame(configs, ['large.xml', 'mine.xml', 'small.xml']);
  t.equal(applications.length, 3, 'the rest is as before');
  t.equal(appJars.length, 1);

  await ada.deletePackageConfig({ params: { ...params, configName: 'large.xml' } });
  t.strictSame(await ada.listPackageConfigs({ params }), { configs: ['mine.xml', 'small.xml'] });
  for (const configName of ['large.xml', 'none.xml', '../app/readings.json', 'a/b.xml', 'small']) {
    await refuses(
      t,
      ada.getPackageConfig({ params: { ...params, configName } }),
      { status: 404 },
      configName,
    );
    await refuses(t, ada.deletePackageConfig({ params: { ...params, configName } }), { status: 404 });
  }

  const put = (configName: string, body: string, type = 'application/xml') =>
    ada.putPackageConfig({
      params: { ...params, configName },
      body,
      headers: { 'content-type': type },
    });
  const bad: Readonly<Record<string, RegExp>> = {
    '<configuration>': /bad\.xml, line 1/,
    '<other/>': /the root is <other>/,
    '': /no root element/,
    '<!DOCTYPE configuration [<!ENTITY a "b">]><configuration/>': /DOCTYPE/,
    '<configuration>&a;</configuration>': /bad\.xml, line 1/,
  };
  for (const [body, message] of Object.entries(bad)) {
    await refuses(t, put('bad.xml', body), { status: 400, message }, body);
  }
  await refuses(t, put('bad.xml', `<configuration>${' '.repeat(300_000)}</configuration>`), { status: 413 });
  await refuses(t, put('bad.xml', '<configuration/>', 'application/json'), { status: 415 });
  for (const configName of ['bad', 'a/b.xml', '..\\a.xml', 'a\u0007.xml', 'SMALL.xml']) {
    await refuses(t, put(configName, '<configuration/>'), { status: 400 }, configName);
  }
  t.strictSame(await ada.listPackageConfigs({ params }), { configs: ['mine.xml', 'small.xml'] });
});

t.test('If-Match keeps changes of others', async (t) => {
  const { ada, baseUrl } = await gateway(t);
  const first = packageOf();
  await ada.uploadPackage({ body: first });
  const stale = { 'if-match': '"0000"' };
  const fresh = { 'if-match': `"other", "${digestOf(first)}"` };
  const config = { params: { ...params, configName: 'a.xml' }, body: '<configuration/>' };

  await refuses(t, ada.uploadPackage({ body: fullPackage(), headers: stale }), { status: 412 });
  await refuses(t, ada.deletePackage({ params, headers: stale }), { status: 412 });
  await refuses(t, ada.putPackageConfig({ ...config, headers: stale }), { status: 412 });
  await refuses(t, ada.putPackageConfig({ ...config, headers: { 'if-match': 'x' } }), { status: 400 });
  await ada.putPackageConfig({ ...config, headers: fresh });
  await refuses(t, ada.deletePackageConfig({ params: config.params, headers: fresh }), { status: 412 });
  const now = await fetch(`${baseUrl}${at}/configs`, as('ada'));
  await now.arrayBuffer();
  const tag = { 'if-match': now.headers.get('etag') ?? '' };
  t.match(tag['if-match'], /^"[0-9a-f]{64}"$/);
  await ada.deletePackageConfig({ params: config.params, headers: tag });
  await ada.uploadPackage({ body: first, headers: { 'if-match': '*' } });
  await ada.deletePackage({ params, headers: fresh });
  await refuses(t, ada.uploadPackage({ body: first, headers: { 'if-match': '*' } }), { status: 412 });
});

t.test('an upload of what is there replaces, fails or merges', async (t) => {
  const { ada, baseUrl, bytes, config } = await gateway(t);
  const one = configuration({ who: 'one' });
  const two = configuration({ who: 'two' });
  const three = configuration({ who: 'three' });
  const existing = packageOf({}, { 'conf/both.xml': one, 'conf/old.xml': one, 'app/old.json': '{}' });
  const uploaded = packageOf({}, { 'conf/both.xml': two, 'conf/new.xml': two });
  const configs = async () => (await ada.listPackageConfigs({ params })).configs;

  await ada.uploadPackage({ body: existing, query: { merge: 'fail' } });
  await refuses(t, ada.uploadPackage({ body: uploaded, query: { merge: 'fail' } }), {
    status: 412,
    message: /ada\/sensors\/1\.0\.0/,
  });
  t.ok((await bytes()).equals(existing), 'what was there stays');

  await ada.uploadPackage({ body: uploaded, query: { merge: 'ours' } });
  t.strictSame(await configs(), ['both.xml', 'new.xml', 'old.xml']);
  t.equal(await config('both.xml'), two, 'ours: of the new package');
  t.equal((await ada.getPackage({ params })).appJsonFiles.length, 1);

  await ada.putPackageConfig({ params: { ...params, configName: 'both.xml' }, body: three });
  await ada.uploadPackage({ body: uploaded, query: { merge: 'theirs' } });
  t.strictSame(await configs(), ['both.xml', 'new.xml', 'old.xml']);
  t.equal(await config('both.xml'), three, 'theirs: of the existing package');

  await ada.uploadPackage({ body: uploaded });
  t.ok((await bytes()).equals(uploaded), 'replace is the default');
  const odd = await fetch(`${baseUrl}/ws/v2/appPackages?merge=both`, {
    method: 'POST',
    headers: as('ada', 'developer').headers,
    body: uploaded,
  });
  t.equal(odd.status, 400);
  await odd.arrayBuffer();
});

t.test('one package is merged into another', async (t) => {
  const { ada, config } = await gateway(t);
  const old = configuration({ who: 'old' });
  const fresh = configuration({ who: 'fresh' });
  const source = packageOf(
    { version: '0.9' },
    {
      'conf/both.xml': old,
      'conf/mine.xml': old,
      'app/mine.json': '{"displayName":"old"}',
      'app/mine.jar': 'jar',
      'resources/ui/dashboards/mine.dtdashboard': '{}',
      'lib/x.jar': 'old',
    },
  );
  await ada.uploadPackage({ body: source });
  await ada.uploadPackage({ body: packageOf({}, { 'conf/both.xml': fresh }) });
  const target = { user: 'ada', appPackageName: 'sensors', appPackageVersion: '1.0.0' };
  await ada.mergePackages({ params: target, body: { version: '0.9' } });
  const meta = await ada.getPackage({ params });
  t.match(meta, {
    configs: ['both.xml', 'mine.xml'],
    appJsonFiles: ['mine.json'],
    appPackageVersion: '1.0.0',
  });
  t.strictSame(meta.appJars, [], 'jars stay where they are');
  t.equal(await config('both.xml'), fresh, 'nothing is overwritten');
  t.equal((await ada.listPackages({ query: { hasUI: true } })).appPackages.length, 2);

  await ada.mergePackages({
    params: target,
    body: { user: 'ada', name: 'sensors', version: '0.9', replaceExisting: 'true' },
  });
  t.equal(await config('both.xml'), old);
  t.strictSame((await ada.getPackage({ params })).appJars, ['mine.jar']);

  const merge = (body: object, to = target) =>
    ada.mergePackages({ params: to, body: body as { version: string } });
  await refuses(t, merge({}), { status: 400, message: /version/ });
  await refuses(t, merge({ version: '1.0.0' }), { status: 400, message: /itself/ });
  await refuses(t, merge({ version: '7' }), { status: 404 });
  await refuses(t, merge({ version: '0.9' }, { ...target, appPackageVersion: '7' }), { status: 404 });
});

t.test('packages are imported from a directory of the host', async (t) => {
  const directory = testFolder(t, {
    'sensors.apa': fullPackage(),
    'second.zip': packageOf({ name: 'second' }),
    'broken.apa': 'no zip',
    'other.apa': { 'a.txt': 'a directory' },
    'notes.txt': 'no package',
    '.hidden.apa': packageOf({ name: 'hidden' }),
  });
  const { ada, newClient, logs, bytes } = await gateway(t, { packages: { importDirectory: directory } });
  t.strictSame((await ada.listImportablePackages()).appPackages, [
    { file: 'second.zip', name: 'second', displayName: 'second', version: '1.0.0', description: '' },
    {
      file: 'sensors.apa',
      name: 'sensors',
      displayName: 'Sensors',
      version: '1.0.0',
      description: 'Readings of many sensors, kept in files that grow',
    },
  ]);
  t.ok(logs.some(({ level, fields }) => level === 'warn' && fields['file'] === 'broken.apa'));

  for (const file of ['../sensors.apa', '/etc/passwd', 'a\\b.apa', '..']) {
    await refuses(t, ada.importPackages({ body: { files: ['second.zip', file] } }), { status: 400 }, file);
  }
  for (const file of ['none.apa', 'notes.txt', 'other.apa', '.hidden.apa']) {
    await refuses(t, ada.importPackages({ body: { files: ['second.zip', file] } }), { status: 404 }, file);
  }
  await refuses(t, ada.importPackages({ body: { files: ['broken.apa'] } }), { status: 400 });
  await refuses(t, ada.importPackages({ body: { files: [] } }), { status: 400 });
  t.strictSame((await ada.listPackages()).appPackages, [], 'nothing was begun');

  await ada.uploadPackage({ body: packageOf() });
  await ada.importPackages({ body: { files: ['sensors.apa', 'second.zip'] } });
  t.ok((await bytes()).equals(fullPackage()), 'it replaces what is there');
  t.equal((await ada.listPackages()).appPackages.length, 2);
  await refuses(t, newClient(as('rita', 'operator')).importPackages({ body: { files: ['second.zip'] } }), {
    status: 403,
  });
});

t.test('without a directory nothing can be imported', async (t) => {
  const { ada } = await gateway(t);
  t.strictSame(await ada.listImportablePackages(), { appPackages: [] });
  await refuses(t, ada.importPackages({ body: { files: ['a.apa'] } }), { status: 404 });
  const gone = await gateway(t, { packages: { importDirectory: '/nowhere/at/all' } });
  t.strictSame(await gone.ada.listImportablePackages(), { appPackages: [] });
});

t.test('with authentication off the owner is the account of the service', async (t) => {
  const { client } = await newGateway(t);
  const { userName } = await client.getProfile();
  t.equal((await client.uploadPackage({ body: packageOf() })).owner, userName);
});
