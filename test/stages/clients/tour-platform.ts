import type { Client } from '../../../lib/client.js';
import { licenseFeatures } from '../../../lib/index.js';
import { smtpSettings } from '../../helpers/alerts.js';
import { day, license } from '../../helpers/licenses.js';
import { mailServer } from '../../helpers/mail-server.js';
import { ownPort } from '../../helpers/ports.js';
import { until } from '../../helpers/waiting.js';
import { drained } from './tour-packages.js';

/** Nothing is launched without one. */
export async function tourLicenses(client: Client): Promise<void> {
  await client.addLicense({
    query: { filename: 'streams.jws' },
    body: license({
      startDate: Date.now(),
      expireTime: Date.now() + day,
      memoryMBAllowed: 100_000,
      features: [...licenseFeatures],
    }),
  });
  const { licenses } = await client.listLicenses();
  await client.getLicense({ params: { id: String(licenses[0]?.id) } });
  await client.getCurrentLicense();
}

/** What the platform is and how it is set up. */
export async function tourPlatform(t: Parameters<typeof mailServer>[0], client: Client): Promise<void> {
  await client.getOpenApi();
  await client.getAsyncApi();
  await client.getCapabilities();
  await client.getHealth();
  await client.getAbout();
  await client.getClusterMetrics();
  await client.getClusterConfig();
  await client.listQueues();
  await client.listConfigIssues();
  await client.getInstallMode();
  const { value } = await client.getClusterExecutable();
  await client.putClusterExecutable({ body: { value: String(value) } });
  await client.listIpAddresses();
  await drained(await client.getMetrics());
  const name = 'platform.example.retention';
  await client.setProperties({ body: { properties: [{ name, value: '7', description: 'days' }] } });
  await client.putProperty({ params: { PROPERTY_NAME: name }, body: { value: '14', description: 'days' } });
  await client.getProperty({ params: { PROPERTY_NAME: name } });
  await client.listProperties();
  await client.listKnownProperties();
  await client.deleteProperty({ params: { PROPERTY_NAME: name } });
  await client.putUsageSwitch({ body: { value: false } });
  await client.getUsageSwitch();
  await client.deleteUsageSwitch();
  await client.getUsageReport({ query: { period: 'current' } });
  await client.putSmtpConfig({ body: smtpSettings((await mailServer(t)).port) });
  await client.getSmtpConfig();
  await tourAlerts(client);
  await tourServices(client);
  await client.listAudit({ query: { limit: 2 } });
  await client.readTopic({ params: { topic: 'cluster.metrics' } });
}

async function tourAlerts(client: Client): Promise<void> {
  const template = { name: 'idle cluster' };
  await client.putAlertTemplate({
    params: template,
    body: {
      description: 'Fewer applications run than there should',
      parameters: [{ variable: 'least', label: 'At least', type: 'number' }],
      script: '_topic["cluster.metrics"].numAppsRunning < {{least}}',
    },
  });
  await client.getAlertTemplate({ params: template });
  await client.listAlertTemplates();
  const condition = '_topic["cluster.metrics"].numAppsRunning < 1';
  const alert = { name: 'nothing runs' };
  await client.validateScript({ body: { ...alert, script: condition } });
  await client.putAlert({
    params: alert,
    body: {
      condition,
      email: 'ops@example.org',
      description: 'Nothing runs any more',
      timeThresholdMillis: 60_000,
    },
  });
  await client.getAlert({ params: alert });
  await client.listAlerts();
  await client.listAlertHistory();
  await client.getTopicData();
  await client.deleteAlert({ params: alert });
  await client.deleteAlertTemplate({ params: template });
}

async function tourServices(client: Client): Promise<void> {
  const port = await ownPort();
  const program = `require("http").createServer((q,a)=>a.setHeader("content-type","application/json").end(JSON.stringify({asked:q.method}))).listen(${port},"127.0.0.1")`;
  const web = {
    type: 'container',
    description: 'Tells how it was asked',
    container: { run: `'${process.execPath}' -e '${program}'` },
    proxy: { address: `127.0.0.1:${port}` },
  } as const;
  const params = { name: 'web' };
  const untilIt = (state: string) =>
    until(
      () => client.getService({ params }),
      (service) => service.state === state,
    );
  await client.installServices({ body: [{ ...web, name: 'web' }], query: { async: true } });
  await until(
    () => client.listServices(),
    ({ services }) => services.some(({ state }) => state === 'RUNNING'),
  );
  const call = { params: { rest: 'web/status' }, headers: { 'content-type': 'application/json' } };
  await until(
    () => client.forwardServiceGet(call).catch(() => undefined),
    (answer) => answer !== undefined,
  );
  const body = '{}';
  await drained(await client.forwardServicePost({ ...call, body }));
  await drained(await client.forwardServicePut({ ...call, body }));
  await drained(await client.forwardServicePatch({ ...call, body }));
  await drained(await client.forwardServiceDelete(call));
  await client.stopService({ params });
  await untilIt('STOPPED');
  await client.changeService({ params, body: { ...web, description: 'Tells how it was asked, in JSON' } });
  await client.startService({ params });
  await untilIt('RUNNING');
  await client.putService({ params: { name: 'spare' }, body: { ...web, enabled: false } });
  await client.deleteService({ params: { name: 'spare' } });
}
