import { join } from 'node:path';
import t from 'tap';
import type { HostLaunch } from '../../../lib/index.js';
import { engineGateway, untilState } from '../../helpers/applications.js';
import { testFolder } from '../../helpers/folder.js';
import { op, stream } from '../../helpers/local-cluster.js';
import { as } from '../../helpers/people.js';
import { until } from '../../helpers/waiting.js';

// What an application's metrics say, by itself and after its end.

const operators = [new URL('../../fixtures/local-operators.js', import.meta.url)];

/** 3,000 numbers through three partitions that count what they see. */
const counted = (file: string): HostLaunch => ({
  user: 'ada',
  name: 'counted',
  application: {
    attributes: { STREAMING_WINDOW_SIZE_MILLIS: 100, HEARTBEAT_INTERVAL_MILLIS: 100 },
    operators: [
      op('source', 'Sequence', { total: 3000 }),
      op('journal', 'Journal', { file }, { PARTITIONER: 3 }),
      op('totals', 'Totals'),
    ],
    streams: [stream('source.out -> journal.in'), stream('journal.out -> totals.in')],
  },
});

t.setTimeout(240_000);

t.test('metrics of an operator are those of all its partitions together', async (t) => {
  const { gateway, newClient } = await engineGateway(t, { operators });
  const client = newClient(as('ada'));
  const appid = await gateway.launch(counted(join(testFolder(t), 'journal')));
  const app = await untilState(client, appid, 'FINISHED');
  const physical = await client.getPhysicalPlan({ params: { appid } });
  const parts = physical.operators.filter(({ logicalName }) => logicalName === 'journal');
  const seen = parts.map(({ counters }) => Number(counters?.['seen']));
  t.equal(seen.length, 3);
  t.ok(
    seen.every((value) => value > 0 && value < 3000),
    'none saw everything',
  );

  const { metrics } = await client.getApplicationMetrics({ params: { appid } });
  t.match(
    metrics.find(({ name }) => name === 'seen'),
    { type: 'number', values: { journal: 3000 } },
  );
  t.match(app.metrics, { journal: { seen: 3000 } }, 'in the detail too');
});

/** Decimals of all numbers in an answer. */
const decimalsIn = (answer: unknown): number =>
  Math.max(
    0,
    ...[...JSON.stringify(answer).matchAll(/[:[]-?\d+\.(\d+)/g)].map(([, digits = '']) => digits.length),
  );

t.test('totals, addresses and rounded rates, while it runs and after its end', async (t) => {
  const { baseUrl, gateway, newClient } = await engineGateway(t, { operators });
  const client = newClient(as('ada', 'admin'));
  const application = counted(join(testFolder(t), 'journal'));
  const [source, ...others] = application.application.operators;
  const appid = await gateway.launch({
    ...application,
    application: {
      ...application.application,
      operators: [{ ...source, ...op('source', 'Sequence', { total: -1, perSecond: 300 }) }, ...others],
    },
  });
  const params = { appid };
  const get = async (path: string) => (await fetch(new URL(path, `${baseUrl}/`), as('ada', 'admin'))).status;
  const app = await until(
    () => client.getApplication({ params }),
    ({ stats }) => (stats?.totalTuplesProcessed ?? 0) > 2000,
  );
  t.equal(app.gatewayAddress, new URL(baseUrl).host);
  for (const url of [app.trackingUrl, app.appMasterTrackingUrl]) t.equal(await get(url), 200, url);
  const { containers } = await client.listContainers({ params });
  for (const { containerLogsUrl } of containers) t.equal(await get(containerLogsUrl), 200, containerLogsUrl);
  for (const answer of [
    app.stats,
    await client.listLogicalOperators({ params }),
    await client.getPhysicalPlan({ params }),
    await client.getClusterMetrics(),
  ])
    t.ok(decimalsIn(answer) <= 2, 'no noise behind the second decimal');
  t.ok((app.stats?.lag ?? Infinity) < 10_000, 'it keeps up');

  await client.shutdownApplication({ params });
  const last = await untilState(client, appid, 'FINISHED');
  t.match(last.stats, { allocatedContainers: 0, lag: 0, tuplesProcessedPSMA: 0, numOperators: 6 });
  t.ok((last.stats?.totalTuplesProcessed ?? 0) >= (app.stats?.totalTuplesProcessed ?? Infinity));
  t.equal(await get(last.trackingUrl), 200);
  t.equal(last.appMasterTrackingUrl, '', 'no master runs any more');
});

t.test('what waits for a slow operator is at its input, wherever it waits', async (t) => {
  const { gateway, newClient } = await engineGateway(t, {
    operators,
    limits: { queueBytes: 32 * 1024 ** 2 },
  });
  const client = newClient(as('ada'));
  const appid = await gateway.launch({
    user: 'ada',
    name: 'slow',
    application: {
      attributes: { STREAMING_WINDOW_SIZE_MILLIS: 100, HEARTBEAT_INTERVAL_MILLIS: 100 },
      operators: [
        op('source', 'Sequence', { total: -1, perSecond: 3000, width: 1000 }),
        op('swift', 'Waiter', { millis: 0 }),
        op('slow', 'Waiter', { millis: 20 }),
      ],
      streams: [stream('source.out -> swift.in'), stream('swift.out -> slow.in')],
    },
  });
  const params = { appid };
  const queues = async () => {
    const plan = await client.getPhysicalPlan({ params });
    return Object.fromEntries(
      plan.operators.flatMap(({ name, ports }) =>
        ports.map((port) => [`${name}.${port.name}`, port.queueSizeMA ?? Number.NaN] as const),
      ),
    );
  };
  // More than the buffers of the reader and of the system hold: the rest waits at the source. Who keeps up has a queue for
  // as long as a busy machine lets it wait.
  const found = await until(
    queues,
    ({ 'slow.in': slow = 0, 'swift.in': swift = Infinity }) => slow > 6000 && swift < slow / 4,
  );
  t.match(found, { 'source.out': 0, 'swift.out': 0 }, 'and nobody else is blamed');
  await client.killApplication({ params });
});

t.test('an operator that hangs is told of at the first look', async (t) => {
  let later = 0;
  const clock = { now: () => Date.now() + later, monotonic: () => performance.now() };
  const { gateway, newClient } = await engineGateway(t, { operators }, { clock });
  const client = newClient(as('ada'));
  const appid = await gateway.launch({
    user: 'ada',
    name: 'hangs',
    application: {
      attributes: { STREAMING_WINDOW_SIZE_MILLIS: 100, HEARTBEAT_INTERVAL_MILLIS: 100 },
      operators: [
        op('source', 'Sequence', { total: -1, perSecond: 100 }),
        op('waiter', 'Waiter', { millis: 3_600_000 }),
      ],
      streams: [stream('source.out -> waiter.in')],
    },
  });
  const params = { appid };
  await until(
    () => client.getPhysicalPlan({ params }),
    ({ operators: [source, waiter] }) =>
      waiter?.status === 'ACTIVE' &&
      waiter.currentWindowSince !== undefined &&
      Number(source?.totalTuplesEmitted) > 50,
  );
  later = 60_000;
  const { issues } = await client.listApplicationIssues({ params });
  t.match(issues, [
    { key: 'OPERATOR_BLOCKED', severity: 'error', description: /No progress for \d\d s.*waiter/ },
  ]);
});

t.test('a backlog is told as lag, and a stop that takes long as what it is', async (t) => {
  const { gateway, newClient } = await engineGateway(t, { operators });
  const client = newClient(as('ada'));
  const appid = await gateway.launch({
    user: 'ada',
    name: 'late',
    application: {
      attributes: { STREAMING_WINDOW_SIZE_MILLIS: 100, HEARTBEAT_INTERVAL_MILLIS: 100 },
      operators: [
        op('source', 'Sequence', { total: -1, perSecond: 200 }),
        op('slow', 'Waiter', { millis: 50 }),
      ],
      streams: [stream('source.out -> slow.in')],
    },
  });
  const params = { appid };
  // What waits takes it many seconds. A machine that is busy makes it late before, and has it end at once.
  await until(
    () => client.getPhysicalPlan({ params }),
    ({ operators: [source, slow] }) =>
      Number(source?.totalTuplesEmitted) - Number(slow?.totalTuplesProcessed) > 400,
  );
  const late = await until(
    () => client.getApplication({ params }),
    ({ stats }) => (stats?.lag ?? 0) > 2000,
  );
  t.match(late, { state: 'RUNNING', diagnostics: '' });
  await client.shutdownApplication({ params });
  const stopping = await client.getApplication({ params });
  t.match(stopping, {
    state: 'RUNNING',
    diagnostics: /^Shutting down for \d+ s: .* of 2 operators still work$/,
  });
  const { events } = await client.listEvents({ params });
  t.equal(events.filter(({ type }) => type === 'ShutdownApplication').length, 1);
  await client.killApplication({ params });
  t.match(await untilState(client, appid, 'KILLED'), { diagnostics: 'Killed on request' });
});
