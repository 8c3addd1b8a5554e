import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import type { Client } from '../../../lib/client.js';
import { flinkCluster } from '../../../packages/flink/index.js';
import { openBytes } from '../../helpers/open-bytes.js';
import { packageContent } from '../../helpers/package-content.js';
import { packageOf } from '../../helpers/packages.js';
import { until } from '../../helpers/waiting.js';
import { type EntrySpec, zipBytes } from '../../helpers/zip-bytes.js';
import { flinkParts, flinkVersions, withJar } from './artifacts.js';
import { type FlinkCluster, startFlink } from './cluster.js';
import { countedGateway } from './driven.js';
import { ask, untilJobRuns } from './jobs.js';

// Programs launched on a real Flink through a client of a living gateway, beside what Flink's own REST API says of them.

const appName = 'Numbers';

interface Real {
  readonly cluster: FlinkCluster;
  readonly client: Client;
  readonly jar: Buffer;
  readonly driver: ReturnType<typeof flinkCluster>;
  /** Resolves the id of the job, which runs. */
  launch(body: Readonly<Record<string, string>>): Promise<string>;
}

interface Checkpoint {
  readonly external_path: string;
  readonly is_savepoint: boolean;
}
interface Checkpoints {
  readonly latest: { readonly completed: Checkpoint | null; readonly restored: Checkpoint | null };
}

for (const version of flinkVersions)
  t.test(`Flink ${version}`, async (t) => {
    const parts = await flinkParts(version);
    await withJar(parts, join(process.cwd(), 'test/stages/flink/programs'), async (path) => {
      const cluster = await startFlink(parts, {
        taskManagers: 1,
        slots: 4,
        options: { 'web.refresh-interval': 500 },
      });
      t.teardown(() => cluster.close());
      const driver = flinkCluster({ jobManagers: ['http://127.0.0.1:9', cluster.rest], pollMillis: 500 });
      const { client, baseUrl } = await countedGateway(t, version, { cluster: driver });
      const jar = await readFile(path);
      const owner = await uploaded(t, baseUrl, jar);
      const params = { owner, name: 'numbers', version: '1.0', appName };
      const launch = async (body: Readonly<Record<string, string>>) => {
        const { appId } = await client.launchPackageApplication({ params, body });
        await untilJobRuns(cluster.rest, appId);
        return appId;
      };
      const real = { cluster, client, jar, driver, launch };
      await t.test('a plan', (t) => planned(t, real, params));
      if (version === '2.3.0') await t.test('in batches', (t) => inBatches(t, real));
      await t.test('a launch', (t) => launched(t, real));
      await t.test('restarts', (t) => restarts(t, real));
      await t.test('a drain', (t) => drained(t, real));
      await t.test('libraries beside the jar', (t) => withLibraries(t, real));
      await t.test('what is refused', (t) => refusals(t, real));
    });
  });

/** A jar that does not say what it is; resolves whose package it became. */
async function uploaded(t: Test, baseUrl: string, jar: Buffer): Promise<string> {
  const form = new FormData();
  form.set('file', new Blob([new Uint8Array(jar)]), 'numbers-1.0.jar');
  const answer = await fetch(`${baseUrl}/ws/v2/appPackages`, { method: 'POST', body: form });
  const meta: unknown = await answer.json();
  t.match(meta, { appPackageName: 'numbers', applications: [{ name: appName, displayName: appName }] });
  return String(Reflect.get(Object(meta), 'owner'));
}

/** The program in one jar, and the classes that it needs in another. */
async function withLibraries(t: Test, { cluster, client, jar }: Real) {
  const archive = await openBytes(jar);
  const parts: Record<'app' | 'lib', EntrySpec[]> = { app: [], lib: [] };
  for (const entry of archive.entries)
    parts[entry.name === `${appName}.class` ? 'app' : 'lib'].push({
      name: entry.name,
      content: await archive.read(entry, 1_000_000),
    });
  t.ok(parts.lib.length > 1);
  const body = packageOf({ name: 'split' }, {}, [
    { name: 'app/program.jar', content: zipBytes({ entries: parts.app }) },
    { name: 'lib/classes.jar', content: zipBytes({ entries: parts.lib }) },
  ]);
  const { owner } = await client.uploadPackage({ body });
  const params = { owner, name: 'split', version: '1.0.0', appName };
  const { appId } = await client.launchPackageApplication({ params, body: { 'flink.args': 'split 1' } });
  await untilJobRuns(cluster.rest, appId);
  await until(
    () => client.getApplication({ params: { appid: appId } }),
    ({ stats }) => (stats?.totalTuplesEmitted ?? 0) > 0,
  );
  await client.killApplication({ params: { appid: appId } });
}

const uploadedJars = async ({ cluster: { rest } }: Real) =>
  (await ask<{ files: object[] }>(rest, '/jars')).files;
const checkpointsOf = ({ cluster: { rest } }: Real, job: string) =>
  ask<Checkpoints>(rest, `/jobs/${job}/checkpoints`);

/** It is what the job is, once there is one. */
async function planned(
  t: Test,
  real: Real,
  params: { owner: string; name: string; version: string; appName: string },
) {
  const { client, cluster, launch } = real;
  const body = { 'flink.args': 'planned 2', 'pipeline.name': 'planned', 'flink.savepoint': 'file:/nowhere' };
  const plan = await client.planPackageApplication({ params, body });
  t.strictSame((await ask<{ jobs: object[] }>(cluster.rest, '/jobs/overview')).jobs, [], 'there is no job');
  t.strictSame(await uploadedJars(real), [], 'and no jar');
  const { 'flink.savepoint': _, ...withoutState } = body;
  const appid = await launch(withoutState);
  const byName = <T extends { readonly name: string }>(all: readonly T[]) =>
    all.toSorted((one, other) => one.name.localeCompare(other.name));
  const told = await client.getLogicalPlan({ params: { appid } });
  t.strictSame(byName(plan.operators), byName(told.operators));
  t.strictSame(plan.streams, told.streams);
  await client.killApplication({ params: { appid } });
  await t.rejects(client.planPackageApplication({ params, body: { 'flink.args': 'planned' } }), {
    code: 'ENGINE_REFUSED',
    message: /^Numbers can't be planned\. Flink refuses this: .*[Ii]ndex 1/,
  });
  // How many subtasks there are of what runs in batches is decided later.
  const batch = await client.planPackageApplication({
    params,
    body: { 'flink.args': 'planned 1', 'execution.runtime-mode': 'BATCH' },
  });
  t.strictSame(
    batch.operators.map(({ attributes }) => attributes),
    [{}, {}],
  );
  t.strictSame(await uploadedJars(real), []);
}

/** Its vertices are made one after the other; the first one never ends. */
async function inBatches(t: Test, { client, launch }: Real) {
  const appid = await launch({
    'flink.args': 'batch 1',
    'pipeline.name': 'batch',
    'execution.runtime-mode': 'BATCH',
  });
  const { operators, streams } = await client.getLogicalPlan({ params: { appid } });
  t.match(operators, [
    { name: 'Source: numbers', attributes: { parallelism: 1 } },
    { name: 'plus one', attributes: { parallelism: undefined } },
    { name: 'nowhere: Writer', attributes: { parallelism: undefined } },
  ]);
  t.strictSame(
    streams.map(({ source, sinks }) => [source.operatorName, sinks[0]?.operatorName]),
    [
      ['Source: numbers', 'plus one'],
      ['plus one', 'nowhere: Writer'],
    ],
  );
  const physical = await client.getPhysicalPlan({ params: { appid } });
  t.match(physical.operators, [{ logicalName: 'Source: numbers' }]);
  t.equal(physical.operators.length, 1);
  await client.killApplication({ params: { appid } });
}

async function drained(t: Test, real: Real) {
  const { client, launch, cluster } = real;
  const appid = await launch({ 'flink.args': 'drained 1' });
  await client.shutdownApplication({ params: { appid }, query: { drain: true } });
  t.match(await ask(cluster.rest, `/jobs/${appid}/status`), { status: 'FINISHED' });
  t.match(await client.getApplication({ params: { appid } }), {
    state: 'FINISHED',
    diagnostics: /^Drained and stopped with the savepoint file:/,
  });
  await t.rejects(client.restartApplication({ params: { appid } }), { code: 'NO_SAVED_STATE' });
}

async function launched(t: Test, real: Real) {
  const { cluster, client, launch } = real;
  const name = `the "name"\nof a job's`;
  const appid = await launch({
    'flink.args': JSON.stringify([name, 2]),
    'execution.checkpointing.min-pause': '123 ms',
  });
  const job = await ask<{ name: string; vertices: { parallelism: number }[] }>(
    cluster.rest,
    `/jobs/${appid}`,
  );
  t.equal(job.name, name, 'arguments come as they were written');
  t.equal(job.vertices[0]?.parallelism, 2);
  t.match(await ask(cluster.rest, `/jobs/${appid}/checkpoints/config`), { min_pause: 123 });
  t.match(await client.getApplication({ params: { appid } }), {
    name,
    state: 'RUNNING',
    appPackageSource: { name: 'numbers', version: '1.0', appName },
  });
  t.strictSame(await uploadedJars(real), [], 'no jar stays behind');
  await t.rejects(launch({ 'flink.args': 'again 1' }), { code: 'APPLICATION_NAME_TAKEN' });
  await client.killApplication({ params: { appid } });
}

async function restarts(t: Test, real: Real) {
  const { client, launch, cluster } = real;
  const first = await launch({
    'flink.args': `'first' "1"`,
    'execution.checkpointing.externalized-checkpoint-retention': 'RETAIN_ON_CANCELLATION',
    'pipeline.name': 'restarts',
  });
  const again = async (appid: string) => {
    const { appId } = await client.restartApplication({ params: { appid } });
    await untilJobRuns(cluster.rest, appId);
    return appId;
  };
  await t.rejects(again(first), { code: 'APPLICATION_RUNNING' });
  await client.shutdownApplication({ params: { appid: first } });
  const second = await again(first);
  const { restored } = (await checkpointsOf(real, second)).latest;
  t.ok(restored?.is_savepoint);
  t.match(await client.getApplication({ params: { appid: first } }), {
    diagnostics: `Stopped with the savepoint ${restored?.external_path}`,
  });
  await until(
    () => checkpointsOf(real, second),
    ({ latest }) => latest.completed !== null,
  );
  await client.killApplication({ params: { appid: second } });
  await until(
    () => client.getApplication({ params: { appid: second } }),
    ({ state }) => state === 'KILLED',
  );
  const third = await again(second);
  // Before, Flink might have told of an older one: what it says of a job is some seconds old.
  const { completed } = (await checkpointsOf(real, second)).latest;
  t.match((await checkpointsOf(real, third)).latest.restored, {
    external_path: completed?.external_path,
  });
  await client.killApplication({ params: { appid: third } });
}

async function refusals(t: Test, real: Real) {
  const { client, launch, driver, jar, cluster } = real;
  const refused = async (work: Promise<unknown>, message: RegExp) => {
    const error: unknown = await work.catch((thrown: unknown) => thrown);
    t.match(error, { status: 400, code: 'ENGINE_REFUSED', message });
    t.comment(Reflect.get(Object(error), 'message'));
    t.notMatch(JSON.stringify(error), /\bat org\.|\bat java|Exception:/);
  };
  const named = { 'pipeline.name': 'refused' };
  await refused(launch({ ...named, 'flink.args': '"no parallelism"' }), /Index 1 out of bounds|index 1/i);
  await refused(
    launch({ ...named, 'flink.args': 'x 1', 'flink.savepoint': `file://${cluster.directory}/nowhere` }),
    /nowhere/,
  );
  const { launcher } = driver.resourceManager;
  const program = (className: string, content: Buffer | string) =>
    launcher?.launch({
      ...{ user: 'ann', name: className },
      packaged: { name: className, type: 'class', file: 'app/x.jar', className },
      packageContent: packageContent({ 'app/x.jar': content }),
    }) ?? Promise.resolve();
  await refused(program('no.such.Class', jar), /no\.such\.Class/);
  await refused(program('Numbers$Make', jar), /main\(String/);
  await refused(program(appName, 'no jar'), /zip/);
  t.strictSame(await uploadedJars(real), []);
  const { apps } = await client.listApplications();
  t.strictSame(
    apps.filter(({ finalStatus }) => finalStatus === 'UNDEFINED'),
    [],
    'nothing runs',
  );
}
