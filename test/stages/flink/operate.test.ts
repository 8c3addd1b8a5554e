import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';
import type { Client } from '../../../lib/client.js';
import { flinkCluster } from '../../../packages/flink/index.js';
import { until } from '../../helpers/waiting.js';
import { flinkParts, flinkVersions, withJar } from './artifacts.js';
import { startFlink } from './cluster.js';
import { countedGateway } from './driven.js';
import { ask, runJar, untilJobRuns, uploadJar } from './jobs.js';

// What is changed of jobs of a real Flink: savepoints, parallelism, and what the proxy passes on.

interface Real {
  readonly client: Client;
  readonly rest: string;
  readonly baseUrl: string;
  readonly appid: string;
}

for (const version of flinkVersions)
  for (const scheduler of ['adaptive', 'default'] as const)
    t.test(`Flink ${version}, scheduler ${scheduler}`, async (t) => {
      const parts = await flinkParts(version);
      await withJar(parts, join(process.cwd(), 'test/stages/flink/programs'), async (jar) => {
        const options = {
          'web.refresh-interval': '500',
          'metrics.fetcher.update-interval': '500',
          'jobmanager.scheduler': scheduler,
          'jobmanager.adaptive-scheduler.submission.resource-stabilization-timeout': '500 ms',
          'jobmanager.adaptive-scheduler.resource-stabilization-timeout': '500 ms',
          'jobmanager.adaptive-scheduler.executing.resource-stabilization-timeout': '500 ms',
          'jobmanager.adaptive-scheduler.executing.cooldown-after-rescaling': '1 s',
          'jobmanager.adaptive-scheduler.scaling-interval.min': '1 s',
          'web.adaptive-scheduler.rescale-history.size': 10,
        };
        const cluster = await startFlink(parts, { taskManagers: 1, slots: 4, options });
        t.teardown(() => cluster.close());
        const { rest } = cluster;
        const appid = await runJar(rest, await uploadJar(rest, jar), {
          entryClass: 'Numbers',
          args: ['operated', '1'],
        });
        await untilJobRuns(rest, appid);
        const driver = flinkCluster({ jobManagers: rest, pollMillis: 500 });
        const { client, baseUrl } = await countedGateway(t, version, { cluster: driver });
        const real = { client, rest, baseUrl, appid };
        await t.test('the proxy', (t) => proxied(t, real, scheduler));
        await t.test('savepoints', (t) => savepoints(t, real));
        await t.test('checkpoints', (t) => checkpoints(t, real));
        await t.test('what Flink is set up without', (t) => setUpWithout(t, real));
        if (scheduler === 'adaptive') {
          await t.test('parallelism', (t) => rescaled(t, real));
          if (version === '2.3.0') await t.test('rescales', (t) => rescales(t, real));
        } else await t.test('parallelism that is fixed', (t) => fixed(t, real));
      });
    });

async function savepoints(t: Test, { client, rest, appid }: Real) {
  const params = { appid };
  const { id } = await client.startSavepoint({ params, body: { formatType: 'NATIVE' } });
  const listed = await until(
    () => client.listSavepoints({ params }),
    (told) => told.savepoints[0]?.state === 'COMPLETED' && told.savepoints[0].stateSize !== undefined,
  );
  t.equal(listed.savepoints.length, 1, 'it is the one that the history tells of');
  const [savepoint] = listed.savepoints;
  t.match(savepoint, { id, formatType: 'NATIVE', isOfStop: false, checkpointId: /^\d+$/ });
  const folder = fileURLToPath(savepoint?.location ?? '');
  t.ok(existsSync(folder));
  await client.deleteSavepoint({ params: { ...params, id } });
  t.notOk(existsSync(folder));
  t.strictSame((await client.listSavepoints({ params })).savepoints, []);

  const foreign = await ask<object>(rest, `/jobs/${appid}/savepoints`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  });
  t.ok(foreign);
  const other = await until(
    () => client.listSavepoints({ params }),
    (told) => told.savepoints[0]?.state === 'COMPLETED',
  );
  t.match(other.savepoints, [{ id: /^\d+$/, orderedBy: undefined }]);
  const nowhere = { targetDirectory: 'file:///proc/none' };
  const failing = await client.startSavepoint({ params, body: nowhere });
  const failed = await until(
    () => client.listSavepoints({ params }),
    (told) => told.savepoints.find((one) => one.id === failing.id)?.state === 'FAILED',
  );
  t.notMatch(failed.savepoints.find((one) => one.id === failing.id)?.failure, /\tat |\n/);
}

async function checkpoints(t: Test, { client, appid }: Real) {
  const told = await until(
    () => client.getCheckpoints({ params: { appid } }),
    ({ latest }) => latest.completed !== undefined && latest.savepoint !== undefined,
  );
  t.ok((told.counts?.completed ?? 0) > 0 && told.history.length > 0);
  t.match(told.latest.completed, { state: 'COMPLETED', stateSize: Number, duration: Number });
  const { stats, elapsedTime } = await client.getApplication({ params: { appid } });
  t.ok((stats?.checkpointAge ?? Infinity) < elapsedTime, 'it goes on from what is younger than the job');
}

async function rescaled(t: Test, { client, rest, appid }: Real) {
  const { vertices } = await ask<{ vertices: { name: string }[] }>(rest, `/jobs/${appid}`);
  const params = { appid, opName: vertices[1]?.name ?? '' };
  t.match(await client.getOperatorProperties({ params }), { parallelism: 1 });
  await client.setOperatorProperties({ params, body: { parallelism: 3 } });
  t.match(await client.getOperatorProperties({ params }), { parallelism: 3 });
  t.match(await client.getPhysicalOperatorProperties({ params: { appid, opid: '200000' } }), {
    parallelism: 3,
  });
  await until(
    () => client.getPhysicalPlan({ params }),
    ({ operators }) => operators.length === 4 && operators.every(({ status }) => status === 'ACTIVE'),
  );
  await t.rejects(client.setOperatorProperties({ params, body: { parallelism: 100_000 } }), {
    code: 'INVALID_INPUT',
  });
}

async function fixed(t: Test, { client, rest, appid }: Real) {
  const { vertices } = await ask<{ vertices: { name: string }[] }>(rest, `/jobs/${appid}`);
  const params = { appid, opName: vertices[1]?.name ?? '' };
  t.match(await client.getOperatorProperties({ params }), { parallelism: 1 });
  await t.rejects(client.setOperatorProperties({ params, body: { parallelism: 3 } }), {
    code: 'PARALLELISM_FIXED',
  });
}

async function setUpWithout(t: Test, { client, rest, appid }: Real) {
  const { vertices } = await ask<{ vertices: { name: string }[] }>(rest, `/jobs/${appid}`);
  const params = { appid, opName: vertices[0]?.name ?? '' };
  const code = 'PROFILING_DISABLED';
  await t.rejects(client.getFlameGraph({ params }), { code, message: /rest\.flamegraph\.enabled/ });
  for (const containerId of ['jobmanager', 'tm1']) {
    const of = { params: { appid, containerId } };
    await t.rejects(client.listProfiles(of), { code, message: /rest\.profiling\.enabled/ });
    await t.rejects(client.startProfile({ ...of, body: {} }), { code });
  }
  t.match(await client.getBackPressure({ params }), { operators: [{ operatorId: '100000' }] });
}

async function proxied(t: Test, { rest, baseUrl, appid }: Real, scheduler: string) {
  const passed = (path: string, method = 'GET', body?: object) =>
    fetch(`${baseUrl}/proxy/master/v2/${appid}/${path}`, {
      method,
      ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    });
  t.match(await (await passed('config')).json(), await ask<object>(rest, `/jobs/${appid}/config`));
  t.equal((await passed('yarn-cancel')).status, 404);
  const wrong = await passed(`vertices/${'0'.repeat(32)}`);
  t.ok(wrong.status >= 400);
  t.notMatch(await wrong.text(), /\\tat |\.java:/);
  const ordered = await passed('checkpoints', 'POST', { checkpointType: 'FULL' });
  t.match(await ordered.json(), { 'request-id': /^[\da-f]{32}$/ });
  t.match(
    await (await passed('config', 'DELETE')).json(),
    { errors: [/not/i] },
    'nothing of a job is deleted',
  );
  if (scheduler !== 'adaptive') return;
  const requirements = await ask<object>(rest, `/jobs/${appid}/resource-requirements`);
  t.equal((await passed('resource-requirements', 'PUT', requirements)).status, 200);
}

async function rescales(t: Test, { client, rest, appid }: Real) {
  const { events } = await until(
    () => client.listEvents({ params: { appid } }),
    (told) => told.events.some(({ type }) => type === 'JobRescaled'),
  );
  const told = await ask<{ rescaleUuid: string; terminalState: string | null; triggerCause: string }[]>(
    rest,
    `/jobs/${appid}/rescales/history`,
  );
  const ended = told.filter(({ terminalState }) => terminalState !== null);
  for (const { rescaleUuid, terminalState, triggerCause } of ended)
    t.match(
      events.find(({ data }) => data['rescaleId'] === rescaleUuid),
      { type: 'JobRescaled', data: { outcome: terminalState, cause: triggerCause } },
    );
  t.ok(ended.length > 0);
}
