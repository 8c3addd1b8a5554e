import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { randomNumbers, writePackage } from './application-package.js';
import { artifacts } from './artifacts.js';
import { startYarn } from './cluster.js';
import { recorder } from './recorder.js';

// Asks every part of a real cluster what the driver asks, and writes the answers to test/stages/yarn/fixtures:
// `npx tsc -p . && node build/test/stages/yarn/record.js`, about four minutes.

const parts = await artifacts();
const cluster = await startYarn(parts);
const { ask, command, save } = recorder(cluster);
const { resourceManager, nodeManager, nameNode } = cluster;
const rm = `${resourceManager}/ws/v1/cluster`;

const AppId = z.object({ appId: z.string() });
const AppState = z.object({ app: z.object({ state: z.string() }) });
const Info = z.object({ appMasterTrackingUrl: z.string(), appPath: z.string() });
const Plan = z.object({
  operators: z.array(
    z.object({ currentWindowId: z.string(), status: z.string(), container: z.string().nullable() }),
  ),
});
const Started = z.object({ id: z.string() });

async function until(fits: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 180_000;
  while (!(await fits().catch(() => false))) {
    if (performance.now() > deadline) throw new Error(`Never: ${fits}`);
    await delay(300);
  }
}
const fetched = async (url: string) => (await fetch(url)).json();
const stateOf = async (id: string) => AppState.parse(await fetched(`${rm}/apps/${id}`)).app.state;
const step = (what: string) => console.log(`${new Date().toISOString().slice(11, 19)} ${what}`);

async function emptyCluster() {
  step('an empty cluster');
  for (const path of ['info', 'metrics', 'scheduler', 'nodes', 'apps', 'nodes?states=LOST'])
    await ask(`resource-manager/empty/${path}`, `${rm}/${path}`);
  await ask('resource-manager/unknown-application', `${rm}/apps/application_1_0001`);
  await ask('resource-manager/no-application-id', `${rm}/apps/nonsense`);
  await ask('resource-manager/unknown-state', `${rm}/apps?states=NONSENSE`);
  await ask('resource-manager/configuration', `${resourceManager}/conf?format=json`);
  await ask('resource-manager/proxy-unknown', `${resourceManager}/proxy/application_1_0001/ws`);
  await ask('node-manager/info', `${nodeManager}/ws/v1/node/info`);
  await ask(
    'node-manager/unknown-log',
    `${nodeManager}/ws/v1/node/containerlogs/container_1_0001_01_000001/x`,
  );
  await command('command-line/list-apps-none', 'list-apps');
}

async function packages() {
  step('packages');
  const file = join(cluster.directory, 'random.apa');
  await writePackage(file, { jars: parts.packageJars, applications: { Random: randomNumbers } });
  await command('command-line/get-app-package-info', `get-app-package-info "${file}"`);
  await command('command-line/show-logical-plan', `show-logical-plan "${file}" "Random"`);
  await command('command-line/launch-unknown-application', `launch "${file}" "Nonsense"`);
  await command('command-line/launch-no-file', `launch "${file}.none" "Random"`);
  await command('command-line/unknown-command', 'nonsense');
  return file;
}

async function running(file: string) {
  step('launch');
  const { appId } = AppId.parse(
    JSON.parse(await command('command-line/launch', `launch "${file}" "Random"`)),
  );
  await ask('resource-manager/accepted', `${rm}/apps/${appId}`);
  await ask('resource-manager/proxy-accepted', `${resourceManager}/proxy/${appId}/ws`);
  await until(async () => (await stateOf(appId)) === 'RUNNING');
  const proxy = `${resourceManager}/proxy/${appId}`;
  await until(async () =>
    Plan.parse(await fetched(`${proxy}/ws/v2/stram/physicalPlan`)).operators.every(
      (operator) => operator.status === 'ACTIVE' && operator.currentWindowId !== '0',
    ),
  );
  const info = Info.parse(await fetched(`${proxy}/ws/v2/stram/info`));
  return {
    appId,
    proxy,
    master: `http://${info.appMasterTrackingUrl}/ws/v2/stram`,
    path: new URL(info.appPath).pathname,
  };
}
type Running = Awaited<ReturnType<typeof running>>;

async function manager({ appId, proxy }: Running) {
  step('the resource manager');
  for (const path of ['apps', 'metrics', 'scheduler', 'nodes', `apps/${appId}`])
    await ask(`resource-manager/running/${path === `apps/${appId}` ? 'application' : path}`, `${rm}/${path}`);
  await ask(
    'resource-manager/running/engine-applications',
    `${rm}/apps?applicationTypes=ApacheApex,DataTorrent`,
  );
  await ask('resource-manager/running/attempts', `${rm}/apps/${appId}/appattempts`);
  await ask('resource-manager/running/state', `${rm}/apps/${appId}/state`);
  await ask('resource-manager/running/proxy', `${proxy}/ws`);
  await ask('resource-manager/running/proxy-post', `${proxy}/ws/v2/stram/shutdown-nothing`, {
    method: 'POST',
    body: {},
  });
  await ask('resource-manager/running/wrong-state', `${rm}/apps/${appId}/state`, {
    method: 'PUT',
    body: { state: 'RUNNING' },
  });
  await command('command-line/list-apps', 'list-apps');
}

async function master({ master }: Running) {
  step('the master: reading');
  const reads = [
    ...[
      'info',
      'physicalPlan',
      'physicalPlan/operators',
      'physicalPlan/operators/1',
      'physicalPlan/operators/99',
    ],
    ...[
      'physicalPlan/operators/nonsense',
      'physicalPlan/operators/1/ports',
      'physicalPlan/operators/1/ports/nonsense',
    ],
    ...['physicalPlan/operators/1/ports/integer_data', 'physicalPlan/operators/1/properties'],
    ...[
      'physicalPlan/operators/1/properties?propertyName=tuplesBlast',
      'physicalPlan/operators/99/properties',
    ],
    ...['physicalPlan/streams', 'physicalPlan/containers', 'physicalPlan/containers/nonsense'],
    ...['logicalPlan', 'logicalPlan/attributes', 'logicalPlan/operators', 'logicalPlan/operators/rand'],
    ...['logicalPlan/operators/nonsense', 'logicalPlan/operators/rand/aggregation'],
    ...['logicalPlan/operators/rand/properties', 'logicalPlan/operators/rand/attributes'],
    ...['logicalPlan/operators/rand/ports', 'logicalPlan/operators/rand/ports/integer_data'],
    ...['logicalPlan/operators/rand/ports/integer_data/attributes'],
    ...['logicalPlan/operators/rand/ports/nonsense/attributes', 'loggers'],
    ...['loggers/search?pattern=com.datatorrent.stram.Str.*', 'operatorClasses?q=console'],
    ...[
      'operatorClasses/com.datatorrent.lib.io.ConsoleOutputOperator',
      'operatorClasses/nonsense',
      'nonsense',
    ],
  ];
  for (const path of reads) await ask(`master/${path}`, `${master}/${path}`);
  const { operators } = Plan.parse(await fetched(`${master}/physicalPlan`));
  const container = operators[0]?.container ?? '';
  await ask('master/container', `${master}/physicalPlan/containers/${container}`);
  await ask('master/stackTrace', `${master}/physicalPlan/containers/${container}/stackTrace`);

  step('the master: changing');
  const post = (name: string, path: string, body: unknown) =>
    ask(`master/post/${name}`, `${master}/${path}`, { method: 'POST', body });
  await post('property', 'logicalPlan/operators/rand/properties', { tuplesBlast: 7, nonsense: 1 });
  await post('property-of-unknown', 'logicalPlan/operators/nonsense/properties', { tuplesBlast: 7 });
  await post('physical-property', 'physicalPlan/operators/1/properties', { minvalue: 3 });
  await post('physical-property-of-unknown', 'physicalPlan/operators/99/properties', { minvalue: 3 });
  await post('loggers', 'loggers', { loggers: [{ target: 'com.datatorrent.stram.*', logLevel: 'DEBUG' }] });
  await ask('master/loggers-set', `${master}/loggers`);
  await post('kill-unknown-container', 'physicalPlan/containers/nonsense/kill', {});
  await post('recording-of-unknown', 'physicalPlan/operators/99/recordings/start', {});
  const recording = Started.parse(await post('recording', 'physicalPlan/operators/1/recordings/start', {}));
  await post('recording-of-unknown-port', 'physicalPlan/operators/1/ports/nonsense/recordings/start', {});
  const short = Started.parse(
    await post('port-recording', 'physicalPlan/operators/2/ports/input/recordings/start', { numWindows: 4 }),
  );
  await delay(4000);
  await ask('master/operator-being-recorded', `${master}/physicalPlan/operators/1`);
  await post('recording-stop', 'physicalPlan/operators/1/recordings/stop', {});
  await post('plan-unknown-request', 'logicalPlan', { requests: [{ requestType: 'NonsenseRequest' }] });
  await post('plan-unknown-class', 'logicalPlan', {
    requests: [{ requestType: 'CreateOperatorRequest', operatorName: 'x', operatorFQCN: 'nonsense.Class' }],
  });
  await post('plan-change', 'logicalPlan', {
    requests: [
      {
        requestType: 'CreateOperatorRequest',
        operatorName: 'second',
        operatorFQCN: 'com.datatorrent.lib.stream.DevNull',
      },
      {
        requestType: 'AddStreamSinkRequest',
        streamName: 'numbers',
        sinkOperatorName: 'second',
        sinkOperatorPortName: 'data',
      },
    ],
  });
  return { container, recordings: [`1/${recording.id}`, `2/${short.id}`] };
}

async function files({ path }: Running, recordings: readonly string[]) {
  step('the file system');
  await delay(2000);
  const webhdfs = `${nameNode}/webhdfs/v1`;
  const at = (below: string, op: string) => `${webhdfs}${path}${below}?op=${op}`;
  const data = async (name: string, below: string) => {
    const first = await fetch(at(below, 'OPEN'), { redirect: 'manual' });
    await first.arrayBuffer();
    await ask(`web-hdfs/${name}`, first.headers.get('location') ?? at(below, 'OPEN'));
  };
  await ask('web-hdfs/home', `${webhdfs}/?op=GETHOMEDIRECTORY&user.name=root`);
  await ask('web-hdfs/application', at('', 'LISTSTATUS'));
  await ask('web-hdfs/events', at('/events', 'LISTSTATUS'));
  await ask('web-hdfs/status', at('/meta.json', 'GETFILESTATUS'));
  await ask('web-hdfs/missing', at('/nonsense', 'GETFILESTATUS'));
  await ask('web-hdfs/open', at('/meta.json', 'OPEN'));
  await ask('web-hdfs/open-directory', at('/events', 'OPEN'));
  for (const name of [
    'meta.json',
    'containers_1.json',
    'operators_1.json',
    'events/meta.txt',
    'events/part0.txt',
  ])
    await data(`text/${name}`, `/${name}`);
  for (const name of [
    'containers/meta.txt',
    'containers/part0.txt',
    'operators/rand/meta.txt',
    'operators/rand/part0.txt',
  ])
    await data(`text/stats/${name}`, `/stats/${name}`);
  for (const [index, recording] of recordings.entries())
    for (const name of ['meta.txt', 'index.txt', 'part0.txt'])
      await data(`text/recordings/${index}/${name}`, `/recordings/${recording}/${name}`);
  await ask('web-hdfs/create', `${at('/permissions.json', 'CREATE')}&overwrite=true&user.name=root`, {
    method: 'PUT',
  });
  await ask('web-hdfs/make-directory', `${webhdfs}/tmp/made?op=MKDIRS&user.name=root`, { method: 'PUT' });
  await ask('web-hdfs/delete', `${webhdfs}/tmp/made?op=DELETE&recursive=true&user.name=root`, {
    method: 'DELETE',
  });
  await ask('web-hdfs/delete-missing', `${webhdfs}/tmp/made?op=DELETE&recursive=true&user.name=root`, {
    method: 'DELETE',
  });
  const secret = `${webhdfs}/tmp/private`;
  await fetch(`${secret}?op=MKDIRS&permission=700&user.name=root`, { method: 'PUT' });
  await ask('web-hdfs/list-not-allowed', `${secret}?op=LISTSTATUS&user.name=eve`);
  await ask('web-hdfs/delete-not-allowed', `${secret}/x?op=DELETE&user.name=eve`, { method: 'DELETE' });
  const create = `${secret}/x?op=CREATE&user.name=eve`;
  const first = await fetch(create, { method: 'PUT', redirect: 'manual' });
  await first.arrayBuffer();
  await ask('web-hdfs/create-not-allowed', create, { method: 'PUT' });
  await ask('web-hdfs/create-not-allowed-then', first.headers.get('location') ?? create, {
    method: 'PUT',
    body: 1,
  });
}

async function logs({ appId, master }: Running, container: string) {
  step('logs');
  const user = 'root';
  const raw = `${nodeManager}/logs/userlogs/${appId}/${container}`;
  await ask('node-manager/raw-directory', `${raw}/`);
  await ask('node-manager/raw-range', `${raw}/apex.log`, { range: 'bytes=0-99' });
  await ask('node-manager/raw-suffix', `${raw}/apex.log`, { range: 'bytes=-50' });
  await ask('node-manager/raw-past-the-end', `${raw}/apex.log`, { range: 'bytes=99999999-' });
  await ask('node-manager/raw-missing', `${raw}/nonsense.log`);
  await ask('node-manager/page', `${nodeManager}/node/containerlogs/${container}/${user}`);
  await ask(
    'node-manager/file-page',
    `${nodeManager}/node/containerlogs/${container}/${user}/stdout/?start=-200`,
  );
  await ask('node-manager/whole-file', `${nodeManager}/ws/v1/node/containerlogs/${container}/stdout`);
  await ask(
    'node-manager/whole-file-missing',
    `${nodeManager}/ws/v1/node/containerlogs/${container}/nonsense.log`,
  );
  await ask('node-manager/containers', `${nodeManager}/ws/v1/node/containers`);
  await ask('node-manager/logs-of-newer-versions', `${nodeManager}/ws/v1/node/containers/${container}/logs`);
  await ask('master/post/kill-container', `${master}/physicalPlan/containers/${container}/kill`, {
    method: 'POST',
  });
  await until(
    async () => !JSON.stringify(await fetched(`${master}/physicalPlan/operators`)).includes(container),
  );
  await delay(3000);
  await ask('master/containers-after-a-kill', `${master}/physicalPlan/containers`);
}

async function ending({ appId, master, path }: Running, file: string) {
  step('the end');
  await ask('master/post/shutdown', `${master}/shutdown`, { method: 'POST' });
  await until(async () => (await stateOf(appId)) === 'FINISHED');
  await ask('resource-manager/finished', `${rm}/apps/${appId}`);
  await ask('resource-manager/proxy-finished', `${resourceManager}/proxy/${appId}/ws`);
  await ask('resource-manager/attempts-finished', `${rm}/apps/${appId}/appattempts`);
  await ask(
    'web-hdfs/text/events-after-the-end/index.txt',
    `${nameNode}/webhdfs/v1${path}/events/index.txt?op=OPEN`,
  );
  const restarted = AppId.parse(
    JSON.parse(await command('command-line/restart', `launch -originalAppId "${appId}"`)),
  ).appId;
  const state = `${rm}/apps/${restarted}/state`;
  await ask('resource-manager/kill', state, { method: 'PUT', body: { state: 'KILLED' } });
  await until(async () => (await stateOf(restarted)) === 'KILLED');
  await ask('resource-manager/kill-again', state, { method: 'PUT', body: { state: 'KILLED' } });
  await ask('resource-manager/killed', `${rm}/apps/${restarted}`);

  step('an application that fails');
  const failing = `launch -D "apex.attr.CONTAINER_JVM_OPTIONS=-Xnonsense" -D "apex.attr.MASTER_MEMORY_MB=64" "${file}" "Random"`;
  const failed = AppId.parse(JSON.parse(await command('command-line/launch-failing', failing))).appId;
  await until(async () => ['FAILED', 'FINISHED'].includes(await stateOf(failed)));
  await ask('resource-manager/failed', `${rm}/apps/${failed}`);
  await ask('resource-manager/attempts-failed', `${rm}/apps/${failed}/appattempts`);
  await command('command-line/restart-unknown', 'launch -originalAppId "application_1_0001"');
}

try {
  await emptyCluster();
  const file = await packages();
  const application = await running(file);
  await manager(application);
  const { container, recordings } = await master(application);
  await files(application, recordings);
  await logs(application, container);
  await ending(application, file).catch((error) => console.error(error));
} finally {
  await save(join(process.cwd(), 'test/stages/yarn/fixtures'));
  await cluster.close();
}
