import { chmod, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { memoryStorage } from '../../../../adapters/storage/memory.js';
import type { Client } from '../../../../lib/client.js';
import type { GatewayOptions } from '../../../../lib/index.js';
import {
  adminPassword,
  gatewayWithAccounts,
  gatewayWithPasswords,
  refuses,
} from '../../../helpers/accounts.js';
import { engineGateway, words } from '../../../helpers/applications.js';
import { testFolder } from '../../../helpers/folder.js';
import { newGateway } from '../../../helpers/gateway.js';
import { as } from '../../../helpers/people.js';
import { restarted } from '../../../helpers/restart.js';
import { until } from '../../../helpers/waiting.js';
import { yarnGateway } from '../../../helpers/yarn.js';

// What the gateway knows of its machine, and what an administrator should see to.

async function runtime(directory: string, name: string, text: string, mode = 0o755): Promise<string> {
  const path = join(directory, name);
  await writeFile(path, text);
  await chmod(path, mode);
  return path;
}

t.test('how it is installed', async (t) => {
  const mode = async (install?: GatewayOptions['install']) => {
    const { admin } = await gatewayWithAccounts(t, install ? { install } : {});
    return admin.getInstallMode();
  };
  t.strictSame(await mode(), { installMode: 'community' });
  t.strictSame(await mode({ mode: 'evaluation' }), { installMode: 'evaluation' });
  const app = { appPackageName: 'sensors', appPackageVersion: '1.0.0' };
  t.strictSame(await mode({ mode: 'app', ...app }), { installMode: 'app', ...app });
});

t.test('addresses of this machine, the loopback among them', async (t) => {
  const { admin } = await gatewayWithAccounts(t);
  const { ipAddresses } = await admin.listIpAddresses();
  t.ok(ipAddresses.includes('127.0.0.1'));
  const all = Object.values(networkInterfaces()).flatMap((list = []) => list.map(({ address }) => address));
  t.strictSame(new Set(ipAddresses), new Set(all));
  t.equal(ipAddresses.length, new Set(ipAddresses).size);
});

t.test('about, for those who may know and for others', async (t) => {
  const { client, admin } = await gatewayWithAccounts(t, { site: { directory: '/etc/platform' } });
  const short = await client.getAbout();
  t.strictSame(Object.keys(short).sort(), ['jvmName', 'platformVersion']);
  t.match(await admin.getAbout(), {
    ...short,
    configDirectory: '/etc/platform',
    engineVersion: '0',
    hostname: /./,
  });
});

t.test('the program that starts applications', async (t) => {
  const directory = testFolder(t);
  const { newClient, gateway } = await engineGateway(t);
  const admin = newClient(as('root', 'admin'));
  const put = (value: string) => admin.putClusterExecutable({ body: { value } });
  const { value: given } = await admin.getClusterExecutable();
  const isNamed = async () => (await admin.listConfigIssues()).issues.map(({ key }) => key);

  const marks = join(directory, 'marks');
  await mkdir(marks);
  const script = `#!/bin/sh\n[ "$1" = --version ] || : > "${marks}/started"\nexec "${given}" "$@"\n`;
  const good = await runtime(directory, 'good', script);
  const rows: readonly [path: string, message: RegExp][] = [
    ['  ', /blank/],
    ['bin/node', /no absolute path/],
    [join(directory, 'nix'), /no such file/],
    [directory, /no file/],
    [await runtime(directory, 'data', script, 0o644), /may not run it/],
    [await runtime(directory, 'lost', '#!/nowhere/sh\n'), /can't be started/],
    [await runtime(directory, 'ill', '#!/bin/sh\nexit 3\n'), /ended with code 3/],
  ];
  for (const [path, message] of rows) await refuses(t, put(path), { status: 400, message });
  t.strictSame(await admin.getClusterExecutable(), { value: given });
  t.strictSame(await isNamed(), []);

  t.strictSame(await put(good), { value: good });
  t.strictSame(await admin.getClusterExecutable(), { value: good });
  t.strictSame(await isNamed(), ['RESTART_NEEDED']);
  t.match(await admin.getProperty({ params: { PROPERTY_NAME: 'platform.clusterExecutable' } }), {
    scope: 'LOCAL',
  });
  await restarted(admin);
  t.strictSame(await isNamed(), []);
  const appid = await gateway.launch(words());
  await until(
    () => admin.getApplication({ params: { appid } }),
    ({ state }) => state === 'RUNNING',
  );
  await t.resolves(rm(join(marks, 'started')), 'containers are started by it');
  await admin.killApplication({ params: { appid } });
  await rm(good);
  t.match((await admin.listConfigIssues()).issues, [
    {
      key: 'CLUSTER_EXECUTABLE_NOT_FOUND',
      severity: 'error',
      propertyName: 'platform.clusterExecutable',
      description: /good is set as the program, but there is no such file/,
    },
  ]);
});

t.test('a driver that starts nothing here has no such program', async (t) => {
  const { admin } = await gatewayWithAccounts(t);
  t.strictSame(await admin.getClusterExecutable(), { value: '' });
  await refuses(t, admin.putClusterExecutable({ body: { value: '/bin/sh' } }), { status: 501 });
});

t.test('ADMIN_NOT_CONFIGURED until the generated password is another one', async (t) => {
  const storage = memoryStorage();
  const { passwordSessions } = await import('../../../../adapters/auth/password.js');
  const { gateway, client } = await newGateway(t, { auth: passwordSessions(), storage });
  const password = gateway.initialAdminPassword ?? '';
  await client.login({ body: { userName: 'admin', password } });
  const issues = async () => (await client.listConfigIssues()).issues;
  t.match(await issues(), [{ key: 'ADMIN_NOT_CONFIGURED', severity: 'warning' }]);
  const params = { user: 'admin' };
  await client.changeUser({ params, body: { roles: ['admin', 'operator'] } });
  t.equal((await issues()).length, 1);
  await client.changeUser({ params, body: { oldPassword: password, newPassword: 'another one' } });
  t.strictSame(await issues(), []);
  const given = await gatewayWithPasswords(t);
  t.ok(adminPassword);
  t.strictSame((await given.admin.listConfigIssues()).issues, [], 'one that the host has given is chosen');
});

t.test('DFS_PROBLEM when files of applications can not be reached', async (t) => {
  const directory = testFolder(t);
  const engine = await engineGateway(t, { directory });
  const admin = engine.newClient(as('root', 'admin'));
  const dfs = async (client: Client) =>
    (await client.listConfigIssues()).issues.filter(({ key }) => key === 'DFS_PROBLEM');
  t.strictSame(await dfs(admin), []);
  await rename(join(directory, 'apps'), join(directory, 'elsewhere'));
  t.match(await dfs(admin), [
    { severity: 'error', description: /The folder .* of the embedded engine can't/ },
  ]);
  await rename(join(directory, 'elsewhere'), join(directory, 'apps'));
  t.strictSame(await dfs(admin), []);

  const { client, double } = await yarnGateway(t);
  const root = '/user/hadoop/datatorrent';
  t.strictSame(await dfs(client), []);
  double.files.forbidden.add(root);
  t.match(await dfs(client), [
    { description: /Files of applications can't be reached: The gateway may not/ },
  ]);
  double.files.forbidden.delete(root);
  double.files.nameNode.fault = 'down';
  t.match(await dfs(client), [{ severity: 'error', description: /can't be reached/ }]);
  double.files.nameNode.fault = undefined;
});

t.test('DFS_PROBLEM names what is kept and can not be read', async (t) => {
  const storage = memoryStorage();
  const message = 'The document users/ada is damaged';
  const { admin } = await gatewayWithAccounts(t, {
    storage: { ...storage, problems: () => [{ kind: 'document', key: 'ada', message }] },
  });
  t.strictSame((await admin.listConfigIssues()).issues, [
    { key: 'DFS_PROBLEM', severity: 'error', description: message },
  ]);
});
