import t from 'tap';
import { memoryStorage } from '../../../adapters/storage/memory.js';
import { flinkGateway } from '../../helpers/flink.js';
import { until } from '../../helpers/waiting.js';

// A JobManager that is not well: nothing ends without evidence, nothing waits for long, and nothing of its insides is passed on.

const limits = { timeoutMillis: 1000, answerBytes: 1024 * 1024 };
const unreachable = { status: 502, code: 'UNREACHABLE' } as const;
const unusable = { status: 502, code: 'UNUSABLE_ANSWER' } as const;
const late = { status: 504, code: 'TIMED_OUT' } as const;

t.test('one that is down at the start, and comes up later', async (t) => {
  const { client, double } = await flinkGateway(t, { limits });
  await double.jobManagers[0]?.stop();
  const { id } = double.start();
  await t.rejects(client.listApplications(), unreachable);
  await t.rejects(client.getApplication({ params: { appid: id } }), unreachable, 'it was never seen');
  t.match(await client.getAbout(), { platformVersion: /./ }, 'what the gateway itself knows is told');
  await double.jobManagers[0]?.start();
  const apps = await until(
    () => client.listApplications().catch(() => undefined),
    (found) => found !== undefined,
  );
  t.match(apps, { apps: [{ id, state: 'RUNNING' }] });
});

t.test('what it answers in place of an answer is told as such, and a job runs on', async (t) => {
  const { client, double } = await flinkGateway(t, { limits });
  const { id } = double.start();
  const params = { appid: id };
  const before = await client.getApplication({ params });
  t.match(before, { state: 'RUNNING', clusterState: 'RUNNING', stats: { numOperators: 2 } });
  const [manager] = double.jobManagers;
  for (const [fault, expected] of [
    ['down', unreachable],
    ['hang', late],
    ['garbage', unusable],
    ['cut', unreachable],
    ['huge', unusable],
  ] as const) {
    if (manager) manager.fault = fault;
    await until(
      () => client.getPhysicalPlan({ params }).catch((error: unknown) => error),
      (answer) =>
        Object.entries(expected).every(([name, value]) => Reflect.get(Object(answer), name) === value),
    );
    const told = await client.getApplication({ params });
    t.match(told, { state: 'RUNNING', finalStatus: 'UNDEFINED', finishedTime: 0 }, fault);
    t.ok(told.observedAt >= before.observedAt && told.observedAt <= Date.now(), 'as it was last seen');
    await t.rejects(client.killApplication({ params }), fault);
  }
  if (manager) manager.fault = undefined;
  await until(
    () => client.getApplication({ params }),
    ({ stats }) => stats?.numOperators === 2,
  );
});

t.test('a job that it forgot is not ended, also after a restart of the gateway', async (t) => {
  const storage = { ...memoryStorage(), close: async () => {} };
  const first = await flinkGateway(t, { limits }, { storage });
  const job = first.double.start();
  const params = { appid: job.id };
  t.match(await first.client.getApplication({ params }), { state: 'RUNNING' });
  first.double.jobs.delete(job.id);
  const told = await until(
    () => first.client.getApplication({ params }),
    ({ stats }) => stats === null,
  );
  t.match(told, { state: 'RUNNING', finalStatus: 'UNDEFINED' });
  t.match(await first.client.listApplications(), { apps: [{ id: job.id, state: 'RUNNING' }] });

  const ended = first.double.start('ended');
  await first.client.getApplication({ params: { appid: ended.id } });
  first.double.end(ended, 'FINISHED');
  await until(
    () => first.client.getApplication({ params: { appid: ended.id } }),
    ({ state }) => state === 'FINISHED',
  );
  first.double.jobs.delete(ended.id);
  await until(
    () => first.client.getPhysicalPlan({ params: { appid: ended.id } }).catch((error: unknown) => error),
    (error) => Reflect.get(Object(error), 'code') === 'APPLICATION_ENDED',
  );
  await first.gateway.close();

  const second = await flinkGateway(t, { limits }, { storage });
  const { apps } = await second.client.listApplications();
  t.strictSame(
    apps.map(({ id, finalStatus }) => [id, finalStatus]).sort(),
    [
      [job.id, 'UNDEFINED'],
      [ended.id, 'SUCCEEDED'],
    ].sort(),
  );
});

t.test('of several JobManagers the one is asked that answers', async (t) => {
  const { client, double } = await flinkGateway(t, { limits, managers: 2 });
  const { id } = double.start();
  const [first, second] = double.jobManagers;
  if (first) first.fault = 'garbage';
  t.match(await client.listApplications(), { apps: [{ id }] });
  const asked = first?.asked.length;
  await client.getPhysicalPlan({ params: { appid: id } });
  t.equal(first?.asked.length, asked, 'the one that answered is asked from now on');
  if (first) first.fault = undefined;
  await second?.stop();
  await until(
    () => client.listApplications().catch(() => undefined),
    (found) => found?.apps[0]?.id === id,
  );
});

t.test('no id of somebody else becomes a part of a path, and no stack trace leaves', async (t) => {
  const { client, double } = await flinkGateway(t, { limits });
  const { id } = double.start();
  for (const appid of ['overview', '../config', `${id}/plan`, id.toUpperCase(), '0'.repeat(32)]) {
    const error = await client.getApplication({ params: { appid } }).catch((thrown: unknown) => thrown);
    t.match(error, { status: 404 }, appid);
    t.notMatch(JSON.stringify(error), /\bat org\.|Exception/);
  }
  const paths = double.jobManagers[0]?.asked ?? [];
  const known =
    /^GET \/(jobs\/([0-9a-f]{32}(\/.*)?|overview)|taskmanagers(\/(tm\d|metrics))?|config|overview)$/;
  t.strictSame(
    paths.filter((path) => !known.test(path)),
    [],
  );
});
