import { tracingChannel } from 'node:diagnostics_channel';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { buildInfo } from '../../../../lib/build.js';
import { version } from '../../../../lib/version.js';
import { refuses } from '../../../helpers/accounts.js';
import { alertInput } from '../../../helpers/alerts.js';
import { engineGateway, untilItRuns, words } from '../../../helpers/applications.js';
import { newGateway } from '../../../helpers/gateway.js';
import { as } from '../../../helpers/people.js';
import { until } from '../../../helpers/waiting.js';

// docs/operations.md: what a scrape of a living gateway says.

const page = readFileSync(join(import.meta.dirname, '../../../../../docs/operations.md'), 'utf8');

/** Series to value. */
const numbers = (text: string): ReadonlyMap<string, number> =>
  new Map(
    text
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]),
  );

t.test('a scrape tells of requests, sockets, rounds, processes and calls', async (t) => {
  const { baseUrl, gateway, newClient } = await engineGateway(t, {}, { alerts: { everyMillis: 1000 } });
  const root = newClient(as('root', 'admin'));
  const scrape = async () => {
    const answer = await fetch(`${baseUrl}/ws/v2/metrics`, as('root', 'admin'));
    t.equal(answer.headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8');
    return answer.text();
  };
  const appid = await gateway.launch(words());
  await untilItRuns(root, appid);
  await new Promise((resolve) => root.subscribe('cluster.metrics', resolve));
  await refuses(t, root.getApplication({ params: { appid: 'application_1_0001' } }), { status: 404 });
  await refuses(t, newClient(as('eve')).getClusterMetrics(), { status: 403 });
  await root.putAlert({ params: { name: 'never' }, body: alertInput('false') });
  const text = await until(scrape, (said) => /alert_rounds_total\{outcome="ok"\} [1-9]/.test(said));

  const found = numbers(text);
  const least: readonly [string, number][] = [
    ['headgate_http_requests_total{operation="getApplication",status="404"}', 1],
    ['headgate_http_requests_total{operation="getClusterMetrics",status="403"}', 1],
    ['headgate_http_request_seconds_count{operation="getPhysicalPlan"}', 1],
    ['headgate_hub_sockets', 1],
    ['headgate_hub_topics', 1],
    ['headgate_hub_received_messages_total', 1],
    ['headgate_hub_sent_messages_total', 1],
    ['headgate_alert_child_processes', 1],
    ['headgate_cluster_child_processes', 1],
    ['headgate_alert_round_seconds_count', 1],
    ['headgate_storage_calls_total{call="documents.write",outcome="ok"}', 1],
    ['headgate_cluster_calls_total{call="resourceManager.metrics",outcome="ok"}', 1],
    ['headgate_cluster_calls_total{call="resourceManager.launcher.launch",outcome="ok"}', 1],
    ['headgate_cluster_calls_total{call="master.physicalPlan",outcome="ok"}', 1],
    ['headgate_cluster_calls_total{call="resourceManager.getApplication",outcome="NOT_FOUND"}', 1],
    ['headgate_cluster_call_seconds_count{call="resourceManager.metrics"}', 1],
    [`headgate_build_info{version="${version}",revision="${buildInfo.revision}"}`, 1],
    ['process_cpu_seconds_total', 0.01],
    ['process_start_time_seconds', 1_000_000_000],
    ['process_resident_memory_bytes', 1_000_000],
    ['nodejs_heap_size_used_bytes', 1_000_000],
    ['nodejs_heap_space_size_used_bytes{space="old"}', 1],
    ['nodejs_eventloop_time_seconds_total{state="active"}', 0.01],
    [
      `nodejs_version_info{version="${process.version}",${process.versions.node
        .split('.')
        .map((number, at) => `${['major', 'minor', 'patch'][at]}="${number}"`)
        .join(',')}}`,
      1,
    ],
    ...(process.platform === 'linux'
      ? ([
          ['process_open_fds', 3],
          ['process_max_fds', 3],
        ] satisfies [string, number][])
      : []),
  ];
  for (const [series, value] of least)
    t.ok((found.get(series) ?? 0) >= value, `${series} ${found.get(series)}`);
  for (const [series, value] of found) t.ok(value >= 0, series);
  t.notMatch(text, appid, 'nobody’s ids: they would grow without end');

  const names = [...text.matchAll(/^# TYPE (\S+) /gm)].map(([, name = '']) => name);
  t.equal(new Set(names).size, names.length);
  t.strictSame(
    names.filter((name) => !page.includes(`\`${name}\``)),
    [],
    'docs/operations.md has them all',
  );
});

t.test('what blocks the event loop is seen by the next scrape', async (t) => {
  const { baseUrl } = await newGateway(t, { auth: 'none' });
  const scrape = async () => numbers(await (await fetch(`${baseUrl}/ws/v2/metrics`)).text());
  await scrape();
  const blockedMillis = 300;
  const seen = await until(
    async () => {
      const end = performance.now() + blockedMillis;
      while (performance.now() < end);
      return scrape();
    },
    (found) => (found.get('nodejs_eventloop_lag_max_seconds') ?? 0) > 0.2,
  );
  t.ok((seen.get('nodejs_eventloop_lag_p50_seconds') ?? -1) >= 0);
});

t.test('a request is traced from its beginning to its answer', async (t) => {
  const { newClient } = await engineGateway(t);
  const told: unknown[] = [];
  const channel = tracingChannel('headgate.request');
  const none = () => {};
  const subscribers = {
    start: (context: object) => told.push({ ...context }),
    asyncEnd: (context: object) => told.push({ ...context }),
    end: none,
    asyncStart: none,
    error: none,
  };
  channel.subscribe(subscribers);
  t.teardown(() => channel.unsubscribe(subscribers));
  await newClient(as('root', 'admin')).listApplications();
  t.match(told, [
    { method: 'GET', path: '/ws/v2/applications', requestId: /^[0-9a-f-]{36}$/ },
    { method: 'GET', operation: 'listApplications', status: 200 },
  ]);
});
