import { join } from 'node:path';
import { Readable } from 'node:stream';
import t from 'tap';
import type { Master } from '../../../lib/driver-kit.js';
import type { HostLaunch } from '../../../lib/index.js';
import { faultyCluster } from '../../doubles/cluster.js';
import { engineGateway, untilState } from '../../helpers/applications.js';
import { testFolder } from '../../helpers/folder.js';
import { newGateway } from '../../helpers/gateway.js';
import { fixtures, op, stream } from '../../helpers/local-cluster.js';
import { as, people } from '../../helpers/people.js';
import { statsSample } from '../../helpers/stats-sample.js';
import { until } from '../../helpers/waiting.js';

const launch = (name: string, application: HostLaunch['application']): HostLaunch => ({
  user: 'ada',
  name,
  application: {
    ...application,
    attributes: {
      STREAMING_WINDOW_SIZE_MILLIS: 100,
      HEARTBEAT_INTERVAL_MILLIS: 200,
      ...application.attributes,
    },
  },
});
const source = op('source', 'Sequence', { total: -1, perSecond: 200 });

t.test('on the living engine', async (t) => {
  const { gateway, newClient } = await engineGateway(t, { operators: [fixtures] });
  const client = newClient(as('ada', 'developer'));
  const folder = testFolder(t);
  const issuesOf = async (appid: string) =>
    (await client.listApplicationIssues({ params: { appid } })).issues;

  t.test('the operator that failed first is the cause, not those that followed', async (t) => {
    const appid = await gateway.launch(
      launch('follow', {
        attributes: { MAX_CONTAINER_FAILURES: 2 },
        operators: [
          source,
          op('first', 'Trouble', { at: 5, once: join(folder, 'once') }),
          op('follower', 'Trouble', { at: 20 }),
        ],
        streams: [stream('source.out -> first.in'), stream('first.out -> follower.in')],
      }),
    );
    await untilState(client, appid, 'FAILED');
    const { title, content } = await client.getFailureRootCause({ params: { appid } });
    t.equal(title, 'FC_OPERATOR_ERROR');
    const [cause = '', rest = ''] = content.split('## Diagnostics');
    t.match(cause, /^## Cause\n\n```\nError: Trouble at tuple 5\n```/);
    t.match(cause, /- Operator: ` first `\n- Operator id: ` 2 `\n- Container: ` container_/);
    t.match(cause, /at .*Trouble\.process|at Trouble\.#happen/, 'the stack');
    t.match(cause, /## Log\n\n```\n[\s\S]*Operator 2 failed/, 'the last log lines');
    t.match(rest, /Trouble at tuple 20/, 'what followed is told, too');
    const guest = newClient(as('ada'));
    const without = (await guest.getFailureRootCause({ params: { appid } })).content;
    t.match(without, /Trouble at tuple 5/);
    t.notMatch(without, /## Log/, 'logs are for those with the permission');
  });

  t.test('a container that fails again and again is an issue, and names its operator', async (t) => {
    const appid = await gateway.launch(
      launch('again', {
        attributes: { MAX_CONTAINER_FAILURES: 100 },
        operators: [source, op('thrower', 'Trouble', { at: 3 })],
        streams: [stream('source.out -> thrower.in')],
      }),
    );
    const issues = await until(
      () => issuesOf(appid),
      (issues) => issues.some(({ key, severity }) => key === 'CONTAINER_FAILURES' && severity === 'error'),
    );
    t.match(
      issues.find(({ key }) => key === 'CONTAINER_FAILURES')?.description,
      /^\d+ containers ended within the last 10 minutes; operators that failed with them: thrower \(2\)/,
    );
    await client.killApplication({ params: { appid } });
    await untilState(client, appid, 'KILLED');
    t.strictSame(await issuesOf(appid), [], 'not of an ended application');
  });

  t.test('an operator whose window does not move is an issue', async (t) => {
    const appid = await gateway.launch(
      launch('blocked', {
        operators: [source, op('stuck', 'Trouble', { how: 'loop', at: 10 })],
        streams: [stream('source.out -> stuck.in')],
      }),
    );
    const issues = await until(
      () => issuesOf(appid),
      (issues) => issues.some(({ key }) => key === 'OPERATOR_BLOCKED'),
    );
    t.match(issues, [
      {
        key: 'OPERATOR_BLOCKED',
        severity: 'error',
        description: /^No progress for \d+ s, window \d+: .*stuck \(2\)/,
      },
    ]);
    await client.killApplication({ params: { appid } });
  });

  t.test('an operator that falls behind a fast source is an issue until it has caught up', async (t) => {
    const behind = (name: string) =>
      launch(name, {
        operators: [
          op('source', 'Sequence', { total: -1, perSecond: 1000 }),
          op('slow', 'Waiter', { millis: 5 }),
        ],
        streams: [stream('source.out -> slow.in')],
      });
    const appid = await gateway.launch(behind('catches up'));
    const killed = await gateway.launch(behind('never does'));
    t.strictSame(await issuesOf(appid), [], 'not from the beginning');
    // Twenty seconds of work; then nothing more comes.
    await until(
      () => client.getPhysicalPlan({ params: { appid } }),
      ({ operators: [source] }) => Number(source?.totalTuplesEmitted) > 4000,
    );
    await client.setOperatorProperties({ params: { appid, opName: 'source' }, body: { perSecond: 1 } });

    for (const each of [appid, killed]) {
      const issues = await until(
        () => issuesOf(each),
        (issues) => issues.some(({ key }) => key === 'OPERATOR_LAGGING'),
      );
      t.match(issues, [
        { key: 'OPERATOR_LAGGING', severity: 'warning', description: /^\d\d s behind: slow \(2\)$/ },
      ]);
      t.ok(Number.parseInt(issues[0]?.description ?? '', 10) >= 10, 'as late as it is');
    }
    // Near the limit it comes and goes with windows that hold less.
    const { state } = await until(
      () => client.getApplication({ params: { appid } }),
      ({ stats }) => Number(stats?.totalTuplesProcessed) > 4000,
    );
    t.equal(state, 'RUNNING');
    await until(
      () => issuesOf(appid),
      (issues) => issues.length === 0,
    );
    await client.killApplication({ params: { appid } });

    t.match(await issuesOf(killed), [{ key: 'OPERATOR_LAGGING' }], 'it does not go by itself');
    await client.killApplication({ params: { appid: killed } });
    await untilState(client, killed, 'KILLED');
    t.strictSame(await issuesOf(killed), [], 'what has ended is not behind');
  });
});

const stats = statsSample({ plannedContainers: 3, allocatedContainers: 3, numOperators: 2 });
const info = {
  appPath: '',
  appMasterTrackingUrl: '',
  version: '1',
  gatewayAddress: 'gate:9090',
  gatewayConnected: true,
  connectedToThisGateway: true,
  dataSources: [],
  metrics: {},
  attributes: {},
  stats,
};

t.test('what only other clusters have', async (t) => {
  let now = Date.now();
  let told: Awaited<ReturnType<Master['info']>> = info;
  const cluster = faultyCluster([{ id: 'app_1' }], { info: async () => told });
  const clock = { now: () => now, monotonic: () => performance.now() };
  const { newClient } = await newGateway(t, { cluster, clock, auth: people });
  const client = newClient(as('ada'));
  const issues = async () => (await client.listApplicationIssues({ params: { appid: 'app_1' } })).issues;

  t.strictSame(await issues(), []);
  told = { ...info, gatewayConnected: false };
  t.match(await issues(), [
    {
      key: 'GATEWAY_NOT_CONNECTED',
      severity: 'warning',
      propertyName: 'platform.attr.GATEWAY_CONNECT_ADDRESS',
      description: /gate:9090/,
    },
  ]);
  told = { ...info, stats: { ...stats, allocatedContainers: 1 } };
  t.strictSame(await issues(), [], 'a moment is no issue');
  now += 10_000;
  t.match(await issues(), [
    {
      key: 'MEMORY_NOT_ALLOCATED',
      severity: 'warning',
      description: /^1 of 3 containers are allocated; .*512 MB$/,
    },
  ]);
  told = info;
  t.strictSame(await issues(), [], 'over when they are there');
});

t.test('a cluster that keeps no failure: its events and its log tell the cause', async (t) => {
  const at = 1_700_000_000_000;
  const error = (timestamp: number, containerId: string, errorMessage: string) => ({
    id: String(timestamp),
    timestamp,
    type: 'OperatorError',
    data: {
      ...{ containerId, errorMessage, operatorName: 'parse' },
      ...{ logFileName: `/var/log/${containerId}/apex.log`, logFileOffset: '6' },
    },
  });
  const begin = {
    ...{ id: '1', timestamp: at - 1000, type: 'StartContainer' },
    data: { containerId: 'c_2', logFileName: null, logFileOffset: '0' },
  };
  const opened: string[] = [];
  const text = Buffer.from('first\nERROR the beginning\n');
  const cluster = faultyCluster(
    [{ id: 'app_1', state: 'FAILED', finalStatus: 'FAILED', diagnostics: 'gave up' }],
    {
      events: {
        read: async () => [begin, error(at, 'c_2', 'the beginning'), error(at + 5000, 'c_3', 'the end')],
      },
      logs: {
        list: async () => [],
        open: async (containerId, logName) => {
          opened.push(`${containerId}/${logName}`);
          const read = (start: number, end: number) => Readable.from([text.subarray(start, end)]);
          return { length: text.length, read, close: async () => {} };
        },
        collectionOf: () => undefined,
      },
    },
  );
  const { newClient } = await newGateway(t, { cluster, auth: people });
  const params = { appid: 'app_1' };
  const { content } = await newClient(as('ada', 'developer')).getFailureRootCause({ params });
  t.match(content, /^## Cause\n\n```\nthe beginning\n```/);
  t.match(content, /## Log\n\n```\nfirst\nERROR the beginning\n```/);
  t.strictSame(opened, ['c_2/apex.log']);
  t.notMatch((await newClient(as('ada')).getFailureRootCause({ params })).content, /## Log/);
  t.strictSame(opened, ['c_2/apex.log'], 'nothing is read for those who may not');
});
