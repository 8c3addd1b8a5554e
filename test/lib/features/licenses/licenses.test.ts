import { sign } from 'node:crypto';
import t from 'tap';
import { memoryStorage } from '../../../../adapters/storage/memory.js';
import type { Client } from '../../../../lib/client.js';
import { createLicenseService } from '../../../../lib/features/licenses/service.js';
import { listRoutes } from '../../../../lib/http/table.js';
import {
  createGateway,
  type GatewayOptions,
  type LicenseTermsInput,
  licenseFeatures,
  signLicense,
} from '../../../../lib/index.js';
import { routes } from '../../../../lib/routes.js';
import { filesystemStorage } from '../../../../packages/level/index.js';
import { faultyCluster } from '../../../doubles/cluster.js';
import { refuses } from '../../../helpers/accounts.js';
import { emptyCluster } from '../../../helpers/empty-cluster.js';
import { testFolder } from '../../../helpers/folder.js';
import { type LogLine, loggerInto, newGateway } from '../../../helpers/gateway.js';
import { day, license, start, stranger, terms, vendor } from '../../../helpers/licenses.js';
import { as, people } from '../../../helpers/people.js';
import { until } from '../../../helpers/waiting.js';

// The signatures are real, the cluster is one whose memory can be set.

const minute = 60_000;
const trust = {
  publicKeys: [String(vendor.publicKey.export({ type: 'spki', format: 'pem' }))],
  product: 'streams',
};

async function licensed(
  t: Parameters<typeof newGateway>[0],
  options: Partial<GatewayOptions> = {},
  more: Partial<LicenseTermsInput> | 'none' = {},
) {
  const moment = { now: start + day, monotonic: 0 };
  const pass = (millis: number) => {
    moment.now += millis;
    moment.monotonic += millis;
  };
  const cluster = faultyCluster([
    { id: 'application_1_0001', allocatedMB: 400 },
    { id: 'application_1_0002', allocatedMB: 300, isSystemApp: true },
    { id: 'application_1_0003', allocatedMB: 9999, state: 'KILLED', finalStatus: 'KILLED' },
  ]);
  const living = await newGateway(t, {
    auth: people,
    cluster,
    clock: { now: () => moment.now, monotonic: () => moment.monotonic },
    licensing: trust,
    ...options,
  });
  const admin = living.newClient(as('root', 'admin'));
  if (more !== 'none') await admin.addLicense({ body: license(more) });
  const use = (allocatedMB: number) => {
    const app = cluster.apps.get('application_1_0001');
    if (app) cluster.apps.set(app.id, { ...app, allocatedMB });
    pass(2000);
  };
  return { ...living, admin, cluster, moment, pass, use };
}

/** What clients compute with where there is no limit. */
const unlimited = {
  expireTime: 253_402_300_799_999,
  memoryMBAllowed: 2_147_483_647,
  exceedGracePeriod: 2_147_483_647,
};

const issuesOf = async (client: Client) =>
  (await client.listConfigIssues()).issues
    .filter(({ key }) => key.startsWith('LICENSE'))
    .map(({ key, severity }) => `${key} ${severity}`);
const launch = (client: Client) =>
  client.restartApplication({ params: { appid: 'application_1_0003' }, query: {} });
const locked = { status: 403, code: 'LICENSE_LOCKED' };

t.test('a host that demands none: a community license without limits, and nothing is refused', async (t) => {
  const { admin, newClient } = await licensed(t, { licensing: undefined }, 'none');
  const anybody = newClient(as('vic'));
  t.match(await anybody.getCurrentLicense(), {
    id: 'community',
    contextType: 'community',
    features: [],
    memoryMBUsed: 700,
    ...unlimited,
    nodesAllowed: 2_147_483_647,
    valid: true,
    current: true,
  });
  t.match(await admin.listLicenses(), { licenses: [{ id: 'community', valid: true, ...unlimited }] });
  t.equal(new Date(unlimited.expireTime).toISOString(), '9999-12-31T23:59:59.999Z', 'a date in every client');
  t.match(await admin.getLicense({ params: { id: 'community' } }), { valid: true });
  await refuses(t, admin.getLicense({ params: { id: 'other' } }), { status: 404 });
  await refuses(t, admin.addLicense({ body: license() }), { status: 409, message: /demands no license/ });
  t.strictSame(await issuesOf(admin), []);
  t.match(await admin.listAlerts(), { alerts: [] });
});

t.test('a signed license without limits says so in the same numbers', async (t) => {
  const { admin } = await licensed(t, {}, 'none');
  const { expireTime, memoryMBAllowed } = unlimited;
  const endless = { expireTime, memoryMBAllowed };
  const more = { nodesAllowed: 2_147_483_647, exceedGracePeriod: 30 * minute };
  const { expireTime: _, memoryMBAllowed: __, ...lasting } = terms();
  t.match(await admin.addLicense({ body: signLicense(lasting, vendor.privateKey) }), { ...endless, ...more });
  t.match(await admin.getCurrentLicense(), { ...endless, ...more, valid: true });
  t.match((await admin.listLicenses()).licenses, [endless]);
  t.strictSame(await issuesOf(admin), []);
});

t.test('none configured: said so, claims nothing, and what runs goes on', async (t) => {
  const { admin } = await licensed(t, {}, 'none');
  t.strictSame(await admin.getCurrentLicense(), { currentTime: start + day, valid: false, current: false });
  t.strictSame(await admin.listLicenses(), { licenses: [] });
  await refuses(t, admin.getLicense({ params: { id: 'streams-1' } }), { status: 404 });
  t.strictSame(await issuesOf(admin), ['LICENSE_MISSING error']);
  await refuses(t, launch(admin), { ...locked, message: /No license is configured; upload one/ });
  await refuses(t, admin.listAlerts(), { code: 'FEATURE_NOT_LICENSED', message: /No license is configured/ });
  const { operations } = await admin.getCapabilities();
  t.match(
    operations.find(({ id }) => id === 'launchPackageApplication'),
    { allowed: false, reason: /No license/ },
  );
  await admin.killApplication({ params: { appid: 'application_1_0001' } });
  await admin.shutdownApplication({ params: { appid: 'application_1_0002' } });
  t.match(await admin.getApplication({ params: { appid: 'application_1_0001' } }), {
    launchDisabled: true,
    remainingLicensedMB: undefined,
  });
});

t.test('an upload becomes the current license, and lasts over a restart of the host', async (t) => {
  const directory = testFolder(t);
  const first = await licensed(t, { storage: await filesystemStorage({ directory }) }, 'none');
  const wrapped = license({ category: 'Premium', nodesAllowed: 3 }).replace(/(.{60})/g, '$1\r\n');
  const added = await first.admin.addLicense({
    body: `${wrapped}\n`,
    query: { filename: 'streams.license' },
  });
  t.match(added, {
    id: 'streams-1',
    category: 'Premium',
    issuedTo: 'Example',
    licenseType: 'production',
    startDate: start,
    expireTime: start + 90 * day,
    memoryMBAllowed: 1000,
    memoryMBUsed: 700,
    nodesAllowed: 3,
    exceedGracePeriod: 30 * minute,
    expirationTimeNotificationPeriod: 30 * day,
    contextType: 'standard',
    type: 'production',
    features: ['SYSTEM_ALERTS'],
    valid: true,
  });
  await first.gateway.close();

  const { admin, newClient } = await licensed(t, { storage: await filesystemStorage({ directory }) }, 'none');
  const current = { id: 'streams-1', memoryMBUsed: 700, current: true, valid: true };
  t.match(await admin.getCurrentLicense(), current);
  t.match((await admin.listLicenses()).licenses, [{ id: 'streams-1', valid: true }]);
  t.match(await admin.getLicense({ params: { id: 'streams-1' } }), { id: 'streams-1', category: 'Premium' });
  t.match(await launch(admin), { appId: 'application_1_9002' });
  t.match(await admin.getApplication({ params: { appid: 'application_1_0001' } }), {
    remainingLicensedMB: 300,
    launchDisabled: false,
  });
  const guest = newClient(as('vic'));
  t.match(await guest.getCurrentLicense(), current, 'consoles of all users show it');
  await refuses(t, guest.listLicenses(), { status: 403 });
  await refuses(t, newClient(as('oscar', 'operator')).addLicense({ body: license() }), { status: 403 });
});

t.test('what is no license is refused with the reason, and the one that is there stays', async (t) => {
  const { admin } = await licensed(t);
  const good = license({ id: 'streams-2' });
  const [head = '', payload = '', signature = ''] = good.split('.');
  const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const signed = (header: object, content: object) => {
    const text = `${encoded(header)}.${encoded(content)}`;
    return `${text}.${sign(null, Buffer.from(text), vendor.privateKey).toString('base64url')}`;
  };
  const corrupted = { code: 'LICENSE_REFUSED', details: { reason: 'corrupted' } };
  const rows: readonly [string, string, object][] = [
    ['nothing', ' ', { ...corrupted, message: /corrupted: it is not whole/ }],
    ['truncated', good.slice(0, -20), { ...corrupted, message: /not what its vendor signed/ }],
    ['truncated earlier', `${head}.${payload}`, { ...corrupted, message: /not whole/ }],
    ['another file', 'PK\u0003\u0004 and so on', corrupted],
    ['more memory written in', `${head}.${encoded(terms({ memoryMBAllowed: 9e9 }))}.${signature}`, corrupted],
    ['unsigned', `${encoded({ alg: 'none' })}.${payload}.`, corrupted],
    ['none as its algorithm', `${encoded({ alg: 'none' })}.${payload}.${signature}`, corrupted],
    ['a head nobody understands', signed({ alg: 'EdDSA', crit: ['exp'] }, terms()), corrupted],
    [
      'signed, without an id',
      signed({ alg: 'EdDSA' }, { product: 'streams' }),
      { message: /terms are not complete \(id/ },
    ],
    [
      'signed, with an end that is no date',
      signed({ alg: 'EdDSA' }, terms({ expireTime: 9_007_199_254_740_991 })),
      { message: /terms are not complete \(expireTime/ },
    ],
    [
      'of another key',
      license({}, stranger.privateKey),
      { details: { reason: 'untrusted' }, message: /signed with a key that is not known here/ },
    ],
    [
      'of another product',
      license({ product: 'rivers' }),
      { details: { reason: 'product' }, message: /for the product "rivers", not for "streams"/ },
    ],
    [
      'expired',
      license({ expireTime: start + day }),
      { details: { reason: 'expired' }, message: /expired at 2026-01-02T00:00:00/ },
    ],
    [
      'of a later time',
      license({ startDate: start + 9 * day }),
      {
        details: { reason: 'notYet' },
        message: /begins at 2026-01-10.*here it is 2026-01-02.*upload it then/,
      },
    ],
  ];
  for (const [what, body, wanted] of rows) {
    await refuses(t, admin.addLicense({ body }), { status: 400, ...wanted }, what);
  }
  await refuses(t, admin.addLicense({ body: 'x'.repeat(1024 * 1024 + 1) }), { status: 413 });
  t.match(await admin.getCurrentLicense(), { id: 'streams-1', valid: true });
  t.match(await admin.addLicense({ body: good }), { id: 'streams-2' });
  await refuses(t, admin.getLicense({ params: { id: 'streams-1' } }), { status: 404 });
});

t.test('memory: 30 minutes of grace, then locked, until it is less again', async (t) => {
  const { admin, use, pass, moment } = await licensed(t);
  t.match(await admin.getCurrentLicense(), { memoryMBUsed: 700, violation: undefined });
  use(800);
  t.match(await admin.getCurrentLicense(), {
    memoryMBUsed: 1100,
    violation: 'memory',
    exceedRemainingTime: 30 * minute,
    expirationTimeNotificationLevel: 'WARN',
    valid: true,
  });
  t.strictSame(await issuesOf(admin), ['LICENSE_MEMORY_EXCEEDED warning']);
  pass(29 * minute);
  await admin.addLicense({ body: license() });
  moment.now -= 400 * day;
  t.match(
    await admin.getCurrentLicense(),
    { exceedRemainingTime: minute, valid: true },
    'whatever the time of day',
  );
  t.match(await launch(admin), { appId: /./ });
  t.match(await admin.getApplication({ params: { appid: 'application_1_0001' } }), {
    remainingLicensedMB: 0,
  });
  pass(minute);
  t.match(await admin.getCurrentLicense(), {
    exceedRemainingTime: 0,
    expirationTimeNotificationLevel: 'ERROR',
  });
  t.strictSame(await issuesOf(admin), ['LICENSE_MEMORY_EXCEEDED error']);
  await refuses(t, launch(admin), { ...locked, message: /use 1100 MB where the license allows 1000 MB/ });
  use(600);
  t.match(await launch(admin), { appId: /./ });
  use(1000);
  t.match(await admin.getCurrentLicense(), { exceedRemainingTime: 30 * minute }, 'begins anew');
  moment.now += 400 * day;
  await admin.addLicense({ body: license({ id: 'larger', memoryMBAllowed: 4000 }) });
  t.match(await admin.getCurrentLicense(), { violation: undefined, memoryMBAllowed: 4000 });
});

t.test('a restart of the host does not wind the grace back', async (t) => {
  const directory = testFolder(t);
  const first = await licensed(t, { storage: await filesystemStorage({ directory }) });
  first.use(800);
  await first.admin.getCurrentLicense();
  await first.gateway.close();

  const second = await licensed(t, { storage: await filesystemStorage({ directory }) }, 'none');
  second.use(800);
  second.pass(10 * minute);
  const { exceedRemainingTime = 0 } = await second.admin.getCurrentLicense();
  t.ok(exceedRemainingTime <= 20 * minute + 2000, `${exceedRemainingTime}`);
  second.cluster.manager = 'down';
  second.pass(2000);
  t.match(
    await second.admin.getCurrentLicense(),
    { memoryMBUsed: 1100, violation: 'memory' },
    'as last known',
  );
});

t.test('a cluster that was never reached: what is used is unknown, and the license is good', async (t) => {
  const { admin, cluster } = await licensed(t, {}, 'none');
  cluster.manager = 'down';
  await admin.addLicense({ body: license() });
  t.match(await admin.getCurrentLicense(), { valid: true, memoryMBUsed: undefined, violation: undefined });
});

t.test('the end: told 30 and 7 days before, locked at once, cured by another license', async (t) => {
  const { admin, pass, moment } = await licensed(t);
  const level = async () => (await admin.getCurrentLicense()).expirationTimeNotificationLevel;
  t.equal(await level(), undefined);
  pass(60 * day);
  t.equal(await level(), 'INFO');
  t.strictSame(await issuesOf(admin), ['LICENSE_EXPIRING warning']);
  pass(25 * day);
  t.equal(await level(), 'WARN');
  pass(4 * day);
  t.match(await admin.getCurrentLicense(), {
    id: 'streams-1',
    current: true,
    valid: false,
    expirationTimeNotificationLevel: 'ERROR',
  });
  t.match(await admin.getLicense({ params: { id: 'streams-1' } }), { valid: false });
  t.strictSame(await issuesOf(admin), ['LICENSE_EXPIRED error']);
  await refuses(t, launch(admin), { ...locked, message: /"streams-1" expired at 2026-04-01/ });
  t.match(await admin.listAlerts(), { alerts: [] }, 'reading goes on');
  await admin.addLicense({ body: license({ id: 'renewed', expireTime: moment.now + day }) });
  t.match(await launch(admin), { appId: /./ });
});

t.test('features gate the operations that name them, and no others', async (t) => {
  const gated = listRoutes(routes).flatMap(({ id, route }) => (route.licensed ? [{ id, route }] : []));
  t.strictSame([...new Set(gated.map(({ route }) => route.licensed))].sort(), [
    'APP_CONTAINER_LOGS',
    'LOGGING_LEVELS',
    'RUNTIME_DAG_CHANGE',
    'RUNTIME_PROPERTY_CHANGE',
    'SYSTEM_ALERTS',
  ]);
  const { admin, baseUrl } = await licensed(t, {}, { features: [] });
  const codeOf = async ({ route }: (typeof gated)[number]) => {
    const url = `${baseUrl}${route.path.replace(/\{\w+\}/g, 'application_1_0001')}`;
    const answer = await fetch(url, { method: route.method, ...as('root', 'admin') });
    const { code }: { code?: string } = JSON.parse(await answer.text());
    return code;
  };
  for (const one of gated) t.equal(await codeOf(one), 'FEATURE_NOT_LICENSED', one.id);
  await admin.addLicense({ body: license({ features: [...licenseFeatures] }) });
  for (const one of gated) t.not(await codeOf(one), 'FEATURE_NOT_LICENSED', one.id);
  t.match(await admin.getCurrentLicense(), { features: licenseFeatures });
});

t.test('a directory needs its feature to be configured', async (t) => {
  const { admin } = await licensed(t);
  const body = { type: 'ldap' as const, configuration: { server: 'ldap.example.org' } };
  await refuses(t, admin.putAuthConfig({ body }), {
    status: 403,
    code: 'FEATURE_NOT_LICENSED',
    message: /"streams-1" does not cover JAAS_LDAP_AUTH/,
  });
  await refuses(t, admin.putAuthConfig({ body: { type: 'password' } }), { status: 501 }, 'others don’t');
});

t.test('a lock refuses what starts or builds something, and nothing else', async (t) => {
  const lockable = listRoutes(routes).filter(({ route }) => route.lockable);
  t.strictSame(lockable.map(({ id }) => id).sort(), [
    'changeService',
    'importPackages',
    'installServices',
    'launchPackageApplication',
    'mergePackages',
    'planPackageApplication',
    'putPackageApplication',
    'putPackageConfig',
    'putService',
    'restartApplication',
    'samplePackageApplication',
    'startService',
    'uploadConfigPackage',
    'uploadPackage',
  ]);
  t.strictSame(
    lockable.filter(({ route }) => route.method === 'GET'),
    [],
  );
  const { baseUrl } = await licensed(t, {}, 'none');
  for (const { id, route } of lockable) {
    const answer = await fetch(`${baseUrl}${route.path.replace(/\{\w+\}/g, 'x')}`, {
      method: route.method,
      ...as('root', 'admin'),
    });
    t.match(await answer.json(), { code: 'LICENSE_LOCKED' }, id);
  }
});

t.test('a license whose key the host no longer gives: said so, and kept', async (t) => {
  const directory = testFolder(t);
  const first = await licensed(t, { storage: await filesystemStorage({ directory }) });
  await first.gateway.close();
  const other = { publicKeys: [stranger.publicKey] };
  const second = await licensed(
    t,
    { storage: await filesystemStorage({ directory }), licensing: other },
    'none',
  );
  t.match(await second.admin.getCurrentLicense(), { valid: false, current: false });
  const { issues } = await second.admin.listConfigIssues();
  t.match(
    issues.find(({ key }) => key === 'LICENSE_MISSING'),
    { description: /can't be used: The license is signed with a key that is not known here/ },
  );
  await second.gateway.close();
  const third = await licensed(t, { storage: await filesystemStorage({ directory }) }, 'none');
  t.match(await third.admin.getCurrentLicense(), { id: 'streams-1', valid: true });
});

t.test('a clock that fails is in the log, and the host goes on', async (t) => {
  const logs: LogLine[] = [];
  const broken = new Error('no time');
  const licenses = await createLicenseService({
    options: { ...trust, sampleMillis: 5 },
    documents: memoryStorage().documents,
    cluster: emptyCluster(),
    clock: {
      now: () => {
        throw broken;
      },
      monotonic: () => 0,
    },
    logger: loggerInto(logs),
  });
  t.teardown(() => licenses.close());
  const told = () => logs.filter(({ fields }) => fields.err === broken);
  await until(
    async () => told(),
    (lines) => lines.length > 1,
  );
  t.match(told(), [{ level: 'error', message: 'the license can not be looked after' }]);
});

t.test('keys that can not be meant end the start with a sentence', async (t) => {
  const pem = String(vendor.privateKey.export({ type: 'pkcs8', format: 'pem' }));
  const rows: readonly [readonly string[], RegExp][] = [
    [[], /publicKeys is empty/],
    [[pem], /holds a private key/],
    [['no key'], /./],
  ];
  for (const [publicKeys, message] of rows) {
    const options = { storage: memoryStorage(), cluster: emptyCluster(), licensing: { publicKeys } };
    await t.rejects(createGateway(options), { message });
  }
});
