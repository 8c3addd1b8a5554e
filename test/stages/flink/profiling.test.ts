import { join } from 'node:path';
import t, { type Test } from 'tap';
import type { Client } from '../../../lib/client.js';
import { flinkCluster } from '../../../packages/flink/index.js';
import { until } from '../../helpers/waiting.js';
import { flinkParts, flinkVersions, withJar } from './artifacts.js';
import { startFlink } from './cluster.js';
import { countedGateway } from './driven.js';
import { shortLived } from './java-options.js';
import { jobOf, runJar, untilJobRuns, uploadJar } from './jobs.js';

// What a slow job of a real Flink is looked into with: flame graphs, back-pressure, and the profiler of its process.

interface Real {
  readonly client: Client;
  readonly appid: string;
  readonly source: string;
  readonly slow: string;
}

const options = {
  'web.refresh-interval': '500',
  'metrics.fetcher.update-interval': '500',
  'rest.flamegraph.enabled': true,
  'rest.profiling.enabled': true,
  'rest.profiling.duration-max': '60 s',
};

/** Frames that the compiler has put into others are told all the same. */
const machine = [...shortLived, '-XX:+UnlockDiagnosticVMOptions', '-XX:+DebugNonSafepoints'];

for (const version of flinkVersions)
  t.test(`Flink ${version}`, async (t) => {
    const parts = await flinkParts(version);
    await withJar(parts, join(process.cwd(), 'test/stages/flink/programs'), async (jar) => {
      const cluster = await startFlink(parts, { taskManagers: 1, slots: 2, options, machine });
      t.teardown(() => cluster.close());
      const { rest } = cluster;
      const program = { entryClass: 'Numbers', args: ['slow', '1', 'slow'] };
      const appid = await runJar(rest, await uploadJar(rest, jar), program);
      await untilJobRuns(rest, appid);
      const [source = '', slow = ''] = (await jobOf(rest, appid)).vertices.map(({ name }) => name);
      const driver = flinkCluster({ jobManagers: rest, pollMillis: 500 });
      const { client } = await countedGateway(t, version, { cluster: driver });
      const real = { client, appid, source, slow };
      await t.test('flame graphs', (t) => flameGraphs(t, real));
      await t.test('back-pressure', (t) => backPressure(t, real));
      await t.test('profiles', (t) => profiles(t, real));
      await t.test('of what has ended', (t) => ended(t, real));
    });
  });

type Frame = Awaited<ReturnType<Client['getFlameGraph']>>['root'];
const namesIn = ({ name, children }: Frame): string[] => [name, ...children.flatMap(namesIn)];

async function flameGraphs(t: Test, { client, appid, source, slow }: Real) {
  const graphOf = (opName: string, query: { type?: 'ON_CPU' | 'OFF_CPU'; operatorId?: string }) =>
    until(
      () => client.getFlameGraph({ params: { appid, opName }, query }).catch((error: unknown) => error),
      (told) => 'root' in Object(told),
    ).then((told) => told as Awaited<ReturnType<Client['getFlameGraph']>>);
  const onCpu = await graphOf(slow, { type: 'ON_CPU' });
  t.ok(namesIn(onCpu.root).some((name) => name.startsWith('Numbers$Slowly.map:')));
  t.ok(onCpu.root.samples > 0 && onCpu.framesLeftOut === 0);
  t.ok(onCpu.sampledAt <= Date.now() && onCpu.sampledAt > Date.now() - 600_000);
  const one = await graphOf(slow, { operatorId: '200000' });
  t.ok(namesIn(one.root).some((name) => name.startsWith('Numbers$Slowly.map:')));
  const waiting = await graphOf(source, { type: 'OFF_CPU' });
  t.notOk(namesIn(waiting.root).some((name) => name.startsWith('Numbers$Slowly.map:')));
}

async function backPressure(t: Test, { client, appid, source, slow }: Real) {
  const told = (opName: string) => client.getBackPressure({ params: { appid, opName } });
  const { operators } = await until(
    () => told(source),
    ({ level }) => level === 'HIGH',
  );
  t.match(operators, [{ operatorId: '100000', level: 'HIGH' }]);
  t.ok((operators[0]?.backPressuredPercentage ?? 0) > 50);
  const busy = await until(
    () => told(slow),
    (answer) => (answer.operators[0]?.busyPercentage ?? 0) > 50,
  );
  t.match(busy, { level: 'OK', observedAt: Number });
}

async function profiles(t: Test, { client, appid }: Real) {
  const params = { appid, containerId: 'tm1' };
  t.strictSame((await client.listProfiles({ params })).profiles, []);
  await t.rejects(client.startProfile({ params, body: { seconds: 61 } }), {
    code: 'ENGINE_REFUSED',
    message: /60s/,
  });
  const begun = await client.startProfile({ params, body: { mode: 'ITIMER', seconds: 3 } });
  t.match(begun, { state: 'RUNNING', mode: 'ITIMER', seconds: 3 });
  await t.rejects(client.startProfile({ params, body: { seconds: 1 } }), { code: 'PROFILE_UNDER_WAY' });
  const { id } = begun;
  const { profiles } = await until(
    () => client.listProfiles({ params }),
    (told) => told.profiles[0]?.state !== 'RUNNING',
  );
  t.match(profiles, [{ id, state: 'FINISHED', failure: undefined, finishedTime: Number }]);
  const page = await client.downloadProfile({ params: { ...params, id } });
  t.match(page.headers.get('content-disposition'), /^attachment; filename="tm1_ITIMER_.+\.html"/);
  const text = await page.text();
  t.equal(
    String(Buffer.byteLength(text)),
    page.headers.get('content-length') ?? String(Buffer.byteLength(text)),
  );
  // The compiler puts the job's own code into what calls it.
  t.match(text, /StreamMap\.processElement|Numbers\$Slowly\.map/);
  t.strictSame(
    (await client.listProfiles({ params: { appid, containerId: 'jobmanager' } })).profiles,
    [],
    'each process has its own',
  );
}

async function ended(t: Test, { client, appid, slow }: Real) {
  await client.killApplication({ params: { appid } });
  const params = { appid, opName: slow };
  const hasEnded = (error: unknown) => Reflect.get(Object(error), 'code') === 'APPLICATION_ENDED';
  t.ok(await until(() => client.getFlameGraph({ params }).catch((error: unknown) => error), hasEnded));
  t.ok(await until(() => client.getBackPressure({ params }).catch((error: unknown) => error), hasEnded));
}
