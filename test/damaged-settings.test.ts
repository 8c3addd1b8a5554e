import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ClassicLevel } from 'classic-level';
import t from 'tap';
import { configuredAuth } from '../adapters/auth/configured.js';
import type { Client } from '../lib/client.js';
import { directorySchemes } from '../packages/directory/index.js';
import { filesystemStorage } from '../packages/level/index.js';
import { documentRecord } from '../packages/level/records.js';
import { passwordOf, refuses } from './helpers/accounts.js';
import { newGateway } from './helpers/gateway.js';
import { makeHashesCheap } from './helpers/hashes.js';

// What the disk has damaged is put anew through the API, by whoever may, and nothing else is lost.

makeHashesCheap();
const password = 'the gate is open';
const directory = {
  type: 'ldap' as const,
  configuration: {
    server: 'ldap.example.org',
    userBaseDn: 'ou=people,dc=example,dc=org',
    bindDn: 'cn=reader,dc=example,dc=org',
    bindPassword: 'secret of the reader',
  },
};

/** Runs a gateway on the directory until `use` is done. */
async function during<T>(
  folder: string,
  use: (place: { login(userName: string, password: string): Promise<Client> }) => Promise<T>,
): Promise<T> {
  const closing: (() => Promise<void>)[] = [];
  const place = await newGateway(
    { teardown: (close) => closing.push(close) },
    {
      storage: await filesystemStorage({ directory: folder }),
      auth: configuredAuth({ schemes: directorySchemes() }),
      initialAdmin: { password },
      mailer: { send: async () => [] },
    },
  );
  try {
    return await use({
      async login(userName, password) {
        const client = place.newClient();
        await client.login({ body: { userName, password } });
        return client;
      },
    });
  } finally {
    for (const close of closing) await close();
  }
}

async function damage(folder: string, ...documents: readonly (readonly [string, string])[]): Promise<void> {
  const database = new ClassicLevel(join(folder, 'documents'));
  for (const [collection, key] of documents) {
    const record = documentRecord(collection, key);
    if ((await database.get(record)) === undefined) throw new Error(`There is no ${key} in ${collection}`);
    await database.put(record, 'garbage');
  }
  await database.close();
}

async function folderOf(t: { teardown(run: () => Promise<void>): unknown }): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'headgate-damaged-'));
  t.teardown(() => rm(folder, { recursive: true }));
  return folder;
}

const storageReasons = async (client: Client) =>
  (await client.getHealth()).reasons.filter(({ part }) => part === 'storage');

t.test('an account that can not be read is made anew by an administrator, and by nobody less', async (t) => {
  const folder = await folderOf(t);
  await during(folder, async ({ login }) => {
    const admin = await login('admin', password);
    await admin.putRole({ params: { role: 'keeper' }, body: { permissions: ['MANAGE_USERS'] } });
    await admin.putRole({ params: { role: 'reader' }, body: { permissions: ['VIEW_LOGS'] } });
    for (const user of ['ada', 'kim'])
      await admin.createUser({ params: { user }, body: { password: passwordOf(user), roles: ['keeper'] } });
  });
  await damage(folder, ['users', 'ada'], ['roles', 'reader']);
  await during(folder, async ({ login }) => {
    const anew = { params: { user: 'ada' }, body: { password: 'another word', roles: ['operator'] } };
    await refuses(t, login('ada', passwordOf('ada')), { status: 401 });
    await refuses(t, (await login('kim', passwordOf('kim'))).createUser(anew), {
      status: 403,
      message: /ada.*damaged.*administrator/,
    });
    const admin = await login('admin', password);
    await admin.createUser(anew);
    t.strictSame(await admin.getUser({ params: { user: 'ada' } }), { userName: 'ada', roles: ['operator'] });
    await refuses(t, login('ada', passwordOf('ada')), { status: 401 }, 'not with the old password');
    await login('ada', 'another word');
    const role = { params: { role: 'reader' }, body: { permissions: ['VIEW_LOGS' as const] } };
    await admin.putRole(role);
    t.strictSame((await admin.getRole(role)).permissions, ['VIEW_LOGS']);
    t.strictSame(await storageReasons(admin), []);
  });
  await during(folder, async ({ login }) => {
    await login('ada', 'another word');
    await login('kim', passwordOf('kim'));
  });
});

t.test('a shipped role of which nobody knows what it may does nothing, until it is put anew', async (t) => {
  const folder = await folderOf(t);
  const operator = { params: { role: 'operator' } };
  const shipped = await during(folder, async ({ login }) => {
    const admin = await login('admin', password);
    const { permissions } = await admin.getRole(operator);
    for (const role of ['operator', 'developer'])
      await admin.putRole({ params: { role }, body: { permissions: ['VIEW_LOGS'] } });
    return permissions;
  });
  t.ok(shipped.length > 1);
  await damage(folder, ['roles', 'operator'], ['roles', 'developer']);
  await during(folder, async ({ login }) => {
    const admin = await login('admin', password);
    t.strictSame(await admin.getRole(operator), { permissions: [] });
    await admin.putRole({ ...operator, body: { permissions: shipped } });
    t.strictSame(await admin.getRole(operator), { permissions: shipped });
    t.strictSame(await admin.getRole({ params: { role: 'developer' } }), { permissions: [] });
    await admin.restoreDefaultRoles();
    t.ok((await admin.getRole({ params: { role: 'developer' } })).permissions.length > 1);
    t.strictSame(await storageReasons(admin), []);
  });
  await during(folder, async ({ login }) => {
    t.strictSame(await (await login('admin', password)).getRole(operator), { permissions: shipped });
  });
});

t.test('a configuration of logins, or of mails, that can not be read is put anew', async (t) => {
  const folder = await folderOf(t);
  const smtp = {
    ...{ host: 'mail.example.org', encryptionType: 'none' as const, authType: 'none' as const },
    ...{ fromAddr: 'gate@example.org', testAddr: 'ops@example.org' },
  };
  await during(folder, async ({ login }) => {
    const admin = await login('admin', password);
    await admin.putAuthConfig({ body: directory });
    await admin.putSmtpConfig({ body: smtp });
  });
  await damage(folder, ['configuration', 'auth'], ['configuration', 'smtp']);
  await during(folder, async ({ login }) => {
    const admin = await login('admin', password);
    t.equal((await storageReasons(admin)).length, 1);
    await refuses(t, admin.getAuthConfig(), { status: 500, code: 'DAMAGED', message: /"auth"/ });
    await admin.putAuthConfig({ body: { type: 'password', configuration: {} } });
    t.strictSame(await admin.getAuthConfig(), { type: 'password', configuration: {} });
    await admin.putAuthConfig({ body: directory });
    t.match(await admin.getAuthConfig(), { type: 'ldap' });
    await refuses(t, admin.getSmtpConfig(), { status: 500, code: 'DAMAGED' });
    await admin.putSmtpConfig({ body: smtp });
    t.match(await admin.getSmtpConfig(), { host: 'mail.example.org', port: '25' });
    t.strictSame(await storageReasons(admin), []);
  });
  await damage(folder, ['configuration', 'auth']);
  await during(folder, async ({ login }) => {
    const admin = await login('admin', password);
    await admin.putAuthConfig({ body: directory });
    const { bindPassword: _, ...shown } = directory.configuration;
    t.strictSame(await admin.getAuthConfig(), { ...directory, configuration: shown });
  });
});
