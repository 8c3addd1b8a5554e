import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { z } from 'zod';
import { memoryStorage } from '../../../../adapters/storage/memory.js';
import { compareVersions, misfit } from '../../../../lib/features/config-packages/compatible.js';
import { filesystemStorage } from '../../../../packages/level/index.js';
import { refuses } from '../../../helpers/accounts.js';
import { engineGateway, untilItRuns, words } from '../../../helpers/applications.js';
import { newGateway } from '../../../helpers/gateway.js';
import { configuration, type Files, packageOf } from '../../../helpers/packages.js';
import { as, people } from '../../../helpers/people.js';
import { zipBytes } from '../../../helpers/zip-bytes.js';

const configPackage = (name: string, attributes: readonly string[] = [], files: Files = {}): Buffer =>
  zipBytes({
    entries: Object.entries({
      'META-INF/MANIFEST.MF': [
        'Manifest-Version: 1.0',
        `DT-Conf-Package-Name: ${name}`,
        ...attributes,
        '',
        '',
      ].join('\r\n'),
      ...files,
    }).map(([name, content]) => ({ name, content })),
  });

const forWordy = (name = 'slow', ...more: string[]) =>
  configPackage(
    name,
    [
      'DT-App-Package-Name: wordy',
      'DT-App-Package-Min-Version: 1.0',
      'DT-App-Package-Max-Version: 2.0',
      'DT-Conf-Package-Description: Slower than usual',
      'Class-Path: classpath/a.jar classpath/b',
      'Files: files/words.txt',
      ...more,
    ],
    {
      'META-INF/properties.xml': configuration({
        'dt.operator.source.prop.tuplesPerSecond': '30',
        'apex.operator.hub.prop.topic': 'test.config',
      }),
      'META-INF/properties-words.xml': configuration({ 'dt.operator.source.prop.tuplesPerSecond': '40' }),
      'classpath/a.jar': 'nothing',
      'files/words.txt': 'gate\n',
    },
  );

t.test('an upload is listed, read and downloaded', async (t) => {
  const { newClient, baseUrl } = await newGateway(t, { auth: people });
  const ada = newClient(as('ada', 'developer'));
  const content = forWordy();
  const digest = createHash('sha256').update(content).digest('hex');
  const before = Date.now();
  const found = await ada.uploadConfigPackage({ body: content });
  t.match(found, {
    user: 'ada',
    name: 'slow',
    version: digest.slice(0, 12),
    description: 'Slower than usual',
    appPackageName: 'wordy',
    appPackageMinVersion: '1.0',
    appPackageMaxVersion: '2.0',
    classPath: ['classpath/a.jar', 'classpath/b'],
    files: ['files/words.txt'],
    canWrite: true,
    properties: { 'dt.operator.source.prop.tuplesPerSecond': '30' },
    applicationProperties: { words: { 'dt.operator.source.prop.tuplesPerSecond': '40' } },
  });
  t.ok(found.modificationTime >= before);
  const params = { user: 'ada', name: 'slow' };
  t.strictSame(await ada.getConfigPackage({ params }), found);
  const { properties: _, applicationProperties: __, ...item } = found;
  t.strictSame(await ada.listConfigPackages(), { configPackages: [item] });
  t.strictSame(await ada.listUsersConfigPackages({ params: { user: 'eve' } }), { configPackages: [] });

  const url = `${baseUrl}/ws/v2/configPackages/ada/slow/download`;
  const whole = await fetch(url, as('ada'));
  t.match(whole.headers.get('content-disposition'), /slow\.apc/);
  t.equal(whole.headers.get('etag'), `"${digest}"`);
  t.ok(Buffer.from(await whole.arrayBuffer()).equals(content));
  const part = await fetch(url, { headers: { ...as('ada').headers, range: 'bytes=10-19' } });
  t.equal(part.status, 206);
  t.ok(Buffer.from(await part.arrayBuffer()).equals(content.subarray(10, 20)));
});

t.test('lists tell those that fit an application package', async (t) => {
  const { newClient } = await newGateway(t, { auth: people });
  const ada = newClient(as('ada', 'developer'));
  await ada.uploadConfigPackage({ body: forWordy('both') });
  await ada.uploadConfigPackage({ body: configPackage('any') });
  await ada.uploadConfigPackage({ body: configPackage('other', ['DT-App-Package-Name: other']) });
  const names = async (query: { appPackageName?: string; appPackageVersion?: string }) =>
    (await ada.listConfigPackages({ query })).configPackages.map(({ name }) => name);
  t.strictSame(await names({}), ['any', 'both', 'other']);
  t.strictSame(await names({ appPackageName: 'wordy' }), ['any', 'both']);
  t.strictSame(await names({ appPackageName: 'wordy', appPackageVersion: '1.5.3' }), ['any', 'both']);
  t.strictSame(await names({ appPackageName: 'wordy', appPackageVersion: '2.0.1' }), ['any']);
  await refuses(t, names({ appPackageVersion: '1.0' }), { status: 400, message: /appPackageName/ });
});

t.test('versions and groups decide what fits', async (t) => {
  const ascending = ['0.9', '1.0-SNAPSHOT', '1', '1.0.1', '1.2', '1.10', '2.0-RC1', '2.0-RC2', '2.0'];
  for (const [i, a] of ascending.entries())
    for (const [j, b] of ascending.entries())
      t.equal(Math.sign(compareVersions(a, b)), Math.sign(i - j), `${a} and ${b}`);
  t.equal(compareVersions('1.0', '1'), 0);
  t.equal(compareVersions('', 'x'), 1, 'text without numbers is no fault');
  const target = { appPackageName: 'p', appPackageGroupId: 'g', appPackageMinVersion: '1.0' };
  t.equal(misfit(target, { name: 'p', version: '1.0', groupId: 'g' }), undefined);
  t.match(misfit(target, { name: 'q' }), /meant for p/);
  t.match(misfit(target, { name: 'p', version: '1.0', groupId: 'h' }), /group g/);
  t.match(misfit(target, { name: 'p', version: '0.9' }), /1\.0 and later/);
});

t.test('the second of two editors gets an error instead of the first one’s work', async (t) => {
  const { newClient, baseUrl } = await newGateway(t, { auth: people });
  const ada = newClient(as('ada', 'developer'));
  await ada.uploadConfigPackage({ body: forWordy() });
  const read = await fetch(`${baseUrl}/ws/v2/configPackages/ada/slow`, as('ada'));
  const headers = { 'if-match': read.headers.get('etag') ?? '' };
  await ada.uploadConfigPackage({ body: forWordy('slow', 'DT-Conf-Package-Version: 2'), headers });
  const params = { user: 'ada', name: 'slow' };
  t.equal((await ada.getConfigPackage({ params })).version, '2');
  await refuses(t, ada.uploadConfigPackage({ body: forWordy(), headers }), { status: 412 });
  await refuses(t, ada.deleteConfigPackage({ params, headers }), { status: 412 });
  t.equal((await ada.getConfigPackage({ params })).version, '2');
  await refuses(t, ada.uploadConfigPackage({ body: forWordy('new'), headers }), { status: 412 });
  const uploads = Array.from({ length: 6 }, (_, i) =>
    ada.uploadConfigPackage({ body: forWordy('slow', `DT-Conf-Package-Version: many${i}`) }),
  );
  await Promise.all(uploads);
  t.match((await ada.getConfigPackage({ params })).version, /^many\d$/, 'one of them, whole');
  await ada.deleteConfigPackage({ params });
  await refuses(t, ada.getConfigPackage({ params }), { status: 404 });
  await refuses(t, ada.deleteConfigPackage({ params }), { status: 404 });
});

t.test('who may do what', async (t) => {
  const { newClient } = await newGateway(t, { auth: people });
  const ada = newClient(as('ada', 'developer'));
  await ada.uploadConfigPackage({ body: forWordy() });
  const params = { user: 'ada', name: 'slow' };
  const [guest, admin] = [newClient(as('eve')), newClient(as('root', 'admin'))];
  for (const call of [
    guest.getConfigPackage({ params }),
    guest.downloadConfigPackage({ params }),
    guest.deleteConfigPackage({ params }),
  ])
    await refuses(t, call, { status: 404, message: /ada\/slow/ });
  await refuses(t, guest.uploadConfigPackage({ body: forWordy() }), { status: 403 });
  t.strictSame(await guest.listConfigPackages(), { configPackages: [] });
  t.equal((await admin.getConfigPackage({ params })).canWrite, true);

  await admin.putRole({
    params: { role: 'viewer' },
    body: { permissions: ['VIEW_OTHER_USERS_CONFIG_PACKAGES'] },
  });
  const viewer = newClient(as('vic', 'viewer'));
  t.equal((await viewer.getConfigPackage({ params })).canWrite, false);
  await refuses(t, viewer.deleteConfigPackage({ params }), { status: 403 });
  await admin.deleteConfigPackage({ params });
});

t.test('what is no configuration package is refused, and leaves nothing', async (t) => {
  const storage = memoryStorage();
  const { newClient } = await newGateway(t, { auth: people, storage });
  const ada = newClient(as('ada', 'developer'));
  const xml = (text: string) => configPackage('bad', [], { 'META-INF/properties.xml': text });
  const table: readonly [what: string, body: Buffer, message: RegExp][] = [
    ['no zip', Buffer.from('no zip'), /zip/],
    ['half of one', forWordy().subarray(0, 200), /truncated|zip/],
    ['no manifest', zipBytes({ entries: [{ name: 'a', content: 'b' }] }), /no META-INF\/MANIFEST\.MF/],
    ['an application package', packageOf(), /lacks DT-Conf-Package-Name/],
    ['a name that is no part of an address', configPackage('a/b'), /DT-Conf-Package-Name "a\/b"/],
    ['no XML', xml('<configuration>'), /META-INF\/properties\.xml, line 1/],
    ['entities', xml('<!DOCTYPE a [<!ENTITY b "c">]><configuration/>'), /DOCTYPE/],
    ['a climbing entry', configPackage('bad', [], { '../a': 'b' }), /\.\.\/a/],
  ];
  for (const [what, body, message] of table)
    await refuses(t, ada.uploadConfigPackage({ body }), { status: 400, message }, what);
  t.strictSame(await ada.listConfigPackages(), { configPackages: [] });
  for await (const key of storage.blobs.list('config-packages/')) t.fail(`${key} is left`);
});

t.test('what was kept is there after a new start', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'headgate-config-'));
  t.teardown(() => rm(directory, { recursive: true }));
  const life = async (run: (client: Awaited<ReturnType<typeof newGateway>>['client']) => Promise<void>) => {
    const closing: (() => Promise<void>)[] = [];
    const { newClient } = await newGateway(
      { teardown: (close) => closing.push(close) },
      { auth: people, storage: await filesystemStorage({ directory }) },
    );
    try {
      await run(newClient(as('ada', 'developer')));
    } finally {
      for (const close of closing) await close();
    }
  };
  await life(async (client) => void (await client.uploadConfigPackage({ body: forWordy() })));
  await life(async (client) => {
    const { configPackages } = await client.listConfigPackages();
    t.strictSame(
      configPackages.map(({ name }) => name),
      ['slow'],
    );
    await client.downloadConfigPackage({ params: { user: 'ada', name: 'slow' } });
  });
});

t.test('a launch takes a configuration package between the launch and the package', async (t) => {
  const { newClient } = await engineGateway(t);
  const ada = newClient(as('ada', 'developer'));
  const { application } = words();
  await ada.uploadPackage({
    body: packageOf(
      { name: 'wordy' },
      {
        'app/words.json': JSON.stringify(application),
        'app/others.json': JSON.stringify(application),
        'META-INF/properties.xml': configuration({
          'dt.operator.source.prop.tuplesPerSecond': '150',
          'platform.operator.hub.prop.topic': null,
        }),
        'conf/fast.xml': configuration({ 'platform.operator.source.prop.tuplesPerSecond': '250' }),
      },
    ),
  });
  await ada.uploadConfigPackage({ body: forWordy('slow', 'DT-Conf-Package-Version: 7') });
  const Values = z.record(z.string(), z.unknown());
  const launch = async (appName: string, query: object = {}) => {
    const { appId } = await ada.launchPackageApplication({
      params: { owner: 'ada', name: 'wordy', version: '1.0.0', appName },
      query: { configPackage: 'ada/slow', ...query },
    });
    await untilItRuns(ada, appId);
    const properties = Values.parse(
      await ada.getOperatorProperties({ params: { appid: appId, opName: 'source' } }),
    );
    const { appPackageSource } = await ada.getApplication({ params: { appid: appId } });
    await ada.killApplication({ params: { appid: appId } });
    return { rate: properties['tuplesPerSecond'], appPackageSource };
  };
  const own = await launch('words');
  t.equal(own.rate, 40, 'its file for the application');
  t.strictSame(own.appPackageSource, {
    user: 'ada',
    name: 'wordy',
    version: '1.0.0',
    appName: 'words',
    configPackage: { user: 'ada', name: 'slow', version: '7' },
  });
  t.equal((await launch('others')).rate, 30, 'its general file, and what the package requires is in it');
  t.equal((await launch('words', { config: 'fast.xml' })).rate, 250, 'the configuration goes over it');

  const again = (configPackageName: string) => launch('words', { configPackage: `ada/${configPackageName}` });
  await ada.uploadConfigPackage({
    body: configPackage('later', ['DT-App-Package-Name: wordy', 'DT-App-Package-Min-Version: 1.1']),
  });
  await refuses(t, again('later'), {
    status: 409,
    message: /ada\/later is meant for 1\.1 and later versions, not for wordy 1\.0\.0/,
  });
  await refuses(t, again('none'), { status: 404, message: /configuration package "ada\/none"/ });
  const eve = newClient(as('eve', 'developer'));
  await refuses(
    t,
    eve.launchPackageApplication({
      params: { owner: 'ada', name: 'wordy', version: '1.0.0', appName: 'words' },
      query: { configPackage: 'ada/slow' },
    }),
    { status: 404, message: /configuration package/ },
    'nobody else sees it, though the package may be seen',
  );
});
