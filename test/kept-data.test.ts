import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import type { Client } from '../lib/client.js';
import { refuses } from './helpers/accounts.js';
import { untilItRuns, untilState } from './helpers/applications.js';
import { gatewayOverKept, keptData, passwords } from './helpers/kept-data.js';
import { mailServer } from './helpers/mail-server.js';
import { until } from './helpers/waiting.js';

// What an earlier state of this version kept opens with today's, and holds everything: `helpers/kept-data.ts`.

const kept = await keptData(t);
const { told } = kept;
const smtp = await mailServer(t, { login: { userName: 'gate', password: 'open wheat' } });
const over = (t: Parameters<typeof gatewayOverKept>[0], more = {}) =>
  gatewayOverKept(t, kept, { smtpPort: smtp.port, ...more });

const words = { appid: told.wordsId };
const ofSource = { ...words, opid: told.source };
const ofCount = { ...words, opName: 'count' };
const recorded = { ...words, opid: told.countId, id: told.recording };
const ofContainer = { ...words, containerId: told.containerId };
const wordy = { owner: 'ada', name: 'wordy', version: '1.0.0' };
const counting = { owner: 'ada', name: 'counting', version: '2.1.0' };
const slower = { user: 'ada', name: 'slower' };

const textOf = (answer: unknown) => {
  if (!(answer instanceof Response)) throw new Error('text was expected');
  return answer.text();
};
const digestOf = async (answer: Response) =>
  createHash('sha256')
    .update(Buffer.from(await answer.arrayBuffer()))
    .digest('hex');

/** Asked as the earlier state was asked. */
const questionsOf = (ada: Client, admin: Client): Readonly<Record<string, () => Promise<unknown>>> => ({
  getApplication: () => ada.getApplication({ params: words }),
  getApplicationMetrics: () => ada.getApplicationMetrics({ params: words }),
  getApplicationPermissions: () => ada.getApplicationPermissions({ params: words }),
  getApplicationAttributes: () => ada.getApplicationAttributes({ params: words }),
  getLogicalPlan: () => ada.getLogicalPlan({ params: words }),
  listLogicalOperators: () => ada.listLogicalOperators({ params: words }),
  getOperatorProperties: () => ada.getOperatorProperties({ params: { ...words, opName: 'source' } }),
  getOperatorStatsMeta: () => ada.getOperatorStatsMeta({ params: ofCount }),
  listOperatorStats: () => ada.listOperatorStats({ params: ofCount }),
  getPhysicalPlan: () => ada.getPhysicalPlan({ params: words }),
  getPhysicalOperatorProperties: () => ada.getPhysicalOperatorProperties({ params: ofSource }),
  getDeployHistory: () => ada.getDeployHistory({ params: ofSource }),
  listContainers: () => ada.listContainers({ params: words }),
  getContainerStatsMeta: () => ada.getContainerStatsMeta({ params: words }),
  listContainerStats: () => ada.listContainerStats({ params: words }),
  listLogs: () => ada.listLogs({ params: ofContainer }),
  readLog: async () => textOf(await ada.readLog({ params: { ...ofContainer, logName: 'headgate.log' } })),
  listEvents: () => ada.listEvents({ params: words, query: { limit: 1000 } }),
  listApplicationRecordings: () => ada.listApplicationRecordings({ params: words }),
  getRecording: () => ada.getRecording({ params: recorded }),
  getRecordedTuples: () => ada.getRecordedTuples({ params: recorded }),
  getProfile: () => ada.getProfile(),
  listOwnSettings: () => ada.listOwnSettings(),
  listUsers: () => admin.listUsers(),
  listRoles: () => admin.listRoles(),
  listTokens: () => admin.listTokens(),
  getAuthConfig: () => admin.getAuthConfig(),
  getGroupMapping: () => admin.getGroupMapping(),
  listProperties: () => admin.listProperties(),
  getSmtpConfig: () => admin.getSmtpConfig(),
  getUsageSwitch: () => admin.getUsageSwitch(),
  getCurrentLicense: () => admin.getCurrentLicense(),
  listAlertHistory: () => admin.listAlertHistory(),
  listPackages: () => ada.listPackages(),
  getPackage: () => ada.getPackage({ params: wordy }),
  getPackageConfig: async () =>
    textOf(await ada.getPackageConfig({ params: { ...wordy, configName: 'quick.xml' } })),
  getPackagePermissions: () => ada.getPackagePermissions({ params: wordy }),
  listConfigPackages: () => ada.listConfigPackages(),
  getConfigPackage: () => ada.getConfigPackage({ params: slower }),
  getService: () => admin.getService({ params: { name: 'idle' } }),
  listAudit: () => admin.listAudit({ query: { limit: 1000, before: String(Number(told.lastAudit) + 1) } }),
});

/** What tells of the moment, the folder and the server of then; two are told since. */
const ofThen: Readonly<Record<string, readonly string[]>> = {
  getApplication: ['observedAt', 'appPath', 'gatewayAddress', 'trackingUrl'],
  getCurrentLicense: ['currentTime'],
};
/** Permissions that there were not, and that shipped roles have since. */
const sinceThen = ['PLAN_APPS'];
const withoutNew = (answer: unknown): unknown =>
  JSON.parse(
    JSON.stringify(answer, (key, value: unknown) =>
      key === 'permissions' && Array.isArray(value)
        ? value.filter((name: unknown) => !sinceThen.some((one) => one === name))
        : value,
    ),
  );
const wanted = (name: string): unknown =>
  JSON.parse(
    JSON.stringify(told.answers[name], (key, value) => (ofThen[name]?.includes(key) ? undefined : value)),
  );

async function answersAsThen(t: Test, ada: Client, admin: Client): Promise<void> {
  const questions = questionsOf(ada, admin);
  t.strictSame(Object.keys(questions).sort(), Object.keys(told.answers).sort());
  for (const [name, ask] of Object.entries(questions)) t.has(withoutNew(await ask()), wanted(name), name);
}

t.test('opened for the first time', async (t) => {
  const { gateway, login, newClient, logs } = await over(t);
  const admin = await login('admin', passwords.admin);
  const ada = await login('ada', passwords.ada);
  await t.test('each answer is what it was', (t) => answersAsThen(t, ada, admin));

  await t.test('people come in as they did', async (t) => {
    await refuses(t, login('ada', 'engine no. 2'), { status: 401 });
    t.match(await (await login('bob', passwords.bob)).getProfile(), { roles: ['auditor'] });
    const byToken = newClient({ token: told.token });
    t.match(await byToken.getProfile(), { userName: 'ada', permissions: ['LAUNCH_APPS'] });
    const lena = await login('lena', 'lena of the directory');
    t.match(await lena.getProfile(), { authScheme: 'ldap', roles: ['admin'] });
    const nils = await login('nils', 'nils of the directory');
    t.match(await nils.getProfile(), { roles: ['developer'] }, 'lena was the first already');
  });

  await t.test('packages are what was uploaded', async (t) => {
    t.equal(await digestOf(await ada.downloadPackage({ params: wordy })), told.wordyDigest);
    t.equal(await digestOf(await ada.downloadPackage({ params: counting })), told.countingDigest);
    t.equal(await digestOf(await ada.downloadConfigPackage({ params: slower })), told.configDigest);
    const app = await ada.getPackageApplication({ params: { ...wordy, appName: 'words' } });
    t.match(app, {
      displayName: 'Words',
      defaultProperties: { 'dt.operator.source.prop.tuplesPerSecond': '60' },
    });
    t.same(
      app.dag?.operators.map(({ name }) => name),
      ['source', 'count', 'hub'],
    );
    const operator = (params: typeof wordy, classname: string) =>
      ada.getPackageOperator({ params: { ...params, classname } });
    t.match(await operator(counting, 'kept.Numbers'), { title: 'Numbers' });
    t.match(await operator({ ...wordy, name: 'jarred' }, 'org.example.Words'), { name: 'org.example.Words' });
  });

  await t.test('alerts are as they were, and mails that waited are sent, each once', async (t) => {
    await until(
      () => smtp.received.length,
      (count) => count >= 2,
    );
    const alert = async (name: string) => admin.getAlert({ params: { name } });
    await until(
      async () =>
        (await Promise.all(['unsent', 'untold'].map(alert))).every((one) => one.alertStatus.emailSent),
      (isSent) => isSent,
    );
    t.strictSame(
      smtp.received.map(({ email, user, recipients }) => [email.subject, user, ...recipients]).sort(),
      ['unsent', 'untold'].map((name) => [`[Headgate] Alert "${name}" in effect`, 'gate', 'ops@example.org']),
    );
    const active = await alert('active');
    t.match(active, { owner: 'admin', condition: '_topic["test.active"].temperature > 20', disabled: false });
    t.match(active.alertStatus, { isInAlert: true, inTime: told.activeSince, emailSent: true });
    t.match(await alert('over'), { alertStatus: { isInAlert: false } });
    t.match(await alert('off'), { disabled: true, alertStatus: { isInAlert: false } });
    t.match(await admin.getAlertTemplate({ params: { name: 'too hot' } }), {
      description: 'Over a limit',
      parameters: [{ variable: 'limit', default: '20' }],
      script: '_topic["test.room"].temperature > {{limit}}',
    });
    await refuses(t, admin.getAlertTemplate({ params: { name: told.shippedTemplate } }), { status: 404 });
  });

  await t.test('what the end of the host cut short is told', async (t) => {
    const { records } = await admin.listAudit({ query: { result: 'unknown' } });
    t.match(records, [{ operation: 'putSetting', userName: 'ada', target: /cut-short$/ }]);
    t.equal(records.length, 1);
    const cut = await ada.getApplication({ params: { appid: told.countingId } });
    t.match(cut, { state: 'FAILED', finalStatus: 'FAILED', appPackageSource: { name: 'counting' } });
    t.match(
      (await ada.getFailureRootCause({ params: { appid: told.countingId } })).content,
      /host process stopped/,
    );
    t.equal((await ada.getPhysicalPlan({ params: { appid: told.countingId } })).operators.length, 2);
    const beacon = await until(
      () => admin.getService({ params: { name: 'beacon' } }),
      ({ state }) => state === 'RUNNING',
    );
    t.match(beacon, { metadata: { color: 'blue' }, proxy: { requestHeaders: { 'X-Team': '${color}' } } });
    t.not(beacon.containerId, told.beaconId, 'a new one in place of the one that is gone');
  });

  t.equal(gateway.property('example.secret.password'), 'open rye');
  t.equal((await admin.getUsageReport()).metrics.startTime, told.installedAt);
  t.match(await admin.getHealth(), { status: 'ok' });
  t.strictSame(
    logs.filter(({ level }) => level === 'error'),
    [],
  );
});

t.test('opened again, applications go on from their saved state', async (t) => {
  const { login } = await over(t);
  const admin = await login('admin', passwords.admin);
  const ada = await login('ada', passwords.ada);
  await goesOn(t, ada);
  const { appId } = await ada.restartApplication({ params: words });
  const { operators } = await untilItRuns(ada, appId);
  t.strictSame(operators.map(({ name }) => name).sort(), ['console', 'count', 'hub', 'source']);
  const { tuplesPerSecond } = await ada.getOperatorProperties({
    params: { appid: appId, opName: 'source' },
  });
  t.equal(tuplesPerSecond, 40);
  await ada.killApplication({ params: { appid: appId } });
  await untilState(ada, appId, 'KILLED');
  t.match(await ada.getApplication({ params: words }), { state: 'FINISHED', name: 'Kept words' });
  t.equal(smtp.received.length, 2);
  t.match(await admin.getService({ params: { name: 'beacon' } }), { enabled: true });
});

/** Each number once, also around the moment at which the host was killed. */
async function goesOn(t: Test, ada: Client): Promise<void> {
  const files = join(kept.directory, 'engine/files/counting');
  const written = async () => {
    const texts = await Promise.all(
      (await readdir(files)).sort().map((file) => readFile(join(files, file), 'utf8')),
    );
    return texts
      .join('')
      .split('\n')
      .slice(0, -1)
      .map((line): unknown => JSON.parse(line));
  };
  const before = (await written()).length;
  const { appId } = await ada.restartApplication({ params: { appid: told.countingId } });
  await until(written, ({ length }) => length > before + 50);
  await ada.shutdownApplication({ params: { appid: appId } });
  await untilState(ada, appId, 'FINISHED');
  const lines = await written();
  t.strictSame(
    lines,
    lines.map((_, n) => ({ n })),
  );
}

t.test('and once more, with the properties in the storage', async (t) => {
  const { gateway, login } = await over(t, { site: undefined });
  t.equal(gateway.property('example.color'), 'green');
  t.equal(gateway.property('example.secret.password'), 'open barley');
  const ada = await login('ada', passwords.ada);
  t.has(await ada.getRecordedTuples({ params: recorded }), wanted('getRecordedTuples'));
  t.match(await ada.getSetting({ params: { user: 'ada', key: 'theme' } }), { value: 'dark' });
});
