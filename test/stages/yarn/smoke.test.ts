import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { z } from 'zod';
import { randomNumbers, writePackage } from './application-package.js';
import { artifacts } from './artifacts.js';
import { startYarn } from './cluster.js';
import { apex } from './command-line.js';
import { explainFailures } from './explain.js';
import { workingIn } from './leftovers.js';
import { until } from './session.js';

// The cluster itself, before anything of ours runs on it: the engine's own command line launches an application.

t.setTimeout(600_000);
const parts = await artifacts();
const cluster = await startYarn(parts);
let closed = false;
const close = async () => {
  if (!closed) await cluster.close();
  closed = true;
};
t.teardown(close);
explainFailures(t, cluster);
// Before the first test: tap takes a wait between two of them for the end.
const file = join(cluster.directory, 'random.apa');
await writePackage(file, { jars: parts.packageJars, applications: { Random: randomNumbers } });

async function json<T>(url: string, schema: z.ZodType<T>): Promise<T> {
  const reply = await fetch(url, { headers: { accept: 'application/json' } });
  return schema.parse(await reply.json());
}
const App = z.object({ app: z.object({ state: z.string(), applicationType: z.string() }) });
const Info = z.object({ id: z.string(), appPath: z.string(), appMasterTrackingUrl: z.string() });
const Plan = z.object({
  operators: z.array(z.object({ currentWindowId: z.string() })),
  streams: z.array(z.object({ logicalName: z.string() })),
});
const Listing = z.object({
  FileStatuses: z.object({ FileStatus: z.array(z.object({ pathSuffix: z.string() })) }),
});

t.test('node managers find a kill that ends one group of processes, and no other', async (t) => {
  const kill = (...args: string[]) =>
    new Promise<number>((resolve) =>
      execFile(join(cluster.directory, 'bin/kill'), args, (error) => resolve(error === null ? 0 : 1)),
    );
  for (const refused of [['-15', '-1'], ['-15', '1'], ['-15', '-0'], ['-9'], ['-15', '--', '-2']])
    t.equal(await kill(...refused), 1, `kill ${refused.join(' ')}`);
  const group = spawn('sleep', ['60'], { detached: true, stdio: 'ignore' });
  const ended = once(group, 'exit');
  t.equal(await kill('-0', `-${group.pid}`), 0);
  t.equal(await kill('-15', `-${group.pid}`), 0);
  t.strictSame(await ended, [null, 'SIGTERM']);
});

let id = '';
const application = () => json(`${cluster.resourceManager}/ws/v1/cluster/apps/${id}`, App);
const state = async () => (await application()).app.state;
const info = () => json(`${cluster.resourceManager}/proxy/${id}/ws/v2/stram/info`, Info);

t.test('the command line reads the package', async (t) => {
  const info = (await apex(cluster, `get-app-package-info "${file}"`)) as {
    applications: { name: string; error: unknown }[];
  };
  t.match(info, { appPackageName: 'random-numbers', applications: [{ name: 'Random', type: 'json' }] });
  t.notOk(info.applications[0]?.error);
});

t.test('an application launches and runs', async (t) => {
  const launched = (await apex(cluster, `launch "${file}" "Random"`)) as { appId: string };
  id = launched.appId;
  t.match(id, /^application_\d+_0001$/);
  await until(state, (now) => now !== 'ACCEPTED' && now !== 'SUBMITTED');
  t.match(await application(), { app: { state: 'RUNNING', applicationType: 'ApacheApex' } });
});

t.test('its master answers, through the proxy and directly, and its operators process tuples', async (t) => {
  const { id: itself, appMasterTrackingUrl } = await info();
  t.equal(itself, id);
  const plan = await until(
    () => json(`http://${appMasterTrackingUrl}/ws/v2/stram/physicalPlan`, Plan),
    ({ operators }) => operators.length === 2 && operators.every((one) => one.currentWindowId !== '0'),
  );
  t.match(plan.streams, [{ logicalName: 'numbers' }]);
});

t.test('it leaves its state in the file system', async (t) => {
  const { pathname } = new URL((await info()).appPath);
  const listing = await json(`${cluster.nameNode}/webhdfs/v1${pathname}?op=LISTSTATUS`, Listing);
  const names = listing.FileStatuses.FileStatus.map(({ pathSuffix }) => pathSuffix);
  for (const name of ['meta.json', 'containers_1.json', 'events', 'checkpoints'])
    t.ok(names.includes(name), name);
});

t.test('a node manager that was killed comes back', async () => {
  await cluster.stop('nodeManager', 'SIGKILL');
  await cluster.start('nodeManager');
});

t.test('it is killed', async (t) => {
  const url = `${cluster.resourceManager}/ws/v1/cluster/apps/${id}/state`;
  const body = JSON.stringify({ state: 'KILLED' });
  const headers = { 'content-type': 'application/json' };
  await until(
    async () => (await fetch(url, { method: 'PUT', body, headers })).status,
    (status) => status === 200,
  );
  t.equal(await state(), 'KILLED');
});

t.test('closing leaves nothing', async (t) => {
  await close();
  t.strictSame(await workingIn(cluster.directory), []);
  await t.rejects(stat(cluster.directory), { code: 'ENOENT' });
  t.ok((await readdir(parts.hadoop)).length > 50, 'but what was fetched');
});
