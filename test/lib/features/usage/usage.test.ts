import { createServer } from 'node:http';
import t from 'tap';
import { memoryStorage } from '../../../../adapters/storage/memory.js';
import {
  periodMillis,
  sampled,
  turned,
  type Usage,
  usageFrom,
  usageMetricsOf,
} from '../../../../lib/features/usage/periods.js';
import { createUsageService } from '../../../../lib/features/usage/service.js';
import { silent } from '../../../../lib/options.js';
import { filesystemStorage } from '../../../../packages/level/index.js';
import { refuses } from '../../../helpers/accounts.js';
import { engineGateway } from '../../../helpers/applications.js';
import { emptyCluster } from '../../../helpers/empty-cluster.js';
import { testFolder } from '../../../helpers/folder.js';
import { newGateway } from '../../../helpers/gateway.js';
import { listening } from '../../../helpers/listening.js';
import { as } from '../../../helpers/people.js';
import { until } from '../../../helpers/waiting.js';

// `docs/decisions.md`, The usage report.

const zeros = await emptyCluster().resourceManager.metrics();
const day = periodMillis;
const start = Date.UTC(2026, 0, 1);
const hour = 3_600_000;

const measured = (usage: Usage, time: number, metrics: Partial<typeof zeros> = {}) =>
  sampled(usage, { time, upMillis: 60_000, metrics: { ...zeros, ...metrics } });

t.test('samples add up to averages, bounds and counts', async (t) => {
  let usage = usageFrom(start);
  usage = measured(usage, start + 1, {
    numAppsRunning: 2,
    averageAge: 100,
    currentMemoryAllocatedMB: 512,
    numAppsFinished: 7,
    numContainers: 4,
    tuplesEmittedPSMA: 10,
  });
  usage = measured(usage, start + 2, {
    numAppsRunning: 1,
    averageAge: 300,
    currentMemoryAllocatedMB: 256,
    numAppsFinished: 9,
    numContainers: 2,
    tuplesEmittedPSMA: 20,
  });
  usage = measured(usage, start + 3, { numAppsFinished: 1 });
  t.match(usageMetricsOf('current', usage.current), {
    period: 'current',
    startTime: start,
    endTime: start + 3,
    gatewayUpTimeMills: 180_000,
    appsRunningMax: 2,
    appsRunningMin: 0,
    appsRunningAvg: 1,
    ageOfAppsAvg: 400 / 3,
    memMBMax: 512,
    memMBMin: 0,
    currentMemoryAllocatedMB: 0,
    numAppsFinished: 2,
    numOfContainersAvg: 2,
    tuplesEmittedPSMA: 10,
  });
  t.match(
    usageMetricsOf('current', usageFrom(start).current),
    { appsRunningAvg: 0, memMBMin: 0 },
    'none yet',
  );
});

t.test('what a cluster does not tell is in no average', async (t) => {
  const untold = { cpuPercentage: undefined, tuplesEmittedPSMA: undefined };
  let usage = measured(usageFrom(start), start + 1, untold);
  t.notOk('cpuPercentage' in usageMetricsOf('current', usage.current));
  usage = measured(usage, start + 2, { ...untold, tuplesEmittedPSMA: 30 });
  t.equal(usageMetricsOf('current', usage.current).tuplesEmittedPSMA, 30);
  t.equal(usageMetricsOf('current', usage.current).cpuPercentage, undefined);
});

t.test('periods are 24 hours each, one after the other', async (t) => {
  let usage = measured(usageFrom(start), start + hour, { numAppsRunning: 3 });
  t.equal(turned(usage, start + day - 1), usage);
  usage = measured(usage, start + day + hour, { numAppsRunning: 1 });
  t.match(usage, {
    isUnsent: true,
    previous: { startTime: start, endTime: start + day, samples: 1, appsRunning: { max: 3 } },
    current: { startTime: start + day, samples: 1, appsRunning: { max: 1 } },
    total: { startTime: start, samples: 2, appsRunning: { max: 3, min: 1 } },
  });
  const late = turned(usage, start + 5 * day + hour);
  t.match(late.previous, { startTime: start + 4 * day, samples: 0 }, 'while nobody measured');
  t.match(late.current, { startTime: start + 5 * day, samples: 0 });
  t.equal(turned(usage, start - day), usage, 'a clock that was set back ends none');
});

t.test('on a living engine', async (t) => {
  const { newClient } = await engineGateway(t);
  const admin = newClient(as('root', 'admin'));
  const report = await admin.getUsageReport({ query: {} });
  t.match(report, {
    numNodesInCluster: 1,
    'platform.version': '0.1.0',
    'engine.version': '0.1.0',
    'cluster.version': process.version,
    'java.vendor': 'Node.js',
    'java.version': process.version,
    metrics: { period: 'total', appsRunningMax: 0 },
  });
  t.ok(report.metrics.endTime >= report.metrics.startTime);
  t.match(await admin.getUsageReport({ query: { period: 'current' } }), { metrics: { period: 'current' } });
  await refuses(t, admin.getUsageReport({ query: { period: 'previous' } }), { status: 404 });
  // @ts-expect-error: there is no such period
  await refuses(t, admin.getUsageReport({ query: { period: 'week' } }), { status: 400 });

  t.strictSame(await admin.getUsageSwitch(), { value: 'true' });
  await admin.putUsageSwitch({ body: { value: false } });
  t.strictSame(await admin.getUsageSwitch(), { value: 'false' });
  t.match(await admin.listProperties(), {
    'platform.phoneHome.enable': { value: 'false', scope: 'TRANSIENT' },
  });
  // @ts-expect-error: neither true nor false
  await refuses(t, admin.putUsageSwitch({ body: { value: 'perhaps' } }), { status: 400 });
  await admin.deleteUsageSwitch();
  t.strictSame(await admin.getUsageSwitch(), { value: 'true' });
});

t.test('the total outlives the host, and counts from the installation', async (t) => {
  const directory = testFolder(t);
  const clock = { now: () => start + moment, monotonic: () => performance.now() };
  let moment = 0;
  const living = async (numAppsRunning: number) => {
    const cluster = emptyCluster();
    const metrics = async () => ({ ...zeros, numAppsRunning });
    return newGateway(t, {
      storage: await filesystemStorage({ directory }),
      cluster: { ...cluster, resourceManager: { ...cluster.resourceManager, metrics } },
      clock,
    });
  };
  const first = await living(3);
  t.match((await first.client.getUsageReport({ query: {} })).metrics, {
    startTime: start,
    appsRunningMax: 3,
  });
  await first.gateway.close();
  moment = day + hour;
  const second = await living(1);
  t.match((await second.client.getUsageReport({ query: {} })).metrics, {
    period: 'total',
    startTime: start,
    endTime: start + day + hour,
    appsRunningMax: 3,
    appsRunningMin: 1,
    appsRunningAvg: 2,
  });
  t.match((await second.client.getUsageReport({ query: { period: 'previous' } })).metrics, {
    startTime: start,
    endTime: start + day,
    appsRunningAvg: 3,
  });
  t.match((await second.client.getUsageReport({ query: { period: 'current' } })).metrics, {
    startTime: start + day,
    appsRunningMax: 1,
  });
});

t.test('kept over restarts; sent only where it is told to, until it is taken', async (t) => {
  const storage = memoryStorage();
  const clock = { time: start, passed: 0 };
  const settings = new Map([['platform.phoneHome.enable', 'true']]);
  const bodies: string[] = [];
  let status = 503;
  const server = createServer(async (req, res) => {
    let body = '';
    for await (const chunk of req) body += chunk;
    bodies.push(body);
    res.writeHead(status).end('x'.repeat(100_000));
  });
  const { baseUrl, close } = await listening(server);
  t.teardown(close);
  const cluster = emptyCluster();
  let asked = 0;
  const { resourceManager } = cluster;
  const service = async () => {
    const usage = await createUsageService({
      documents: storage.documents,
      cluster: {
        ...cluster,
        resourceManager: {
          ...resourceManager,
          async metrics() {
            asked++;
            return { ...zeros, numAppsRunning: 2 };
          },
        },
      },
      properties: { value: (name) => settings.get(name), put: async () => {}, remove: async () => {} },
      licenses: {
        list: async () => [{ id: 'l-1', currentTime: start, valid: true, issuedTo: 'Ada' }],
        current: async () => ({
          currentTime: start,
          current: true,
          valid: true,
          expirationTimeNotificationLevel: 'INFO' as const,
        }),
      },
      clock: { now: () => clock.time, monotonic: () => clock.passed },
      logger: silent,
      platformVersion: '0.1.0',
      installTime: start,
      timeoutMillis: 1000,
      everyMillis: 2,
    });
    usage.open();
    return usage;
  };
  const rounds = async (count: number) => {
    const before = asked;
    await until(
      async () => asked,
      (now) => now >= before + count,
    );
  };
  const total = (usage: Awaited<ReturnType<typeof service>>) =>
    usage.report('total', new AbortController().signal);

  const first = await service();
  await rounds(3);
  clock.time += hour;
  await rounds(2);
  await first.close();
  const second = await service();
  t.match(await total(second), { licenseId: 'l-1', metrics: { startTime: start, endTime: start + hour } });
  clock.time += day;
  await rounds(3);
  t.match(await second.report('previous', new AbortController().signal), {
    metrics: { period: 'previous', endTime: start + day, appsRunningAvg: 2 },
  });
  t.strictSame(bodies, [], 'nothing leaves the machine');

  settings.set('platform.phoneHome.url', `${baseUrl}/usage`);
  await until(
    async () => bodies.length,
    (count) => count === 1,
  );
  await rounds(20);
  t.equal(bodies.length, 1, 'not again before a minute');
  status = 204;
  clock.passed += 61_000;
  await until(
    async () => bodies.length,
    (count) => count === 2,
  );
  clock.passed += 10 * hour;
  await rounds(20);
  t.equal(bodies.length, 2, 'once it was taken, no more');
  t.notMatch(bodies[1], 'Ada');
  t.match(JSON.parse(bodies[1] ?? ''), {
    license: { id: 'l-1', expirationTimeNotificationLevel: 'INFO' },
    metrics: { period: 'previous', appsRunningAvg: 2 },
  });

  settings.set('platform.phoneHome.enable', 'false');
  const before = asked;
  clock.time += day;
  await new Promise((resolve) => setImmediate(resolve));
  await second.report('current', new AbortController().signal);
  t.ok(asked - before <= 1, 'nothing is measured');
  await second.close();
});
