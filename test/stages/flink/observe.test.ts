import { join } from 'node:path';
import { streamConsole } from '@headgate/console';
import t, { type Test } from 'tap';
import { passwordSessions } from '../../../adapters/auth/password.js';
import type { Client } from '../../../lib/client.js';
import { flinkCluster } from '../../../packages/flink/index.js';
import { testFolder } from '../../helpers/folder.js';
import { newGateway } from '../../helpers/gateway.js';
import { until } from '../../helpers/waiting.js';
import { closeBrowser, enter, inWindow } from '../console/browser.js';
import { administrator } from '../console/running-server.js';
import { walk } from '../console/walk.js';
import { type FlinkVersion, flinkParts, flinkVersions, withJar } from './artifacts.js';
import { type FlinkCluster, startFlink } from './cluster.js';
import { countedGateway } from './driven.js';
import { ask, runJar, untilJobRuns, uploadJar } from './jobs.js';

// Everything that the driver tells of a real Flink, through a client of a living gateway, beside what Flink's own REST API says.

/** Shorter than Flink's own, so that figures move while a test looks. */
const options = {
  'web.refresh-interval': '500',
  'metrics.fetcher.update-interval': '500',
  'heartbeat.interval': '1000',
  'heartbeat.timeout': '15000',
  'restart-strategy.type': 'fixed-delay',
  'restart-strategy.fixed-delay.attempts': 1,
  'restart-strategy.fixed-delay.delay': '100 ms',
};

interface Subtask {
  readonly subtask: number;
  readonly attempt: number;
  readonly 'taskmanager-id': string;
  readonly metrics: Readonly<Record<string, number>>;
}
interface Job {
  readonly state: string;
  readonly 'start-time': number;
  readonly vertices: readonly { readonly id: string; readonly name: string; readonly parallelism: number }[];
}

interface Real {
  readonly cluster: FlinkCluster;
  readonly client: Client;
  readonly appid: string;
  /** Runs the program under a name. */
  run(...args: string[]): Promise<string>;
}

t.teardown(closeBrowser);

for (const version of flinkVersions)
  t.test(`Flink ${version}`, async (t) => {
    const parts = await flinkParts(version);
    await withJar(parts, join(process.cwd(), 'test/stages/flink/programs'), async (jar) => {
      const cluster = await startFlink(parts, { taskManagers: 2, slots: 4, options });
      t.teardown(() => cluster.close());
      const run = async (...args: string[]) =>
        runJar(cluster.rest, await uploadJar(cluster.rest, jar), { entryClass: 'Numbers', args });
      const appid = await run('steady', '2');
      await untilJobRuns(cluster.rest, appid);
      const driver = flinkCluster({
        jobManagers: ['http://127.0.0.1:9', cluster.rest],
        pollMillis: 500,
        directory: testFolder(t),
        limits: { statsEveryMillis: 500 },
      });
      const { client } = await countedGateway(t, version, { cluster: driver });
      const real = { cluster, client, appid, run };
      await t.test('the cluster', (t) => theCluster(t, real, version));
      await t.test('plans', (t) => plans(t, real));
      await t.test('containers', (t) => containers(t, real));
      await t.test('collections of garbage', (t) => collections(t, real));
      await t.test('statistics', (t) => statistics(t, real));
      await t.test('history', (t) => history(t, real));
      await t.test('topics', (t) => topics(t, real));
      await t.test('the console', (t) => theConsole(t, real));
      await t.test('a job that fails', (t) => failing(t, real));
      await t.test('ends', (t) => ends(t, real));
      await t.test('a task manager and the JobManager are lost', (t) => losses(t, real));
    });
  });

async function theCluster(t: Test, { cluster: { rest }, client, appid }: Real, version: FlinkVersion) {
  const { apps } = await client.listApplications();
  const { jobs } = await ask<{ jobs: { jid: string; name: string; state: string; 'start-time': number }[] }>(
    rest,
    '/jobs/overview',
  );
  t.strictSame(
    apps.map(({ id, name, clusterState, startedTime }) => [id, name, clusterState, startedTime]),
    jobs.map((job) => [job.jid, job.name, job.state, job['start-time']]),
  );
  const app = await until(
    () => client.getApplication({ params: { appid } }),
    ({ stats }) => (stats?.tuplesEmittedPSMA ?? 0) > 0,
  );
  t.match(app, { state: 'RUNNING', finalStatus: 'UNDEFINED', version, applicationType: 'Flink' });
  t.equal(app.stats?.numOperators, 4);
  t.ok(app.allocatedMB > 0 && app.runningContainers >= 1);
  const config = await ask<{ 'flink-version': string }>(rest, '/config');
  const about = await client.getAbout();
  t.equal(about.engineVersion, config['flink-version']);
  t.equal(about.clusterLocation, rest);
  const metrics = await client.getClusterMetrics();
  t.match(metrics, { numAppsRunning: 1, numOperators: 4, numContainers: 2 });
  const overview = await ask<{ 'slots-total': number; 'slots-available': number }>(rest, '/overview');
  const { queues } = await client.listQueues();
  const used = overview['slots-total'] - overview['slots-available'];
  t.equal(queues[0]?.currentCapacity, (100 * used) / overview['slots-total']);
  const settings = await ask<{ key: string; value: string }[]>(rest, '/jobmanager/config');
  t.strictSame(
    await client.getClusterConfig(),
    Object.fromEntries(settings.map(({ key, value }) => [key, value])),
  );
  t.match(await client.getApplicationAttributes({ params: { appid } }), { 'job-parallelism': 2 });
  t.ok((await client.getApplicationMetrics({ params: { appid } })).metrics);
  await client.putApplicationPermissions({ params: { appid }, body: { readOnly: { everyone: true } } });
  t.match(await client.getApplicationPermissions({ params: { appid } }), { readOnly: { everyone: true } });
  t.strictSame((await client.listApplicationIssues({ params: { appid } })).issues, []);
}

/** Every screen of a job shows what it is for, and asks for nothing that Flink does not have. */
async function theConsole(t: Test, { cluster: { rest }, appid }: Real) {
  const { baseUrl } = await newGateway(t, {
    cluster: flinkCluster({ jobManagers: rest, pollMillis: 500, directory: testFolder(t) }),
    auth: passwordSessions(),
    initialAdmin: { password: administrator.password },
    console: streamConsole(),
  });
  // Whether processes are profiled only a call can tell, and here it is off.
  await inWindow(t, { baseUrl, allowed: /^409 \S+\/profiles$/ }, async (page) => {
    await enter(page, baseUrl, 'apps');
    await page.getByRole('link', { name: 'steady' }).waitFor();
    const screens = await walk(t, page, { baseUrl, first: `apps/${appid}`, within: `apps/${appid}` });
    t.comment(`screens of a job: ${screens.join(', ')}`);
    for (const screen of [
      'graph',
      'operators',
      'operators/(one)',
      'containers',
      'containers/(one)',
      'checkpoints',
      'events',
    ])
      t.ok(screens.includes(`apps/(one)/${screen}`), screen);
    for (const link of ['cluster', 'topics', 'alerts', 'admin/usage', ''])
      await walk(t, page, { baseUrl, first: link, within: 'nowhere' });
  });
}

const subtasksOf = async (rest: string, job: string, vertex: string) =>
  (await ask<{ subtasks: Subtask[] }>(rest, `/jobs/${job}/vertices/${vertex}`)).subtasks;

async function plans(t: Test, { cluster: { rest }, client, appid }: Real) {
  const params = { appid };
  const job = await ask<Job>(rest, `/jobs/${appid}`);
  const plan = await client.getLogicalPlan({ params });
  t.strictSame(
    plan.operators.map(({ name }) => name),
    job.vertices.map(({ name }) => name),
  );
  t.equal(plan.streams.length, 1);
  const before = await Promise.all(job.vertices.map(({ id }) => subtasksOf(rest, appid, id)));
  const idOf = (index: number, subtask: number) => String((index + 1) * 100_000 + subtask);
  // The answer of a beat may be older than what Flink has just said; its counters only grow.
  const { operators } = await until(
    () => client.getPhysicalPlan({ params }),
    ({ operators }) =>
      before.every((subtasks, index) =>
        subtasks.every(({ subtask, metrics }) => {
          const operator = operators.find(({ id }) => id === idOf(index, subtask));
          return (
            (operator?.totalTuplesProcessed ?? -1) >= (metrics['read-records'] ?? 0) &&
            (operator?.totalTuplesEmitted ?? -1) >= (metrics['write-records'] ?? 0)
          );
        }),
      ),
  );
  t.equal(operators.length, before.flat().length);
  for (const [index, subtasks] of before.entries())
    for (const { subtask, attempt, ...one } of subtasks) {
      const operator = operators.find(({ id }) => id === idOf(index, subtask));
      t.match(operator, {
        container: one['taskmanager-id'],
        failureCount: attempt,
        status: 'ACTIVE',
        clusterStatus: 'RUNNING',
      });
    }
  const { operators: logical } = await until(
    () => client.listLogicalOperators({ params }),
    ({ operators: [source] }) => (source?.tuplesEmittedPSMA ?? 0) > 50,
  );
  t.ok((logical[0]?.tuplesEmittedPSMA ?? 0) < 150, '100 numbers a second are made');
  t.match(logical[0]?.counters, {
    busyTimeMsPerSecond: { avg: Number, min: Number, max: Number, sum: Number },
  });
  const [source = ''] = job.vertices.map(({ name }) => name);
  t.match(await client.getLogicalOperator({ params: { ...params, opName: source } }), { name: source });
  t.strictSame(await client.getOperatorAttributes({ params: { ...params, opName: source } }), {
    parallelism: 2,
  });
  await client.getPortAttributes({ params: { ...params, opName: source, portName: 'out0' } });
  t.equal((await client.listPhysicalOperators({ params })).operators.length, 4);
  const last = { ...params, opid: '200001' };
  t.match(await client.getPhysicalOperator({ params: last }), { id: '200001' });
  const { streams } = await client.listPhysicalStreams({ params });
  const { ports } = await client.listPorts({ params: last });
  t.match(ports, [{ type: 'input' }]);
  const [{ name: portName } = { name: '' }] = ports;
  t.strictSame(await client.getPort({ params: { ...last, portName } }), ports[0]);
  t.ok(
    streams.some(({ sinks }) =>
      sinks.some((sink) => sink.operatorId === '200001' && sink.portName === portName),
    ),
  );
}

async function containers(t: Test, { cluster: { rest }, client, appid }: Real) {
  const params = { appid };
  const { containers } = await client.listContainers({ params });
  const [master, first] = containers;
  t.match(master, { id: 'jobmanager', containerType: 'APP_MASTER', state: 'ACTIVE' });
  const detail = await ask<{ memoryConfiguration: { totalProcessMemory: number } }>(
    rest,
    `/taskmanagers/${first?.id}`,
  );
  t.equal(first?.memoryMBAllocated, Math.round(detail.memoryConfiguration.totalProcessMemory / 1024 ** 2));
  t.ok((first?.memoryMBFree ?? 0) > 0 && (first?.gcCollectionCount ?? -1) >= 0);
  t.match(await client.getContainer({ params: { ...params, containerId: first?.id ?? '' } }), {
    id: first?.id,
    memoryMBAllocated: first?.memoryMBAllocated,
  });
  for (const { id: containerId } of containers) {
    const path = containerId === 'jobmanager' ? '/jobmanager' : `/taskmanagers/${containerId}`;
    const { threadInfos } = await ask<{ threadInfos: { threadName: string }[] }>(rest, `${path}/thread-dump`);
    const { threads } = await client.getStackTrace({ params: { ...params, containerId } });
    t.ok(threadInfos.some(({ threadName }) => threads.some(({ name }) => name === threadName)));
    t.ok(
      threads.every(({ id, state }) => /^\d+$/.test(id) && state !== ''),
      `threads of ${containerId}`,
    );
    const { logs } = await ask<{ logs: { name: string }[] }>(rest, `${path}/logs`);
    t.strictSame(
      (await client.listLogs({ params: { ...params, containerId } })).logs.map(({ name }) => name).sort(),
      logs.map(({ name }) => name).sort(),
    );
    const logName = containerId === 'jobmanager' ? 'jobmanager.log' : `${containerId}.log`;
    const whole = await (await fetch(`${rest}${path}/logs/${logName}`)).text();
    const read = async (query: object) => {
      const answer = await client.readLog({ params: { ...params, containerId, logName }, query });
      return answer instanceof Response ? answer.text() : '';
    };
    t.equal(await read({ start: 10, end: 400 }), whole.slice(10, 400));
    const starts = whole.split('\n').filter((line) => / {2}Starting /.test(line));
    t.equal(await read({ grep: ' {2}Starting ' }), starts.map((line) => `${line}\n`).join(''));
    t.ok((await read({ lastNBytes: 1000 })).length <= 1000);
  }
}

/** Each process writes its own, as `cluster.ts` tells it to. */
async function collections(t: Test, { cluster: { rest }, client, appid }: Real) {
  const params = { appid };
  const { containers } = await client.listContainers({ params });
  const pauses: string[] = [];
  for (const { id } of containers) {
    const path = id === 'jobmanager' ? '/jobmanager' : `/taskmanagers/${id}`;
    const text = await (await fetch(`${rest}${path}/logs/gc.log`)).text();
    pauses.push(...text.split('\n').filter((line) => / Pause .* \d+M->\d+M/.test(line)));
  }
  const told = await client.listCollections({
    params: { ...params, logName: 'gc.log' },
    query: { includeOffset: true },
  });
  const lines = 'lines' in told ? told.lines : [];
  t.ok(pauses.length >= containers.length, `${pauses.length} collections`);
  t.ok(pauses.every((pause) => lines.some(({ line }) => line === pause)));
  t.ok(lines.every(({ heapCapacity, duration }) => heapCapacity > 0 && duration > 0));
  const { operators } = await client.listLogicalOperators({ params });
  const of = { ...params, operatorName: operators[0]?.name ?? '', logName: 'gc.log' };
  const ofOne = (await client.listOperatorCollections({ params: of })).lines;
  t.ok(ofOne.length > 0 && ofOne.length < lines.length, 'of its task managers alone');
}

/** Flink keeps nothing of it. */
async function statistics(t: Test, { client, appid }: Real) {
  const params = { appid };
  const { operators } = await client.getPhysicalPlan({ params });
  const opName = operators[0]?.logicalName ?? '';
  const { operatorStats } = await until(
    () => client.listOperatorStats({ params: { ...params, opName }, query: {} }),
    (told) => told.operatorStats.some(({ stats }) => Number(stats.tuplesEmittedPSMA) > 25),
  );
  t.ok(
    operatorStats.every(({ stats }) => Number(stats.tuplesEmittedPSMA ?? 0) < 75),
    'half of 100 a second each',
  );
  const ids = operators.filter(({ logicalName }) => logicalName === opName).map(({ id }) => id);
  const meta = await client.getOperatorStatsMeta({ params: { ...params, opName } });
  t.strictSame([...meta.operatorIds].sort(), ids.sort());
  t.equal(meta.ended, false);
  const { containers } = await client.listContainers({ params });
  const kept = await client.getContainerStatsMeta({ params });
  t.strictSame(Object.keys(kept.containers).sort(), containers.map(({ id }) => id).sort());
  const { containerStats } = await client.listContainerStats({ params, query: {} });
  t.ok(containerStats.some(({ containerId }) => containerId === operators[0]?.container));
}

async function history(t: Test, { cluster: { rest }, client, appid }: Real) {
  const params = { appid };
  const { events } = await until(
    () => client.listEvents({ params, query: { limit: 1000 } }),
    (told) => told.events.some(({ type }) => type === 'CheckpointCompleted'),
  );
  const count = (type: string) => events.filter((event) => event.type === type).length;
  t.equal(count('StartOperator'), 4);
  t.ok(count('StartContainer') >= 1 && count('JobStateChanged') >= 3);
  const { history } = await ask<{ history: { id: number }[] }>(rest, `/jobs/${appid}/checkpoints`);
  t.ok(history.length > 0);
  const again = (await client.listEvents({ params, query: { from: 0, limit: 1000 } })).events;
  t.strictSame(again.slice(0, 4), events.slice(0, 4), 'the same events at the same places');
  const deployed = await client.getDeployHistory({ params: { ...params, opid: '100000' } });
  const [first] = await subtasksOf(
    rest,
    appid,
    (await ask<Job>(rest, `/jobs/${appid}`)).vertices[0]?.id ?? '',
  );
  t.equal(deployed.containers.at(-1)?.container, first?.['taskmanager-id']);
}

async function topics(t: Test, { client, appid }: Real) {
  const next = (topic: string, fits: (data: object) => boolean) =>
    new Promise<object>((resolve) => {
      const stop = client.subscribe(topic, (data: unknown) => {
        if (typeof data !== 'object' || data === null || !fits(data)) return;
        stop();
        resolve(data);
      });
    });
  const total = (data: object) => ('totalTuplesEmitted' in data ? Number(data.totalTuplesEmitted) : 0);
  const first = total(await next(`applications.${appid}`, (data) => total(data) > 0));
  t.ok(total(await next(`applications.${appid}`, (data) => total(data) > first)) > first, 'it moves');
  for (const name of ['physicalOperators', 'logicalOperators', 'containers'])
    t.ok(await next(`applications.${appid}.${name}`, () => true), name);
  for (const name of ['applications', 'cluster.metrics']) t.ok(await next(name, () => true), name);
}

async function failing(t: Test, { client, run }: Real) {
  const appid = await run('failing', '1', 'fails');
  const params = { appid };
  const app = await until(
    () => client.getApplication({ params }),
    ({ finalStatus }) => finalStatus !== 'UNDEFINED',
  );
  t.match(app, { state: 'FAILED', finalStatus: 'FAILED', clusterState: 'FAILED', runningContainers: -1 });
  t.ok(app.finishedTime >= app.startedTime);
  t.match(await client.getFailureRootCause({ params }), { content: /boom at number 10/ });
  t.match((await client.getPhysicalPlan({ params })).operators, [{ id: '100000', failureCount: 1 }]);
  t.equal((await client.getDeployHistory({ params: { ...params, opid: '100000' } })).containers.length, 2);
  // Each failure is one; the last of them may be told of the job as a whole.
  const { events } = await until(
    () => client.listEvents({ params, query: { limit: 1000 } }),
    (told) => told.events.filter(({ type }) => type.endsWith('Error')).length >= 2,
  );
  t.ok(events.some(({ type, data }) => type === 'OperatorError' && data['operatorId'] === '100000'));
  t.ok((await client.listContainers({ params })).containers.every(({ state }) => state === 'KILLED'));
}

async function ends(t: Test, { cluster: { rest }, client, run }: Real) {
  // What Flink tells of whole jobs is some seconds old.
  const stateOf = async (id: string) => (await ask<{ status: string }>(rest, `/jobs/${id}/status`)).status;
  const killed = await run('killed', '1');
  const stopped = await run('stopped', '1');
  for (const id of [killed, stopped]) await untilJobRuns(rest, id);
  await client.killApplication({ params: { appid: killed } });
  await client.shutdownApplication({ params: { appid: stopped } });
  for (const [id, state, clusterState] of [
    [killed, 'KILLED', 'CANCELED'],
    [stopped, 'FINISHED', 'FINISHED'],
  ] as const) {
    await until(
      () => client.getApplication({ params: { appid: id } }),
      (app) => app.state === state,
    );
    t.equal(await stateOf(id), clusterState);
    await t.rejects(client.killApplication({ params: { appid: id } }), { code: 'APPLICATION_ENDED' });
  }
}

async function losses(t: Test, { cluster, client, appid, run }: Real) {
  const { rest } = cluster;
  const params = { appid };
  const { operators } = await client.getPhysicalPlan({ params });
  const lost = operators[0]?.container ?? '';
  await cluster.stopTaskManager(lost, 'SIGKILL');
  const containers = await until(
    async () => (await client.listContainers({ params })).containers,
    (all) => all.find(({ id }) => id === lost)?.state === 'KILLED',
  );
  t.ok((containers.find(({ id }) => id === lost)?.finishedTime ?? 0) > 0, 'a tombstone');
  const again = await until(
    async () => (await client.getPhysicalPlan({ params })).operators,
    (all) => all.every(({ status, container }) => status === 'ACTIVE' && container !== lost),
  );
  t.ok(again.every(({ failureCount }) => failureCount === 1));
  t.match(await client.getApplication({ params }), { state: 'RUNNING' });

  await cluster.jobManager.stop('SIGKILL');
  await until(
    () => client.listApplications().catch((error: unknown) => error),
    (answer) => Reflect.get(Object(answer), 'code') === 'UNREACHABLE',
  );
  // What was told in the last beat is told as long as that lasts.
  const told = await until(
    () => client.getApplication({ params }),
    ({ stats }) => stats === null,
  );
  t.match(told, { state: 'RUNNING', finalStatus: 'UNDEFINED' });
  t.ok(told.observedAt < Date.now());

  // Without high availability the next one knows of none.
  await cluster.restartJobManager();
  t.strictSame((await ask<{ jobs: object[] }>(rest, '/jobs/overview')).jobs, []);
  const { apps } = await until(
    () => client.listApplications().catch(() => ({ apps: [] })),
    (answer) => answer.apps.length > 0,
  );
  t.match(
    apps.find(({ id }) => id === appid),
    { state: 'RUNNING', finalStatus: 'UNDEFINED', observedAt: told.observedAt },
    'nobody has seen it end',
  );
  const next = await run('next', '1');
  await untilJobRuns(rest, next);
  t.match(await client.getApplication({ params: { appid: next } }), { state: 'RUNNING' });
}
