import { generateKeyPairSync } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { configuredAuth } from '../../../adapters/auth/configured.js';
import { firstOf } from '../../../adapters/auth/first-of.js';
import { apiTokens } from '../../../adapters/auth/tokens.js';
import { memoryStorage } from '../../../adapters/storage/memory.js';
import { keyOfStore } from '../../../lib/formats/pkcs12.js';
import { createGateway, signLicense } from '../../../lib/index.js';
import { processRuntime } from '../../../packages/containers/index.js';
import { directorySchemes } from '../../../packages/directory/index.js';
import { adminPassword } from '../../helpers/accounts.js';
import { engineGateway, untilItRuns, words } from '../../helpers/applications.js';
import { emptyCluster } from '../../helpers/empty-cluster.js';
import { folderBesideBuilt } from '../../helpers/folder.js';
import { run } from '../../helpers/processes.js';
import { type Snippet, snippetsOf } from '../../helpers/snippets.js';
import { root } from '../../helpers/sources.js';

// Snippets of all pages: options that are shown are those of a gateway that starts (`js host`), and requests (`asks`)
// are answered as the page says. Other tests run what tells a longer story: test/pages.test.ts has the list.

const scratch = folderBesideBuilt(t, 'pages');

const pages = [
  'README.md',
  ...readdirSync(join(root, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];
const snippets = (page: string): Snippet[] => snippetsOf(join(root, page));

/** What the reader of a page has already, unless the snippet makes it itself. */
const given: readonly [name: string, code: string][] = [
  ['createGateway', "import { createGateway } from 'headgate';"],
  ['localCluster', "import { localCluster } from '@headgate/engine';"],
  ['memoryStorage', "import { memoryStorage } from 'headgate/storage/memory';"],
  ['storage', 'const storage = memoryStorage();'],
  ['cluster', "const cluster = localCluster({ directory: './engine' });"],
  ['auth', "const auth = 'none';"],
  ['gateway', 'const gateway = await createGateway({ storage, cluster, auth });'],
];

function completed(text: string): string {
  const has = (name: string) => new RegExp(`^(import .*|const )\\b${name}\\b`, 'm').test(text);
  const lacking = given.filter(([name]) => !has(name)).map(([, code]) => code);
  const isMade = has('gateway');
  const before = isMade ? lacking : lacking.slice(0, -1);
  return [...before, text, ...(isMade ? [] : lacking.slice(-1)), 'await gateway.close();'].join('\n');
}

const hosts = pages.flatMap((page) =>
  snippets(page)
    .filter(({ attributes }) => 'host' in attributes)
    .map(({ text }): [string, string] => [page, text]),
);

t.test('the options that pages show are those of a gateway that starts', async (t) => {
  t.ok(hosts.length >= 8, `${hosts.length}`);
  await run(process.execPath, [join(root, 'dist/commands/license.js'), 'keys', '--out', 'streams'], {
    cwd: scratch,
  });
  for (const [index, [page, text]] of hosts.entries()) {
    const file = join(scratch, `host-${index}.mjs`);
    const ownPlace = (_: string, path: string) => {
      const place = join(scratch, String(index), path);
      mkdirSync(join(place, '..'), { recursive: true });
      return `'${place}'`;
    };
    writeFileSync(file, completed(text).replace(/'(?:\.|(?=\/))(\/[^']*)'/g, ownPlace));
    t.equal(await run(process.execPath, [file], { cwd: scratch }), '', page);
  }
});

t.test('docs/configuration.md: its site file is read', async (t) => {
  const [file] = snippets('docs/configuration.md').filter(
    ({ attributes }) => attributes['file'] === 'platform-site.xml',
  );
  const directory = join(scratch, 'site');
  mkdirSync(directory);
  writeFileSync(join(directory, 'platform-site.xml'), file?.text ?? '');
  const gateway = await createGateway({
    storage: memoryStorage(),
    cluster: emptyCluster(),
    site: { directory },
  });
  t.teardown(() => gateway.close());
  t.equal(gateway.property('platform.gateway.autoPublishInterval'), '2000');
});

t.test('docs/configuration.md: the key store that it makes can be read', async (t) => {
  const [command] = snippets('docs/configuration.md').filter(({ attributes }) => 'keytool' in attributes);
  const store = join(scratch, 'keys.p12');
  const text = (command?.text ?? 'exit 1').replace('/etc/streams/keys.p12', store);
  const java = `command -v keytool >/dev/null || PATH="$('${join(root, 'scripts/java-8.sh')}')/bin:$PATH"`;
  await run('bash', ['-ec', `${java}\n${text}`], { cwd: scratch });
  t.equal(keyOfStore(readFileSync(store), 'changeit', 'gateway').asymmetricKeyType, 'ec');
});

t.test('requests are answered as the pages say', async (t) => {
  const keys = generateKeyPairSync('ed25519');
  const { baseUrl, client, gateway } = await engineGateway(
    t,
    {},
    {
      auth: firstOf(configuredAuth({ schemes: directorySchemes() }), apiTokens()),
      initialAdmin: { password: adminPassword },
      licensing: { product: 'streams', publicKeys: [keys.publicKey] },
      containers: processRuntime({ directory: join(scratch, 'services') }),
    },
  );
  const login = { userName: 'admin', password: adminPassword };
  await client.login({ body: login });
  const { token } = await client.createToken({ body: { name: 'pages' } });
  const appid = await gateway.launch(words('words', 'admin'));
  await untilItRuns(client, appid);
  for (const jar of ['jar', 'cookies']) {
    const toJson = ['-H', 'content-type: application/json', '-d', JSON.stringify(login)];
    await run('curl', ['-s', '-c', jar, ...toJson, `${baseUrl}/ws/v2/login`], { cwd: scratch });
  }

  /** The answers to the lines of a page, one each. */
  async function asked(page: string): Promise<unknown[]> {
    const texts = snippets(page).filter(
      ({ attributes, language }) => 'asks' in attributes && language === 'sh',
    );
    const command = texts
      .map(({ text }) => text)
      .join('\n')
      .replaceAll('curl ', "curl -s -w '\\n' ")
      .replaceAll(/(http:\/\/)?(localhost|127\.0\.0\.1):\d+/g, baseUrl)
      .replaceAll('application_1790000000000_0001', appid);
    const printed = await run('bash', ['-ec', `TOKEN=${token}\n${command}`], { cwd: scratch });
    return printed
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  }
  const put = async (path: string, page: string) => {
    const [body] = snippets(page).filter(
      ({ attributes, language }) => 'asks' in attributes && language === 'json',
    );
    const answer = await fetch(baseUrl + path, {
      method: 'PUT',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: body?.text ?? '',
    });
    return [answer.status, await answer.json()];
  };

  const terms = snippets('docs/licenses.md').find(({ attributes }) => attributes['file'] === 'terms.json');
  const license = { id: 'streams-1', startDate: Date.now(), ...JSON.parse(terms?.text ?? '') };
  license.features.push('JAAS_LDAP_AUTH');
  writeFileSync(join(scratch, 'example.license'), signLicense(license, keys.privateKey));
  t.match(await asked('docs/licenses.md'), [{ id: /^streams-/ }]);

  t.strictSame(await asked('docs/configuration.md'), [{}]);
  t.match(await client.getProperty({ params: { PROPERTY_NAME: 'platform.gateway.importDirectory' } }), {
    value: '/srv/packages',
  });

  t.match(await asked('docs/proxies.md'), [{ apps: { app: [{ id: appid }] } }, { operators: [{}, {}, {}] }]);

  t.match(await put('/ws/v2/services/search', 'docs/services.md'), [200, {}]);
  t.match(await client.getService({ params: { name: 'search' } }), {
    srcUrl: 'file:///opt/search.tgz',
    proxy: { address: '$' + '{port}' },
  });

  const scrape = snippets('docs/operations.md').find(({ attributes }) => 'scrape' in attributes)?.text ?? '';
  const [, path = ''] = /metrics_path: (\S+)/.exec(scrape) ?? [];
  const metrics = await fetch(baseUrl + path, { headers: { authorization: `Bearer ${token}` } });
  t.match(metrics.headers.get('content-type'), /^text\/plain; version=0\.0\.4/);
  t.match(await metrics.text(), /^headgate_http_requests_total\{/m);

  t.strictSame(await put('/ws/v2/config/auth', 'docs/identity.md'), [200, {}]);
  t.strictSame(await asked('docs/identity.md'), [{}, {}]);
  const again = () => client.login({ body: login }).then(() => client.getAuthConfig());
  t.match(await again(), {
    type: 'ldap',
    configuration: { server: 'ldaps://ldap.example.org' },
    groupMapping: [{ group: 'operators' }],
  });
});

t.test('every page is looked through', async (t) => {
  t.ok(pages.includes('docs/yarn.md'));
  t.match(readFileSync(join(root, 'README.md'), 'utf8'), /```js host/);
});
