import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import t from 'tap';
import { memoryStorage } from '../../../../adapters/storage/memory.js';
import {
  type ClusterDriver,
  Conflict,
  type DocumentWrite,
  type Storage,
  Unreachable,
} from '../../../../lib/index.js';
import { processRuntime } from '../../../../packages/containers/index.js';
import { localCluster } from '../../../../packages/engine/index.js';
import { words } from '../../../helpers/applications.js';
import { bareRuntime } from '../../../helpers/bare-runtime.js';
import { newGateway } from '../../../helpers/gateway.js';
import { listening } from '../../../helpers/listening.js';
import { packageOf } from '../../../helpers/packages.js';
import { until } from '../../../helpers/waiting.js';

// Services beside a resource manager and masters that do not answer, and launches that take their time.

const directory = mkdtempSync(join(tmpdir(), 'headgate-faults-'));
t.teardown(() => rmSync(directory, { recursive: true, force: true }));

/** What the engine does at the moment; the rest is the real one. */
const world = {
  isManagerHanging: false,
  isMasterDown: false,
  /** Questions that nobody answers, and that failed. */
  hung: 0,
  refused: 0,
  /** What operators tell as metrics. */
  metrics: {} as Record<string, Record<string, unknown>>,
  /** Launches by the name of the application: they wait until then. */
  gates: new Map<string, Promise<void>>(),
  waiting: new Set<string>(),
  /** Writes of documents: each of these waits until then, or fails. */
  writes: { which: (_write: DocumentWrite) => false as boolean, until: Promise.resolve(), waiting: 0 },
};

async function manager(): Promise<void> {
  if (!world.isManagerHanging) return;
  world.hung++;
  await new Promise(() => {});
}

function troubled(engine: ClusterDriver): ClusterDriver {
  const { resourceManager } = engine;
  const { launcher } = resourceManager;
  if (!launcher) throw new Error('It launches nothing');
  return {
    ...engine,
    resourceManager: {
      ...resourceManager,
      async listApplications(options) {
        await manager();
        return resourceManager.listApplications(options);
      },
      async getApplication(appId, options) {
        await manager();
        return resourceManager.getApplication(appId, options);
      },
      launcher: {
        ...launcher,
        async launch(request, options) {
          world.waiting.add(request.name);
          await world.gates.get(request.name);
          world.waiting.delete(request.name);
          return launcher.launch(request, options);
        },
      },
    },
    async master(appId, options) {
      const master = await engine.master(appId, options);
      return {
        ...master,
        async info(asked) {
          if (world.isMasterDown) {
            world.refused++;
            throw new Unreachable('The master');
          }
          return { ...(await master.info(asked)), metrics: world.metrics };
        },
      };
    },
  };
}

/** Outlives its gateways. */
const memory = memoryStorage();
const storage: Storage = {
  ...memory,
  close: async () => {},
  documents: {
    ...memory.documents,
    async write(batch) {
      const { writes } = world;
      if (batch.some(writes.which)) {
        writes.waiting++;
        await writes.until;
      }
      return memory.documents.write(batch);
    },
  },
};

const lasting = `sh -c 'trap "exit 0" TERM; while true; do sleep 0.05; done'`;
const container = (run = lasting) => ({ type: 'container', container: { run } }) as const;
const needs = (...names: string[]) =>
  names.map((name) => ({ name, requiredBeforeLaunch: true, transient: true }));
const apps: Readonly<Record<string, readonly string[]>> = {
  alone: [],
  first: ['shared', 'own'],
  second: ['shared'],
  third: ['shared'],
  late: ['left'],
  chained: ['upper'],
};
const file = join(directory, 'apps.apa');
const bytes = packageOf(
  { name: 'apps' },
  {
    ...Object.fromEntries(
      Object.keys(apps).map((name) => [`app/${name}.json`, JSON.stringify(words(name).application)]),
    ),
    'resources/services.json': JSON.stringify({
      services: [
        ...['shared', 'own', 'left', 'lower'].map((name) => ({ name, ...container() })),
        { name: 'upper', ...container(), requiredServices: ['lower'] },
      ],
      applications: Object.entries(apps).map(([name, names]) => ({
        name,
        requiredServices: needs(...names),
      })),
    }),
  },
);
writeFileSync(file, bytes);

const programs = processRuntime({ directory: join(directory, 'programs') });
const options = () => ({
  storage,
  cluster: troubled(localCluster({ directory: join(directory, 'engine'), execPath: bareRuntime(directory) })),
  containers: programs,
  // A question that nobody answers is waited for longer than this test takes.
  services: {
    limits: { pollMillis: 100, retryFirstMillis: 100, stopGraceMillis: 5000, askMillis: 600_000 },
  },
  timeouts: { resourceManagerMillis: 600_000 },
});
const { client, gateway, baseUrl, logs } = await newGateway(t, options());
t.teardown(async () => {
  for (const { name } of await programs.list()) await programs.remove(name);
});
await client.uploadPackage({ body: bytes });
const owner = (await client.listPackages({ query: {} })).appPackages[0]?.owner ?? '';
const launch = (appName: string) =>
  client.launchPackageApplication({ params: { owner, name: 'apps', version: '1.0.0', appName } });
const get = (name: string) => client.getService({ params: { name } });
const untilState = (name: string, state: string) =>
  until(
    () => get(name),
    (service) => service.state === state,
  );
const names = async () => (await client.listServices()).services.map(({ name }) => name);

/** Launches of this application wait until `open`, or fail with `fail`. */
function gate(name: string) {
  let open = () => {};
  let fail = () => {};
  const passed = new Promise<void>((resolve, reject) => {
    open = resolve;
    fail = () => reject(new Conflict('NO_CAPACITY', 'There is no room'));
  });
  world.gates.set(name, passed);
  return { open, fail };
}

/** Its services are there, and the engine does not know of it yet. */
async function half(appName: string) {
  const door = gate(appName);
  const launched = launch(appName);
  launched.catch(() => {});
  await until(
    async () => world.waiting.has(appName),
    (waits) => waits,
  );
  return { ...door, launched };
}

const end = ({ appId }: { appId: string }) => client.killApplication({ params: { appid: appId } });
const gone = (name: string) => until(names, (all) => !all.includes(name));

t.test('what is transient stays for a launch under way when who had it before ends', async (t) => {
  const first = await launch('first');
  const { containerId } = await get('shared');
  const second = await half('second');
  await end(first);
  await gone('own');
  t.match(await get('shared'), { state: 'RUNNING', containerId });
  second.open();
  const { appId } = await second.launched;
  t.match(await get('shared'), { state: 'RUNNING', containerId, dependentApps: [{ appId }] });
  await end({ appId });
  await gone('shared');
});

t.test('and when the launch that brought it fails', async (t) => {
  const third = await half('third');
  const { containerId } = await get('shared');
  const second = await half('second');
  third.fail();
  await t.rejects(third.launched, { message: /no room/ });
  t.match(await get('shared'), { state: 'RUNNING', containerId });
  second.open();
  await end(await second.launched);
  await gone('shared');
  world.gates.clear();
});

t.test('a launch waits for one that is just being deleted, and has it anew', async (t) => {
  const third = await launch('third');
  const { containerId } = await get('shared');
  let open = () => {};
  world.writes.until = new Promise((resolve) => {
    open = resolve;
  });
  world.writes.which = ({ collection, key }) => collection === 'services' && key === 'shared';
  await end(third);
  await until(
    async () => world.writes.waiting,
    (count) => count > 0,
  );
  let hasAnswered = false;
  const second = launch('second').finally(() => {
    hasAnswered = true;
  });
  // It does not get past the service, however long that takes.
  await Promise.all([names(), names()]);
  await names();
  world.writes.which = () => false;
  t.notOk(hasAnswered);
  open();
  const { appId } = await second;
  const next = await get('shared');
  t.match(next, { state: 'RUNNING', dependentApps: [{ appId }] });
  t.not(next.containerId, containerId);
  await end({ appId });
  await gone('shared');
});

/** Deletes a service; the last write of that waits until `open`. */
async function goingOf(name: string) {
  let open = () => {};
  world.writes.waiting = 0;
  world.writes.until = new Promise((resolve) => {
    open = resolve;
  });
  world.writes.which = ({ op, collection, key }) =>
    op === 'delete' && collection === 'services' && key === name;
  const deleted = client.deleteService({ params: { name } });
  await until(
    async () => world.writes.waiting,
    (count) => count > 0,
  );
  world.writes.which = () => false;
  return { open, deleted };
}

t.test('one that comes again has the needs that the package says', async (t) => {
  await client.putService({ params: { name: 'upper' }, body: container() });
  await untilState('upper', 'RUNNING');
  const { open, deleted } = await goingOf('upper');
  const launched = launch('chained');
  await Promise.all([names(), names()]);
  await names();
  open();
  await deleted;
  const { appId } = await launched;
  for (const name of ['upper', 'lower'])
    t.match(await get(name), { state: 'RUNNING', dependentApps: [{ appId }] });
  await end({ appId });
  // Both are removed at once, and which is done first is open.
  await Promise.all([gone('upper'), gone('lower')]);
});

t.test('a restart without its package does not wait for what is going', async (t) => {
  await client.putService({ params: { name: 'lower' }, body: container() });
  await client.putService({
    params: { name: 'upper' },
    body: { ...container(), requiredServices: ['lower'] },
  });
  const first = await launch('chained');
  await end(first);
  await until(
    () => get('upper'),
    ({ dependentApps }) => dependentApps.length === 0,
  );
  await client.deletePackage({ params: { owner, name: 'apps', version: '1.0.0' } });
  const { open, deleted } = await goingOf('lower');
  const { appId } = await client.restartApplication({ params: { appid: first.appId } });
  t.match(await get('upper'), { dependentApps: [{ appId }] });
  open();
  await deleted;
  await client.uploadPackage({ body: bytes });
  await end({ appId });
  await client.deleteService({ params: { name: 'upper' } });
});

t.test('what runs is told and shared also when its needs can not be kept', async (t) => {
  const third = await launch('third');
  const readOnly = { users: ['eve'], roles: [], everyone: false };
  await client.putApplicationPermissions({ params: { appid: third.appId }, body: { readOnly } });
  await end(third);
  await gone('shared');
  const full = Promise.reject(new Error('The disk is full'));
  full.catch(() => {});
  world.writes.until = full;
  world.writes.which = ({ collection }) => collection === 'service-needs';
  const { appId } = await client.restartApplication({ params: { appid: third.appId } });
  world.writes.which = () => false;
  t.match(await client.getApplicationPermissions({ params: { appid: appId } }), { readOnly });
  t.match(await get('shared'), { state: 'RUNNING', dependentApps: [{ appId }] });
  const [line] = logs.filter(({ level }) => level === 'error');
  t.match(line, { message: 'the services that an application needs can not be kept', fields: { appId } });
  const kept = await until(
    async () => (await memory.documents.get('service-needs', appId))?.value,
    (value) => value !== undefined,
  );
  t.match(kept, { services: ['shared'] }, 'the next start must not take it for unneeded');
  await end({ appId });
  await gone('shared');
});

t.test('a service goes on through the proxy while its master does not tell where it listens', async (t) => {
  const server = createServer((_req, res) => res.end('still here'));
  const { baseUrl: at, close } = await listening(server);
  t.teardown(close);
  await client.putService({
    params: { name: 'query' },
    body: {
      type: 'engine',
      srcUrl: pathToFileURL(file).href,
      engine: { appName: 'alone' },
      proxy: { address: '${QueryPort}' },
    },
  });
  await untilState('query', 'RUNNING');
  const page = () => fetch(`${baseUrl}/proxy/services/query/`);
  const early = await page();
  t.equal(early.status, 503, 'it has not told yet');
  t.match(await early.text(), /QueryPort\} has no value/);
  world.metrics = { hub: { QueryPort: Number(new URL(at).port), constructor: 7 } };
  const { metadata } = await until(
    () => get('query'),
    ({ metadata }) => metadata['QueryPort'] !== undefined,
  );
  t.equal(metadata['constructor'], '7', 'also what is the name of something else');
  world.isMasterDown = true;
  await until(
    async () => world.refused,
    (count) => count > 3,
  );
  const late = await page();
  t.strictSame([late.status, await late.text()], [200, 'still here']);
});

t.test('containers are looked after while the resource manager hangs, and the gateway closes', async (t) => {
  await launch('first');
  const late = await half('late');
  await client.putService({ params: { name: 'plain' }, body: container() });
  const { containerId } = await untilState('plain', 'RUNNING');
  world.isManagerHanging = true;
  await until(
    async () => world.hung,
    // The look at services of the engine, and the one for applications that have ended.
    (count) => count >= 2,
  );
  await programs.stop('plain', { graceMillis: 5000 });
  const next = await until(
    () => get('plain'),
    (service) => service.state === 'RUNNING' && service.containerId !== containerId,
  );
  t.ok(next.containerId);
  await gateway.close();
  t.notOk(
    logs.some(({ message }) => message === 'services can not be looked after'),
    'nothing failed by that',
  );

  // Its services were there already; now it never comes.
  late.fail();
  await t.rejects(late.launched);
  world.isManagerHanging = false;
  const { client: other } = await newGateway(t, options());
  await until(
    async () => (await other.listServices()).services.map(({ name }) => name),
    (all) => all.includes('plain') && !all.includes('left'),
  );
});
