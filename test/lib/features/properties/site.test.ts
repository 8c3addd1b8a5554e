import { chmod, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { memoryStorage } from '../../../../adapters/storage/memory.js';
import { knownProperties } from '../../../../lib/features/properties/known.js';
import { createSite } from '../../../../lib/features/properties/site.js';
import { documentPlace, type SitePlace } from '../../../../lib/features/properties/site-place.js';
import { createGateway, type GatewayOptions } from '../../../../lib/index.js';
import { gatewayWithAccounts, refuses } from '../../../helpers/accounts.js';
import { emptyCluster } from '../../../helpers/empty-cluster.js';
import { testFolder } from '../../../helpers/folder.js';
import { restarted } from '../../../helpers/restart.js';

// Properties of the platform: `docs/decisions.md`, Four scopes, and Local or shared.

type Teardown = { teardown(close: () => Promise<void>): unknown };

const globalFile = 'platform-site.xml';
const localFile = 'platform-site.local.xml';

const site = (...properties: string[]) =>
  `<?xml version="1.0"?>\n<!-- ours -->\n<configuration>\n${properties.join('\n')}\n</configuration>\n`;
const property = (name: string, value: string, more = '') =>
  `  <property><name>${name}</name><value>${value}</value>${more}</property>`;

/** A living gateway on a folder with these files. */
async function living(
  t: Teardown & { testdir(files: Record<string, string>): string },
  files: Record<string, string> = {},
  more: Partial<GatewayOptions> = {},
) {
  const directory = testFolder(t, files);
  const userFile = join(directory, 'user.xml');
  const gateway = await gatewayWithAccounts(t, { site: { directory, userFile }, ...more });
  const { admin } = gateway;
  return {
    ...gateway,
    directory,
    text: (file: string) => readFile(join(directory, file), 'utf8'),
    get: (name: string) => admin.getProperty({ params: { PROPERTY_NAME: name } }),
    put: (name: string, body: { value: string | number | boolean; local?: boolean; description?: string }) =>
      admin.putProperty({ params: { PROPERTY_NAME: name }, body }),
    remove: (name: string) => admin.deleteProperty({ params: { PROPERTY_NAME: name } }),
    async restart() {
      await restarted(admin);
    },
    issues: async () => (await admin.listConfigIssues()).issues,
  };
}

t.test('what is set is read back, lies in the site files, and lasts', async (t) => {
  const { admin, get, put, remove, text, directory } = await living(t);
  await put('my.app.limit', { value: 5, description: 'How many' });
  t.strictSame(await get('my.app.limit'), { value: '5', description: 'How many' });
  await put('my.node', { value: true, local: true });
  t.strictSame(await get('my.node'), { value: 'true', description: '', scope: 'LOCAL' });
  t.match(await text(globalFile), '<name>my.app.limit</name>\n    <value>5</value>');
  t.match(await text(localFile), '<name>my.node</name>');
  t.equal((await stat(join(directory, globalFile))).mode & 0o777, 0o600);
  t.match(await admin.listProperties(), {
    'my.app.limit': { value: '5', scope: 'GLOBAL' },
    'my.node': { scope: 'LOCAL' },
    'platform.version': { value: '0.1.0', scope: 'TRANSIENT' },
    'platform.installTime': { value: /^\d{13}$/, scope: 'TRANSIENT' },
    'platform.phoneHome.enable': { value: 'true', scope: 'TRANSIENT' },
  });

  await put('my.app.limit', { value: 6 });
  t.strictSame(await get('my.app.limit'), { value: '6', description: 'How many' }, 'the description stays');
  await put('my.app.limit', { value: 7, local: true });
  t.match(await get('my.app.limit'), { value: '7', scope: 'LOCAL' }, 'this node has its own');
  t.match(await text(globalFile), '<value>6</value>', 'the others keep theirs');
  await put('my.app.limit', { value: 8 });
  t.strictSame((await get('my.app.limit')).value, '8', 'what is set for all is so here too');
  await put('platform.configStatus', { value: 'complete' });
  t.match(await get('platform.configStatus'), { scope: 'LOCAL' }, 'some are always local');

  await remove('my.app.limit');
  await refuses(t, get('my.app.limit'), { status: 404 });
  await refuses(t, remove('my.app.limit'), { status: 404 });
  t.notMatch((await text(globalFile)) + (await text(localFile)), 'my.app.limit');

  const next = await gatewayWithAccounts(t, { site: { directory } });
  t.match(await next.admin.getProperty({ params: { PROPERTY_NAME: 'my.node' } }), { value: 'true' });
  t.match(
    (await readdir(directory)).filter((file) => !file.endsWith('.xml')),
    [],
  );
});

t.test('several are set, or none', async (t) => {
  const { admin, put, text, issues } = await living(t);
  await put('a', { value: '1' });
  const before = await text(globalFile);
  const post = (...properties: { name: string; value: string; local?: boolean }[]) =>
    admin.setProperties({ body: { properties } });
  await refuses(
    t,
    post(
      { name: 'a', value: '2' },
      { name: 'b', value: '3', local: true },
      { name: 'platform.version', value: '9' },
      { name: 'platform.gateway.autoPublishInterval', value: 'often' },
    ),
    {
      status: 400,
      details: [
        { path: 'body.properties.2', message: /platform\.version is read-only/ },
        { path: 'body.properties.3', message: /must be a whole number from 100 to 15000/ },
      ],
    },
  );
  await refuses(t, post({ name: 'a', value: '2' }, { name: 'a', value: '3' }), { status: 400 });
  await refuses(t, post({ name: 'a', value: '2' }, { name: 'c', value: ' ' }), {
    status: 400,
    message: /blank/,
  });
  await refuses(t, post({ name: 'a b', value: '2' }), { status: 400, message: /no name of a property/ });
  await refuses(t, post({ name: 'a', value: 'x\u0000' }), { status: 400, message: /no XML file can hold/ });
  t.equal(await text(globalFile), before);
  t.strictSame(await issues(), []);
  await post({ name: 'a', value: '<2> & "3"' }, { name: 'b', value: '4', local: true });
  t.match(await admin.listProperties(), { a: { value: '<2> & "3"' }, b: { value: '4', scope: 'LOCAL' } });
});

t.test('changes at the same time are all made', async (t) => {
  const { admin, put, text } = await living(t, { [globalFile]: site(property('a', '1')) });
  const names = Array.from({ length: 20 }, (_, i) => `n${i}`);
  await Promise.all(names.map((name, i) => put(name, { value: i, local: i % 2 === 1 })));
  const listed = await admin.listProperties();
  t.strictSame(
    names.map((name) => [listed[name]?.value, listed[name]?.scope]),
    names.map((_, i) => [String(i), i % 2 === 1 ? 'LOCAL' : 'GLOBAL']),
  );
  t.match(await text(globalFile), '<!-- ours -->');
  await t.resolves(gatewayWithAccounts(t, { site: { directory: t.testdirName } }), 'and can be read back');
});

t.test('who wins, and what may not be changed', async (t) => {
  const { gateway, get, put, remove, text } = await living(t, {
    [globalFile]: site(property('a', 'global'), property('f', 'fixed', '<final>true</final>')),
    [localFile]: site(property('a', 'local'), property('f', 'other'), property('u', 'local')),
    'user.xml': site(property('u', 'user')),
  });
  t.match(await get('a'), { value: 'local', scope: 'LOCAL' });
  t.match(await get('f'), { value: 'fixed', scope: undefined });
  t.match(await get('u'), { value: 'user', scope: undefined });
  await refuses(t, put('f', { value: '1' }), { status: 400, message: /final in the GLOBAL file/ });
  await refuses(t, remove('f'), { status: 400, message: /final/ });
  await refuses(t, put('u', { value: '1', local: true }), { status: 400, message: /\(USER\)/ });
  await refuses(t, put('platform.installTime', { value: '1' }), { status: 400, message: /TRANSIENT/ });
  await refuses(t, remove('platform.version'), { status: 400, message: /TRANSIENT/ });
  await refuses(t, put('x', { value: '' }), { status: 400, message: /blank/ });
  await refuses(t, get('x'), { status: 404 });
  await refuses(t, get('constructor'), { status: 404 });
  await refuses(t, remove('constructor'), { status: 404 });
  t.equal(gateway.property('constructor'), undefined);
  t.equal(
    await text(globalFile),
    site(property('a', 'global'), property('f', 'fixed', '<final>true</final>')),
  );
  await remove('a');
  await refuses(t, get('a'), { status: 404 }, 'from both files');
});

t.test('secrets are masked, sealed in the file, and stay when the mask comes back', async (t) => {
  const { admin, gateway, get, put, text, issues, restart, directory } = await living(t, {
    [globalFile]: site(property('old.password', 'by hand')),
  });
  const name = 'platform.gateway.sslKeystorePassword';
  await refuses(t, put(name, { value: '********' }), { status: 400, message: /is not set/ });
  await put(name, { value: 'open sesame' });
  t.match(await get(name), { value: '********' });
  t.match(await admin.listProperties(), {
    [name]: { value: '********' },
    'old.password': { value: '********' },
  });
  t.notMatch(await text(globalFile), 'open sesame');
  await put(name, { value: '********', description: 'Of the key store', local: true });
  await restart();
  t.equal(gateway.property(name), 'open sesame');
  t.equal(gateway.property('old.password'), 'by hand');
  t.match(await get(name), { description: 'Of the key store', scope: 'LOCAL' });
  await put('platform.gateway.ssl.alias.password.encryption', { value: 'mail' });
  t.match(
    await get('platform.gateway.ssl.alias.password.encryption'),
    { value: 'mail' },
    'a name is no secret',
  );
  const audit = JSON.stringify(await admin.listAudit({ query: {} }));
  t.notMatch(audit, 'open sesame');

  const local = await text(localFile);
  await writeFile(join(directory, localFile), local.replace(/sealed:1\.\w{8}/, 'sealed:1.00000000'));
  await restart();
  t.match(await issues(), [{ key: 'PROPERTIES_NOT_READ', severity: 'error', description: new RegExp(name) }]);
  t.match(await get(name), { value: '********' });
  t.equal(gateway.property(name), undefined);
});

t.test('people edit the files too', async (t) => {
  const { get, put, text, restart, issues, directory } = await living(t, {
    [globalFile]: site(property('a', '1'), '  <!-- b is theirs -->', property('b', '2', '<mine/>')),
  });
  const path = join(directory, globalFile);
  await chmod(path, 0o640);
  await writeFile(path, site(property('a', '10'), '  <!-- b is theirs -->', property('b', '2', '<mine/>')));
  t.match(await get('a'), { value: '1' }, 'read at start');
  await put('c', { value: '3' });
  t.match(await get('a'), { value: '10' }, 'and with each change');
  t.match(
    await text(globalFile),
    '  <!-- b is theirs -->\n  <property><name>b</name><value>2</value><mine/>',
  );
  t.equal((await stat(path)).mode & 0o777, 0o640);

  const broken = '<configuration>\n<property><name>a</nam></configuration>';
  await writeFile(path, broken);
  await refuses(t, put('c', { value: '4' }), { status: 409, code: 'BROKEN_SITE_FILE', message: /line 2: / });
  t.equal(await text(globalFile), broken);
  await restart();
  t.match(await get('a'), { value: '10' }, 'a restart keeps what was read last');
  t.match(await issues(), [{ key: 'PROPERTIES_NOT_READ', description: /platform-site\.xml, line 2/ }]);
  await writeFile(path, site(property('a', '11')));
  await restart();
  t.match(await get('a'), { value: '11' });
  t.strictSame(await issues(), []);

  await symlink('platform-site.xml', join(directory, 'user.xml'));
  await restart();
  await refuses(t, put('a', { value: '1' }), { status: 400, message: /USER/ });
});

t.test('a file that can not be read is a named error at the start, and is left as it is', async (t) => {
  const rows: readonly [text: string, message: RegExp][] = [
    ['<configuration><property></configuration>', /line 1: Unexpected close tag/],
    ['<!DOCTYPE x [<!ENTITY e "boo">]>\n<configuration/>', /line 1: a document type/],
    [site(property('a', '&nbsp;')), /line 4: Invalid character entity/],
    [site(property('a', '&xxe;')), /line 4: Invalid character entity/],
    ['<properties/>', /the root is <properties>/],
    ['', /there is no root element/],
    [`<configuration>${' '.repeat(1024 * 1024)}</configuration>`, /is larger than 1048576 bytes/],
  ];
  for (const [text, message] of rows) {
    const directory = testFolder(t, { [localFile]: text });
    const start = createGateway({
      storage: memoryStorage(),
      cluster: emptyCluster(),
      auth: 'none',
      site: { directory },
    });
    await t.rejects(start, { code: 'BROKEN_SITE_FILE', message }, String(message));
    t.equal(await readFile(join(directory, localFile), 'utf8'), text);
  }
});

t.test('without a folder the properties are in the storage, sealed as well', async (t) => {
  const storage = memoryStorage();
  const { admin, gateway } = await gatewayWithAccounts(t, { storage });
  await admin.setProperties({
    body: {
      properties: [
        { name: 'a', value: '1' },
        { name: 'b.secret', value: 'sesame', local: true },
      ],
    },
  });
  t.match(await admin.listProperties(), { a: { scope: 'GLOBAL' }, 'b.secret': { value: '********' } });
  t.equal(gateway.property('b.secret'), 'sesame');
  let kept = '';
  for await (const [, { value }] of storage.documents.entries('site')) kept += JSON.stringify(value);
  t.match(kept, '<name>b.secret</name>');
  t.notMatch(kept, 'sesame');
});

t.test('what needs a restart says so, and takes effect then', async (t) => {
  const { put, remove, issues, restart, gateway, directory } = await living(t);
  const name = 'platform.gateway.autoPublishInterval';
  t.equal(gateway.property(name), '1000');
  await put(name, { value: 250 });
  t.equal(gateway.property(name), '1000');
  t.match(await issues(), [{ key: 'RESTART_NEEDED', severity: 'warning', description: new RegExp(name) }]);
  await remove(name);
  t.strictSame(await issues(), []);
  await put(name, { value: 250 });
  await put('platform.dfsRootDirectory', { value: '/engine' });
  await restart();
  t.equal(gateway.property(name), '250');
  const waits = [{ key: 'HOST_RESTART_NEEDED', description: /host itself .*: platform\.dfsRootDirectory$/ }];
  t.match(await issues(), waits, 'RESTART_NEEDED is over');
  await restart();
  t.match(await issues(), waits);
  t.equal(gateway.property('platform.dfsRootDirectory'), undefined);
  const next = await gatewayWithAccounts(t, { site: { directory } });
  t.equal(next.gateway.property('platform.dfsRootDirectory'), '/engine');
});

t.test('a change that a crash has cut in two is finished at the next start', async (t) => {
  const edits = {
    GLOBAL: [{ name: 'a', set: { value: 'new' } }],
    LOCAL: [{ name: 'b', set: { value: 'new' } }, { name: 'a' }],
  };
  const { get, text, directory } = await living(t, {
    [globalFile]: site(property('a', 'new')),
    [localFile]: site(property('b', 'old'), property('a', 'old'), property('c', 'theirs')),
    '.platform-site.pending': JSON.stringify(edits),
  });
  t.match(await get('a'), { value: 'new' });
  t.match(await get('b'), { value: 'new' });
  t.equal(await text(localFile), site(property('b', 'new'), property('c', 'theirs')));
  t.notOk((await readdir(directory)).includes('.platform-site.pending'));
});

t.test('a file that can not be written: what the answer says of it is so', async (t) => {
  const post = { a: { value: '2' }, b: { value: '2', local: true } };
  const properties = Object.entries(post).map(([name, set]) => ({ name, ...set }));
  const sorry = { status: 500, code: 'STORAGE_FAILED' };

  await t.test('of files, the first is put back', async (t) => {
    const { admin, get, put, text, directory } = await living(t, {
      [globalFile]: site(property('a', '1')),
      [localFile]: site(property('b', '1')),
    });
    // What stands where the new text is to be written can't be removed like a file.
    const inTheWay = join(directory, `${localFile}.new`);
    await mkdir(join(inTheWay, 'x'), { recursive: true });
    await refuses(t, admin.setProperties({ body: { properties } }), {
      ...sorry,
      message: /nothing was changed/,
    });
    await refuses(t, put('b', { value: '3', local: true }), { ...sorry, message: /nothing was changed/ });
    t.equal(await text(globalFile), site(property('a', '1')));
    t.equal(await text(localFile), site(property('b', '1')));
    t.notOk((await readdir(directory)).includes('.platform-site.pending'));
    t.match([await get('a'), await get('b')], [{ value: '1' }, { value: '1' }]);
    await rm(inTheWay, { recursive: true });
    await admin.setProperties({ body: { properties } });
    t.match([await get('a'), await get('b')], [{ value: '2' }, { value: '2' }]);
  });

  await t.test('a storage that closes is told as such, by one place and by two', async (t) => {
    const edits = [{ name: 'a', set: { value: '1' } }];
    for (const LOCAL of [[], edits]) {
      const storage = memoryStorage();
      const place = (name: string): SitePlace => {
        const kept = documentPlace(storage.documents, name);
        return { ...kept, write: (text) => storage.close().then(() => kept.write(text)) };
      };
      const places = { GLOBAL: place('global'), LOCAL: place('local'), USER: undefined };
      const { edit, load } = createSite({ ...places, journal: place('journal') });
      await t.rejects(
        edit(() => ({ GLOBAL: edits, LOCAL })),
        { code: 'NOT_READY' },
      );
      await t.rejects(load(), { code: 'NOT_READY' });
    }
  });

  await t.test('where that fails too it is completed later', async (t) => {
    const storage = memoryStorage();
    let writesLeft = Number.POSITIVE_INFINITY;
    const { documents } = storage;
    const failing: typeof documents = {
      get: documents.get,
      entries: documents.entries,
      async write(batch) {
        if (batch.some(({ collection }) => collection === 'site') && writesLeft-- <= 0)
          throw new Error('disk full');
        return documents.write(batch);
      },
    };
    const { admin } = await gatewayWithAccounts(t, { storage: { ...storage, documents: failing } });
    const set = (...list: typeof properties) => admin.setProperties({ body: { properties: list } });
    const values = async () => {
      const { a, b, c } = await admin.listProperties();
      return [a?.value, b?.value, c?.value];
    };
    await set({ name: 'a', value: '1' });
    await set({ name: 'b', value: '1', local: true });
    // Not even the journal, which may be there all the same.
    writesLeft = 0;
    await refuses(t, set(...properties), { ...sorry, message: /nothing was changed, but the change may be/ });
    // The journal, and the first of the two.
    writesLeft = 2;
    await refuses(t, set(...properties), { ...sorry, message: /in part, and is completed at the next one/ });
    t.strictSame(await values(), ['1', '1', undefined], 'in force is what was');
    await refuses(t, set({ name: 'c', value: '1' }), { ...sorry, message: /can not be completed/ });
    writesLeft = Number.POSITIVE_INFINITY;
    await set({ name: 'c', value: '1' });
    t.strictSame(await values(), ['2', '2', '1']);
    // The journal, and both: what is made counts, and is made again unless a person hears of it.
    writesLeft = 3;
    await refuses(t, set({ name: 'a', value: '3' }, { name: 'b', value: '3', local: true }), {
      ...sorry,
      message: /The change is made, but .*pending\) can not be removed: remove it before/,
    });
    t.strictSame(await values(), ['3', '3', '1']);
  });
});

t.test('the page of the documentation names all that the gateway knows', async (t) => {
  const page = await readFile(new URL('../../../../../docs/configuration.md', import.meta.url), 'utf8');
  const missing = Object.keys(knownProperties).filter((name) => !page.includes(`\`${name}\``));
  t.strictSame(missing, []);
});

t.test('what the gateway knows of is listed, set or not, with what waits', async (t) => {
  const { admin } = await gatewayWithAccounts(t);
  const known = async (name: string) =>
    (await admin.listKnownProperties()).properties.find((one) => one.name === name);
  const interval = 'platform.gateway.autoPublishInterval';
  t.strictSame(await known(interval), {
    name: interval,
    meaning: 'Milliseconds between two messages of a topic that is published once a second by default',
    default: '1000',
    inForce: 'restart',
    isSecret: false,
    isLocal: false,
    isWaiting: false,
  });
  await admin.putProperty({ params: { PROPERTY_NAME: interval }, body: { value: '500' } });
  t.match(await known(interval), { isWaiting: true });
  await admin.deleteProperty({ params: { PROPERTY_NAME: interval } });
  t.match(await known(interval), { isWaiting: false });
  t.match(await known('platform.gateway.sslKeystorePassword'), { isSecret: true });
});
