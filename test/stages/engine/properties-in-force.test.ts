import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t from 'tap';
import { WebSocket } from 'ws';
import { firstOf } from '../../../adapters/auth/first-of.js';
import { passwordSessions } from '../../../adapters/auth/password.js';
import { apiTokens } from '../../../adapters/auth/tokens.js';
import { smtpMailer } from '../../../adapters/mail/smtp.js';
import { memoryStorage } from '../../../adapters/storage/memory.js';
import type { Client } from '../../../lib/client.js';
import { localCluster } from '../../../packages/engine/index.js';
import { adminPassword, gatewayWithAccounts, gatewayWithPasswords, refuses } from '../../helpers/accounts.js';
import { engineGateway, untilState, words } from '../../helpers/applications.js';
import { bareRuntime } from '../../helpers/bare-runtime.js';
import { testFolder } from '../../helpers/folder.js';
import { newGateway } from '../../helpers/gateway.js';
import { password, stores } from '../../helpers/keystores.js';
import { license, start, vendor } from '../../helpers/licenses.js';
import { mailServer } from '../../helpers/mail-server.js';
import { configuration, packageOf } from '../../helpers/packages.js';
import { as, people } from '../../helpers/people.js';
import { restarted } from '../../helpers/restart.js';
import { certificate } from '../../helpers/tls-front.js';
import { until } from '../../helpers/waiting.js';
import { pipeline, yarnGateway } from '../../helpers/yarn.js';

// What properties of the platform bring about, seen from outside.

const put = (client: Client, name: string, value: string | boolean | number) =>
  client.putProperty({ params: { PROPERTY_NAME: name }, body: { value } });
const run = promisify(execFile);
const issuesOf = async (client: Client) => (await client.listConfigIssues()).issues;

t.test('applications that have ended are listed for so long, and then their files go', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'headgate-engine-'));
  t.teardown(() => rm(directory, { recursive: true }));
  let ahead = 0;
  const clock = { now: () => Date.now() + ahead, monotonic: () => performance.now() };
  const name = 'platform.gateway.appDirectoryRetentionMillis';
  const storage = memoryStorage();
  const { gateway, client } = await newGateway(t, {
    storage,
    clock,
    cluster: localCluster({ directory, execPath: bareRuntime(directory) }),
  });
  const list = async () => (await client.listApplications()).apps.map(({ id }) => id);
  const minute = 60_000;

  const first = await gateway.launch(words());
  await untilState(client, first, 'RUNNING');
  await client.killApplication({ params: { appid: first } });
  await untilState(client, first, 'KILLED');
  const second = await gateway.launch(words());
  await untilState(client, second, 'RUNNING');
  ahead = 29 * 24 * 60 * minute;
  t.strictSame((await list()).sort(), [first, second]);
  await put(client, name, 10 * minute);
  t.strictSame(await list(), [second], 'what runs stays, however old it is');
  await refuses(t, client.getApplication({ params: { appid: first } }), { status: 404 });
  await client.killApplication({ params: { appid: second } });
  await untilState(client, second, 'KILLED');
  t.strictSame(await list(), [second]);
  await gateway.close();
  t.strictSame(await readdir(join(directory, 'apps')), [second]);
  t.ok(existsSync(join(directory, 'apps', second, 'application.json')));
});

t.test('what a person has written wrongly counts as if it were not there', async (t) => {
  const site = `<configuration>
    <property><name>platform.gateway.autoPublishInterval</name><value>often</value></property>
    <property><name>platform.gateway.appDirectoryRetentionMillis</name><value>-1</value></property>
    <property><name>platform.phoneHome.enable</name><value>perhaps</value></property>
  </configuration>`;
  const directory = testFolder(t, { 'platform-site.xml': site });
  const { gateway, client } = await newGateway(t, { site: { directory } });
  t.equal(gateway.property('platform.gateway.autoPublishInterval'), '1000');
  t.equal(gateway.property('platform.phoneHome.enable'), 'true');
  t.match(await issuesOf(client), [
    {
      key: 'PROPERTIES_NOT_READ',
      severity: 'error',
      description: /autoPublishInterval must be a whole number .*RetentionMillis must be/,
    },
  ]);
  t.match(await client.getProperty({ params: { PROPERTY_NAME: 'platform.gateway.autoPublishInterval' } }), {
    value: 'often',
  });
  await put(client, 'platform.gateway.autoPublishInterval', 500);
  await put(client, 'platform.gateway.appDirectoryRetentionMillis', 60_000);
  await put(client, 'platform.phoneHome.enable', true);
  t.match(await issuesOf(client), [{ key: 'RESTART_NEEDED' }]);
});

t.test(
  'pages of other origins: only where it is said, and only with what the page itself holds',
  async (t) => {
    const { admin, baseUrl } = await gatewayWithPasswords(t, {
      auth: firstOf(passwordSessions(), apiTokens()),
      origins: ['https://own.example.org'],
    });
    const name = 'platform.gateway.allowCrossOrigin';
    const { token } = await admin.createToken({ body: { name: 'page' } });
    const login = await fetch(`${baseUrl}/ws/v2/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ userName: 'admin', password: adminPassword }),
    });
    const [cookie = ''] = login.headers.getSetCookie().map((text) => text.split(';')[0] ?? '');
    const basic = `Basic ${Buffer.from(`admin:${adminPassword}`).toString('base64')}`;
    const bearer = { authorization: `Bearer ${token}` };
    const call = (
      method: string,
      headers: Record<string, string>,
      path = '/ws/v2/profile/settings/admin/a',
    ) =>
      fetch(`${baseUrl}${path}`, {
        method,
        headers: { origin: 'https://page.example.com', ...headers },
        ...(method === 'PUT' ? { body: '{"value":1}' } : {}),
      });
    const change = async (headers: Record<string, string>) =>
      (await call('PUT', { 'content-type': 'application/json', ...headers })).status;
    const preflight = {
      'access-control-request-method': 'PUT',
      'access-control-request-headers': 'authorization',
    };
    const allowed = (answer: Response) => answer.headers.get('access-control-allow-origin');

    t.equal(await change(bearer), 403);
    t.strictSame(
      [(await call('OPTIONS', preflight)).status, allowed(await call('GET', bearer))],
      [405, null],
    );
    await put(admin, name, true);

    const asked = await call('OPTIONS', preflight);
    t.equal(asked.status, 204);
    t.equal(allowed(asked), '*');
    t.match(asked.headers.get('access-control-allow-methods'), /PUT/);
    t.match(asked.headers.get('access-control-allow-headers'), /authorization.*content-type/);
    t.equal(asked.headers.get('access-control-allow-credentials'), null, 'no cookies');
    t.equal((await call('OPTIONS', {})).status, 405, 'no question of a browser');
    t.equal(await change(bearer), 200);
    const read = await call('GET', bearer);
    t.strictSame([read.status, allowed(read), await read.json()], [200, '*', { value: 1 }]);
    t.equal(allowed(await call('GET', {})), '*', 'a refusal can be read too');

    t.equal(await change({}), 403, 'nothing at all, as any form of any page');
    t.equal(await change({ cookie }), 403, 'a cookie');
    t.equal(await change({ cookie, ...bearer }), 403, 'a cookie beside a token');
    t.equal(await change({ authorization: basic }), 403, 'a password that the browser remembers');
    t.equal(await change({ cookie, origin: baseUrl }), 200, 'our own page');
    t.equal(await change({ cookie, origin: 'https://own.example.org' }), 200, 'one that the host has named');
    const socket = new WebSocket(`${baseUrl.replace('http', 'ws')}/pubsub`, {
      headers: { cookie, origin: 'https://page.example.com' },
    });
    const [, refused] = await once(socket, 'unexpected-response');
    t.equal(refused.statusCode, 403, 'a WebSocket can bring nothing else than cookies');
    socket.on('error', () => {}).terminate();

    await put(admin, name, false);
    t.equal(await change(bearer), 403, 'at once');
  },
);

t.test('passwords are sealed with the key of the key store, from the restart on', async (t) => {
  const directory = testFolder(t);
  const path = join(directory, 'keys.p12');
  const storage = memoryStorage();
  const server = await mailServer(t, { login: { userName: 'gate', password: 'sesame' } });
  let ahead = 0;
  const clock = { now: () => Date.now(), monotonic: () => performance.now() + ahead };
  const mailer = smtpMailer({ ca: certificate });
  const { admin } = await gatewayWithAccounts(t, { storage, mailer, clock });
  const smtp = (password?: string) =>
    admin.putSmtpConfig({
      body: {
        host: '127.0.0.1',
        port: String(server.port),
        encryptionType: 'tls',
        authType: 'password',
        username: 'gate',
        fromAddr: 'gate@example.org',
        fromName: 'The gate',
        testAddr: 'ops@example.org',
        ...(password === undefined ? {} : { password }),
      },
    });
  const kept = async () => JSON.stringify((await storage.documents.get('configuration', 'smtp'))?.value);
  const troublesNow = async () =>
    (await issuesOf(admin))
      .filter(({ key }) => key === 'KEYSTORE_NOT_READ')
      .map(({ description }) => description);
  /** A file that could not be used is read again after a second. */
  const troubles = () => {
    ahead += 1000;
    return troublesNow();
  };
  const alias = 'platform.gateway.ssl.alias.password.encryption';

  await smtp('sesame');
  t.notMatch(await kept(), 'keystore:');
  await put(admin, 'platform.gateway.sslKeystorePassword', password);
  await put(admin, alias, 'mail');
  t.match(await issuesOf(admin), [{ key: 'RESTART_NEEDED', description: /password\.encryption/ }]);
  await smtp('sesame');
  t.notMatch(await kept(), 'keystore:', 'not before');
  await restarted(admin);
  t.match(await troubles(), [/sslKeystorePath must be set too/]);
  await refuses(t, smtp('sesame'), { status: 409, code: 'KEYSTORE_NOT_READ' });
  await put(admin, 'platform.gateway.sslKeystorePath', path);
  await restarted(admin);
  t.match(await troubles(), [/keys\.p12 can't be used: there is no such file/]);
  await writeFile(path, stores.jks);
  t.match(await troubles(), [/JKS key store/]);
  await rm(path);
  await symlink('/dev/zero', path);
  t.match(await troubles(), [/it is no file/]);
  await rm(path);
  await run('mkfifo', [path]);
  t.match(await troubles(), [/it is no file/], 'nobody waits for what comes out of it');
  await rm(path);

  await writeFile(path, stores.keytool);
  t.match(await troublesNow(), [/it is no file/], 'who asks often does not have it opened as often');
  t.strictSame(await troubles(), []);
  await smtp();
  t.notMatch(await kept(), 'keystore:', 'what was sealed before is still opened');
  await smtp('sesame');
  t.match(await kept(), 'keystore:1.');
  t.notMatch(await kept(), 'sesame');
  await smtp();
  t.equal(server.received.at(-1)?.user, 'gate', 'opened, and taken by the server');
  await put(admin, 'platform.gateway.sslKeystorePassword', 'for the next one');
  await writeFile(path, stores.jks);
  t.strictSame(await troubles(), [], 'in force until the restart, whatever the file says by now');
  await smtp();
  await put(admin, 'platform.gateway.sslKeystorePassword', password);

  await writeFile(path, stores.openssl);
  await restarted(admin);
  await refuses(t, smtp(), {
    status: 502,
    message: /can't be unsealed: bring back the key.*or enter it again/,
  });
  await smtp('sesame');
  await admin.deleteProperty({ params: { PROPERTY_NAME: alias } });
  await restarted(admin);
  t.strictSame(await troubles(), []);
  await smtp('sesame');
  t.notMatch(await kept(), 'keystore:', 'the key of the storage again');
});

t.test('what the files set for applications is theirs at their launch, each with its rank', async (t) => {
  const directory = testFolder(t, {
    'user.xml': configuration({ 'platform.attr.CHECKPOINT_WINDOW_COUNT': '7' }),
  });
  const { newClient } = await engineGateway(
    t,
    {},
    { site: { directory, userFile: join(directory, 'user.xml') } },
  );
  const admin = newClient(as('root', 'admin'));
  await admin.setProperties({
    body: {
      properties: [
        { name: 'platform.operator.source.prop.tuplesPerSecond', value: 40 },
        { name: 'platform.operator.hub.prop.topic', value: 'test.site', local: true },
        { name: 'platform.attr.HEARTBEAT_INTERVAL_MILLIS', value: 300 },
        { name: 'platform.attr.MY_PASSWORD', value: 'sesame' },
      ],
    },
  });
  const files = {
    'app/words.json': JSON.stringify(words().application),
    'META-INF/properties.xml': configuration({
      'dt.operator.hub.prop.topic': 'test.package',
      'dt.attr.CHECKPOINT_WINDOW_COUNT': '8',
    }),
  };
  await admin.uploadPackage({ body: packageOf({ name: 'wordy' }, files) });
  const params = { owner: 'root', name: 'wordy', version: '1.0.0', appName: 'words' };
  const { appId: appid } = await admin.launchPackageApplication({ params });
  const property = async (opName: string) => admin.getOperatorProperties({ params: { appid, opName } });
  t.match(await property('source'), { tuplesPerSecond: 40 }, 'of all');
  t.match(await property('hub'), { topic: 'test.package' }, 'the package goes before this node');
  const attributes = await admin.getApplicationAttributes({ params: { appid } });
  t.match(
    attributes,
    { CHECKPOINT_WINDOW_COUNT: 7, HEARTBEAT_INTERVAL_MILLIS: 300 },
    'and its user before the package',
  );
  t.notMatch(JSON.stringify(attributes), 'sesame', 'secrets stay here');
  await admin.killApplication({ params: { appid } });
});

t.test('on YARN the folder of the engine is that of the property, unless the host names one', async (t) => {
  const site = configuration({ 'platform.dfsRootDirectory': '/streams/engine/' });
  const rootOf = async (options: Parameters<typeof yarnGateway>[1]) => {
    const directory = testFolder(t, { 'platform-site.local.xml': site });
    const { gateway, double } = await yarnGateway(t, options, { site: { directory } });
    await gateway.launch({ user: 'ann', ...pipeline(), application: pipeline().application });
    return double.launches[0]?.root;
  };
  t.equal(await rootOf({}), '/streams/engine');
  t.equal(await rootOf({ rootDirectory: '/house' }), '/house');
});

t.test('topics are published as often as it is said', async (t) => {
  const { client } = await newGateway(t);
  await put(client, 'platform.gateway.autoPublishInterval', 100);
  await restarted(client);
  const heard: unknown[] = [];
  client.subscribe('applications', (data) => heard.push(data));
  // At once a second they would come in forty seconds: later than `until` waits.
  await until(
    async () => heard.length,
    (count) => count >= 40,
  );
  t.ok(heard.length >= 40);
});

t.test('the current license has its id among the properties', async (t) => {
  const licensing = {
    publicKeys: [String(vendor.publicKey.export({ type: 'spki', format: 'pem' }))],
    product: 'streams',
  };
  const clock = { now: () => start + 60_000, monotonic: () => performance.now() };
  const { newClient } = await newGateway(t, { auth: people, licensing, clock });
  const admin = newClient(as('root', 'admin'));
  const name = 'platform.license.platform.id';
  const listed = async () => (await admin.listProperties())[name];
  t.match(await listed(), { value: '', scope: 'TRANSIENT' });
  await admin.addLicense({ body: license() });
  t.match(await listed(), { value: 'streams-1', scope: 'TRANSIENT' });
  await refuses(t, put(admin, name, 'streams-9'), { status: 400, message: /TRANSIENT/ });
  const { admin: other } = await gatewayWithAccounts(t);
  t.notOk(name in (await other.listProperties()), 'where none is demanded');
});
