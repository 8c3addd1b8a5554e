import t from 'tap';
import { smtpMailer } from '../../../adapters/mail/smtp.js';
import { alertInput, isActive, smtpSettings } from '../../helpers/alerts.js';
import { untilItRuns } from '../../helpers/applications.js';
import { mailServer } from '../../helpers/mail-server.js';
import { pidOf } from '../../helpers/plan-changes.js';
import { certificate } from '../../helpers/tls-front.js';
import { until } from '../../helpers/waiting.js';
import { demoServer } from './demo-application.js';

// Alerts over what a real application says of itself: the demo application, which follows the access log of this server.

const { client, appid } = await demoServer(t, {
  mailer: smtpMailer({ ca: certificate }),
  alerts: { everyMillis: 250 },
});
const server = await mailServer(t);
await client.putSmtpConfig({ body: smtpSettings(server.port) });
await untilItRuns(client, appid);

const APP_NAME = 'Access log';
/** The engine's default: the application sets none. */
const windowMillis = 500;
const latency = async () => (await client.getApplication({ params: { appid } })).stats?.latency ?? 0;

/**
 * The latencies that are told until this number of windows has ended. A latency is an average over twenty, so they are
 * told anew with as many.
 */
async function untilWindows(count: number): Promise<number[]> {
  const latencies: number[] = [];
  const ask = async () => {
    const { stats } = await client.getApplication({ params: { appid } });
    latencies.push(stats?.latency ?? 0);
    return stats;
  };
  const now = (Date.now() - ((await ask())?.windowStartMillis ?? 0)) / windowMillis;
  await until(ask, (stats) => windowNumber(stats?.currentWindowId) > now + count);
  return latencies;
}
/** The lower half of a window's id. */
const windowNumber = (id = '0') => Number(BigInt.asUintN(32, BigInt(id)));

/**
 * What a machine that has far too much to do does to a process: it stands still for three of each four seconds. A load
 * of tuples would be another one on each machine, and beside other work of the same machine none at all.
 */
function starved(pid: number): { relieve(): void } {
  let resumed: NodeJS.Timeout | undefined;
  const standStill = () => {
    process.kill(pid, 'SIGSTOP');
    resumed = setTimeout(() => process.kill(pid, 'SIGCONT'), 3000);
  };
  standStill();
  const timer = setInterval(standStill, 4000);
  return {
    relieve() {
      clearInterval(timer);
      clearTimeout(resumed);
      process.kill(pid, 'SIGCONT');
    },
  };
}

t.test('the shipped templates over topics of a real application, in the process of scripts', async (t) => {
  const rows: readonly [template: string, values: Record<string, string | number>, result: boolean][] = [
    ['Cluster Memory Usage', { MEMORY_MB: 1 }, true],
    ['Cluster Memory Usage', { MEMORY_MB: '9999999' }, false],
    ['Cluster CPU Usage', { CPU_PERCENT: -1 }, true],
    ['Cluster CPU Usage', { CPU_PERCENT: 100 }, false],
    ['Application Memory Usage', { APP_NAME, MEMORY_MB: 1 }, true],
    ['Application Memory Usage', { APP_NAME: 'another', MEMORY_MB: 1 }, false],
    ['Application Execution Time', { APP_NAME, MINUTES: 0 }, true],
    ['Application Execution Time', { APP_NAME, MINUTES: 600 }, false],
    ['Active Containers Count', { APP_NAME, COMPARISON: 'equal', COUNT: 3 }, true],
    ['Active Containers Count', { APP_NAME: 'Acc.*', COMPARISON: 'less', COUNT: 3 }, false],
    ['Application Status', { APP_NAME, STATE: 'RUNNING' }, true],
    ['Application Status', { APP_NAME, STATE: 'ENDED' }, false],
    ['Application Status', { APP_NAME: 'another', STATE: 'ENDED' }, true],
    ['Application Container Killed', { APP_NAME }, false],
    ['Application Latency', { APP_NAME, LATENCY_MILLIS: '0' }, true],
    ['Application Latency', { APP_NAME, LATENCY_MILLIS: '9999999' }, false],
    ['Application Lag', { APP_NAME, LAG_SECONDS: -1 }, true],
    ['Application Lag', { APP_NAME, LAG_SECONDS: 600 }, false],
    ['Failed Containers Count', { APP_NAME }, false],
    ['Application Back-Pressure', { APP_NAME }, false],
    ['Application Checkpoint Age', { APP_NAME, MINUTES: 600 }, false],
    ['Application Restarts', { APP_NAME }, false],
  ];
  const { templates } = await client.listAlertTemplates();
  t.strictSame(
    [...new Set(rows.map(([template]) => template))].sort(),
    templates.map(({ name }) => name).sort(),
  );
  await until(latency, (millis) => millis > 0);
  for (const [template, values, result] of rows) {
    const found = await client.validateScript({ body: { template, values } });
    const row = `${template} ${JSON.stringify(values)}`;
    t.match(found, { valid: true, result, missingTopics: [] }, row, { found });
    const again = await client.validateScript({ body: { script: found.script ?? '' } });
    t.match(again, { valid: true, result }, `${row} as it would be saved`);
  }
});

t.test('a template that can not be filled', async (t) => {
  const refused = (body: object, message: RegExp, status = 400) =>
    t.rejects(client.validateScript({ body }), { status, message }, String(message));
  const template = 'Cluster CPU Usage';
  await refused({ template, values: { CPU_PERCENT: 'much' } }, /body\.values\.CPU_PERCENT: is no number/);
  await refused({ template }, /body\.values\.CPU_PERCENT: is missing/);
  await refused({ template: 'none' }, /no alert template "none"/, 404);
  await refused({}, /body\.script: is missing/);
  await refused({ script: 'true', template }, /body\.template: .*leave one/);
  await refused({ script: 'true', values: {} }, /body\.values: .*none is named/);
});

t.test('an alert on latency fires when a container is starved, and clears when it is relieved', async (t) => {
  // What is late on a machine, and on a busy one, is known by asking: as far from the one as from the other.
  const { containers } = await client.listContainers({ params: { appid } });
  const { operators } = await client.listPhysicalOperators({ params: { appid } });
  const ranking = operators.find(({ name }) => name === 'paths');
  const pid = pidOf(containers.find(({ id }) => id === ranking?.container));
  // The start of an application is late, too.
  await untilWindows(20);
  const without = Math.max(1, ...(await untilWindows(5)));
  const first = starved(pid);
  t.teardown(first.relieve);
  await untilWindows(20);
  const under = Math.min(...(await untilWindows(8)));
  t.comment(`${without} ms, ${under} ms while starved`);
  const LATENCY_MILLIS = Math.sqrt(without * under);
  first.relieve();
  await until(latency, (millis) => millis < LATENCY_MILLIS);
  const { script = '' } = await client.validateScript({
    body: { template: 'Application Latency', values: { APP_NAME, LATENCY_MILLIS } },
  });
  const params = { name: 'Slow' };
  await client.putAlert({ params, body: alertInput(script, { description: 'The access log is late' }) });
  const again = starved(pid);
  t.teardown(again.relieve);
  const fired = await until(() => client.getAlert({ params }), isActive);
  again.relieve();
  t.match(fired.alertStatus, { message: 'The access log is late' });
  t.match(await client.listAlerts({ query: { inAlert: true } }), { alerts: [{ name: 'Slow' }] });

  await until(
    () => client.getAlert({ params }),
    (alert) => !isActive(alert),
  );
  const mails = await until(
    async () => server.received.slice(1).map(({ email }) => email),
    ({ length }) => length >= 2,
  );
  t.strictSame(
    mails.slice(0, 2).map(({ subject }) => subject),
    ['[Headgate] Alert "Slow" in effect', '[Headgate] Alert "Slow" out of effect'],
  );
  t.match(mails[1]?.text, /Duration: \d+/);
  const { inTime } = fired.alertStatus;
  const { history } = await client.listAlertHistory();
  t.match(
    history.find((entry) => entry.inTime === inTime),
    { name: 'Slow', message: 'The access log is late', emailSent: true },
  );
});
