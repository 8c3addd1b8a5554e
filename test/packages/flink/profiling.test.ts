import t from 'tap';
import type { Client } from '../../../lib/client.js';
import { profilePage } from '../../doubles/flink/profiling.js';
import { flinkGateway } from '../../helpers/flink.js';
import { as, people } from '../../helpers/people.js';
import { until } from '../../helpers/waiting.js';

// What a job is looked into with: flame graphs, back-pressure and the profiler of processes.

const limits = { measureMillis: 300 };
const opName = 'plus one';

type FlameGraph = Awaited<ReturnType<Client['getFlameGraph']>>;
const namesIn = ({ name, children }: FlameGraph['root']): string[] => [name, ...children.flatMap(namesIn)];

t.test('a flame graph is waited for, and its frames are a tree, the largest first', async (t) => {
  const { client, double } = await flinkGateway(t);
  const params = { appid: double.start().id, opName };
  const { sampledAt, ...graph } = await client.getFlameGraph({ params });
  t.ok(Math.abs(Date.now() - sampledAt) < 60_000);
  t.strictSame(graph, {
    type: 'FULL',
    framesLeftOut: 0,
    root: {
      name: 'root',
      samples: 100,
      children: [
        {
          name: 'java.lang.Thread.run:840',
          samples: 100,
          children: [
            { name: 'Numbers$Make.map:41', samples: 60, children: [] },
            { name: 'java.lang.Object.wait:-2', samples: 40, children: [] },
          ],
        },
      ],
    },
  });
  const onCpu = await client.getFlameGraph({ params, query: { type: 'ON_CPU', operatorId: '200000' } });
  t.match(onCpu, { type: 'ON_CPU', root: { samples: 60 } });
  t.notOk(namesIn(onCpu.root).some((name) => name.includes('wait')));
  const [jobManager] = double.jobManagers;
  const asked = jobManager?.asked.filter((one) => one.endsWith('/flamegraph')).length ?? 0;
  await Promise.all(Array.from({ length: 10 }, () => client.getFlameGraph({ params })));
  const again = (jobManager?.asked.filter((one) => one.endsWith('/flamegraph')).length ?? 0) - asked;
  t.ok(again <= 2, `${again} questions for ten callers`);
});

t.test('a flame graph that is too large is cut where there are the fewest samples', async (t) => {
  const { client, double } = await flinkGateway(t, { limits: { ...limits, frames: 100 } });
  const params = { appid: double.start().id, opName };
  const many = Array.from({ length: 1000 }, (_, index) => ({
    name: `m${index}`,
    value: index,
    children: [],
  }));
  double.profiling.flameGraph = {
    endTimestamp: 5,
    data: { name: 'root', value: 1_000_000, children: [...many, { name: 7 }, null] },
  };
  const { root, sampledAt, framesLeftOut } = await client.getFlameGraph({ params });
  t.equal(sampledAt, 5);
  t.equal(root.children.length, 99);
  t.strictSame([root.children[0]?.name, root.children.at(-1)?.name], ['m999', 'm901']);
  t.equal(framesLeftOut, 901);
});

t.test('one that is deeper than anything is cut, whatever it says of itself', async (t) => {
  const { client, double } = await flinkGateway(t, { limits });
  const params = { appid: double.start().id, opName };
  const depth = 100_000;
  const frame = '{"name":"f","value":9,"children":[';
  double.profiling.flameGraph = `{"endTimestamp":5,"data":${frame.repeat(depth)}${']}'.repeat(depth)}}`;
  const { root, framesLeftOut } = await client.getFlameGraph({ params });
  t.equal(namesIn(root).length, 200);
  t.equal(framesLeftOut, depth - 200);
  double.profiling.flameGraph = {
    endTimestamp: 5,
    data: { name: 'root', value: 3, children: [{ name: 'y'.repeat(2000), value: 7 }] },
  };
  const { children } = (
    await until(
      () => client.getFlameGraph({ params }),
      (told) => told.root.samples === 3,
    )
  ).root;
  t.match(children, [{ name: 'y'.repeat(500), samples: 3 }], 'no part is more than the whole');
});

t.test('where there is no flame graph it is said why', async (t) => {
  const { client, double } = await flinkGateway(t, { limits });
  const job = double.start();
  const params = { appid: job.id, opName };
  double.profiling.flameGraph = { endTimestamp: -3 };
  await t.rejects(client.getFlameGraph({ params }), {
    status: 503,
    code: 'NOT_READY',
    message: /"plus one"/,
  });
  double.profiling.flameGraph = { endTimestamp: -1 };
  await until(
    () => client.getFlameGraph({ params }).catch((error: unknown) => error),
    (error) => Reflect.get(Object(error), 'code') === 'OPERATOR_NOT_DEPLOYED',
  );
  for (const garbage of [
    { endTimestamp: 'x' },
    { endTimestamp: 5, data: 'x' },
    { endTimestamp: 5, data: {} },
  ]) {
    double.profiling.flameGraph = garbage;
    await until(
      () => client.getFlameGraph({ params }).catch((error: unknown) => error),
      (error) => Reflect.get(Object(error), 'code') === 'UNUSABLE_ANSWER',
    );
  }
  delete double.settings['rest.flamegraph.enabled'];
  const error = await until(
    () => client.getFlameGraph({ params }).catch((thrown: unknown) => thrown),
    (thrown) => Reflect.get(Object(thrown), 'code') === 'PROFILING_DISABLED',
  );
  t.match(error, { status: 409, message: /rest\.flamegraph\.enabled: true/ });
  double.end(job, 'FINISHED');
  await until(
    () => client.getFlameGraph({ params }).catch((thrown: unknown) => thrown),
    (thrown) => Reflect.get(Object(thrown), 'code') === 'APPLICATION_ENDED',
  );
});

t.test('what is no operator is not there', async (t) => {
  const { client, double } = await flinkGateway(t, { limits });
  const appid = double.start().id;
  const missing = { status: 404, code: 'NOT_FOUND' };
  for (const other of ['nobody', '../overview', '__proto__', double.jobs.get(appid)?.vertices[0]?.id ?? '']) {
    await t.rejects(client.getFlameGraph({ params: { appid, opName: other } }), missing);
    await t.rejects(client.getBackPressure({ params: { appid, opName: other } }), missing);
  }
  for (const operatorId of ['100000', '200001', '0', '', '2e5', '-1', '200000&type=full'])
    await t.rejects(client.getFlameGraph({ params: { appid, opName }, query: { operatorId } }), missing);
  // @ts-expect-error: one that there is not
  await t.rejects(client.getFlameGraph({ params: { appid, opName }, query: { type: 'OFF' } }), {
    status: 400,
    code: 'INVALID_INPUT',
  });
  for (const unknown of ['no', 'a'.repeat(32)]) {
    await t.rejects(client.getFlameGraph({ params: { appid: unknown, opName } }), missing);
    await t.rejects(client.getBackPressure({ params: { appid: unknown, opName } }), missing);
  }
});

t.test('back-pressure of each subtask, and what is not measured is not there', async (t) => {
  const { client, double } = await flinkGateway(t, { limits });
  const job = double.start();
  const params = { appid: job.id, opName: 'Source: numbers' };
  job.backPressured = 580;
  const { observedAt, ...told } = await client.getBackPressure({ params });
  t.ok(observedAt);
  t.strictSame(told, {
    level: 'HIGH',
    operators: [{ operatorId: '100000', level: 'HIGH', backPressuredPercentage: 58, busyPercentage: 25 }],
  });
  double.profiling.backPressure = {
    status: 'ok',
    backpressureLevel: 'high',
    subtasks: [
      { subtask: 0, backpressureLevel: 'high', ratio: 'NaN', busyRatio: 'NaN', idleRatio: null },
      { subtask: 1, backpressureLevel: 'low', ratio: 0.2, busyRatio: 0.8, idleRatio: 0 },
    ],
  };
  const partly = await until(
    () => client.getBackPressure({ params }),
    ({ operators }) => operators.length === 2,
  );
  t.strictSame(partly, {
    level: 'LOW',
    operators: [
      { operatorId: '100000' },
      {
        operatorId: '100001',
        level: 'LOW',
        backPressuredPercentage: 20,
        busyPercentage: 80,
        idlePercentage: 0,
      },
    ],
  });
});

t.test('back-pressure that is not measured yet is waited for, and not for ever', async (t) => {
  const { client, double } = await flinkGateway(t, { limits });
  const job = double.start();
  const params = { appid: job.id, opName };
  double.profiling.backPressure = { status: 'deprecated', backpressureLevel: null, subtasks: null };
  await t.rejects(client.getBackPressure({ params }), { status: 503, code: 'NOT_READY' });
  double.profiling.backPressure = 'nothing yet';
  await t.rejects(client.getBackPressure({ params }), { status: 503, code: 'NOT_READY' });
  const waiting = client.getBackPressure({ params });
  double.profiling.backPressure = undefined;
  t.match(await waiting, { operators: [{ operatorId: '200000', level: 'OK' }] });
  double.profiling.backPressure = { status: 'ok', subtasks: 'x' };
  await until(
    () => client.getBackPressure({ params }).catch((error: unknown) => error),
    (error) => Reflect.get(Object(error), 'code') === 'UNUSABLE_ANSWER',
  );
  double.end(job, 'CANCELED');
  await until(
    () => client.getBackPressure({ params }).catch((error: unknown) => error),
    (error) => Reflect.get(Object(error), 'code') === 'APPLICATION_ENDED',
  );
});

t.test('a profile is begun, listed and downloaded as a file that runs nowhere', async (t) => {
  const { client, baseUrl, double } = await flinkGateway(t);
  const params = { appid: double.start().id, containerId: 'tm1' };
  t.strictSame((await client.listProfiles({ params })).profiles, []);
  double.profiling.outcome = 'takes long';
  const begun = await client.startProfile({ params, body: { mode: 'WALL', seconds: 5 } });
  t.match(begun, { id: /^\d+$/, state: 'RUNNING', mode: 'WALL', seconds: 5, startTime: Number });
  const { id } = begun;
  t.match(await client.listProfiles({ params }), { profiles: [{ id, state: 'RUNNING' }] });
  const underWay = { status: 409, code: 'PROFILE_UNDER_WAY' };
  await t.rejects(client.startProfile({ params, body: {} }), underWay);
  await t.rejects(client.downloadProfile({ params: { ...params, id } }), underWay);
  double.profiling.outcome = 'finishes';
  await until(
    () => client.listProfiles({ params }),
    ({ profiles }) => profiles[0]?.state === 'FINISHED',
  );
  const path = `physicalPlan/containers/tm1/profiles/${id}`;
  const answer = await fetch(`${baseUrl}/ws/v2/applications/${params.appid}/${path}`);
  t.equal(await answer.text(), profilePage);
  const headers = Object.fromEntries(answer.headers);
  t.match(headers, {
    'content-type': 'text/html; charset=utf-8',
    'content-length': String(profilePage.length),
    'content-disposition': /^attachment; filename="tm_WALL_\d+\.html"/,
    'content-security-policy': /^sandbox; default-src 'none'/,
    'x-content-type-options': 'nosniff',
  });
  const ofMaster = { ...params, containerId: 'jobmanager' };
  t.match(await client.startProfile({ params: ofMaster, body: {} }), { mode: 'ITIMER', seconds: 30 });
  t.equal((await client.listProfiles({ params: ofMaster })).profiles.length, 1);
});

t.test('a profile that fails says why', async (t) => {
  const { client, double } = await flinkGateway(t);
  const params = { appid: double.start().id, containerId: 'tm1' };
  double.profiling.outcome = 'refused';
  const error = await client
    .startProfile({ params, body: { mode: 'CPU' } })
    .catch((thrown: unknown) => thrown);
  t.match(error, { status: 400, code: 'ENGINE_REFUSED', message: /No access to perf events$/ });
  const { profiles } = await client.listProfiles({ params });
  t.match(profiles, [{ state: 'FAILED', failure: /No access to perf events$/ }]);
  const id = profiles[0]?.id ?? '';
  await t.rejects(client.downloadProfile({ params: { ...params, id } }), { status: 404, code: 'NOT_FOUND' });
  await t.rejects(client.startProfile({ params, body: { seconds: 200 } }), {
    status: 400,
    code: 'ENGINE_REFUSED',
    message: /between \(0s, 120s\]/,
  });
});

t.test('without the option of Flink it is said which one', async (t) => {
  const { client, double } = await flinkGateway(t);
  const params = { appid: double.start().id, containerId: 'tm1' };
  delete double.settings['rest.profiling.enabled'];
  const disabled = { status: 409, code: 'PROFILING_DISABLED', message: /rest\.profiling\.enabled: true/ };
  await t.rejects(client.listProfiles({ params }), disabled);
  await t.rejects(client.startProfile({ params, body: {} }), disabled);
  await t.rejects(client.downloadProfile({ params: { ...params, id: '1' } }), disabled);
});

t.test('what is no container, no profile or no order is refused', async (t) => {
  const { client, double } = await flinkGateway(t);
  const job = double.start();
  const params = { appid: job.id, containerId: 'tm1' };
  const missing = { status: 404, code: 'NOT_FOUND' };
  for (const containerId of ['tm3', '../overview', '__proto__', '%2e%2e']) {
    await t.rejects(client.listProfiles({ params: { ...params, containerId } }), missing);
    await t.rejects(client.startProfile({ params: { ...params, containerId }, body: {} }), missing);
  }
  for (const id of ['1', '../config', 'tm_WALL_1.html'])
    await t.rejects(client.downloadProfile({ params: { ...params, id } }), missing);
  const noOrders: object[] = [
    { seconds: 0 },
    { seconds: 301 },
    { seconds: 1.5 },
    { mode: 'NONE' },
    { mode: 'cpu' },
    [],
  ];
  for (const body of noOrders)
    await t.rejects(client.startProfile({ params, body }), { status: 400, code: 'INVALID_INPUT' });
  const gone = { status: 409, code: 'CONTAINER_NOT_RUNNING' };
  double.taskManagers.delete('tm1');
  await until(
    () => client.listProfiles({ params }).catch((error: unknown) => error),
    (error) => Reflect.get(Object(error), 'code') === gone.code,
  );
  double.end(job, 'FINISHED');
  await until(
    () =>
      client
        .startProfile({ params: { ...params, containerId: 'tm2' }, body: {} })
        .catch((error: unknown) => error),
    (error) => Reflect.get(Object(error), 'code') === 'APPLICATION_ENDED',
  );
});

t.test('garbage of the profiler is no answer', async (t) => {
  const { client, double } = await flinkGateway(t);
  const params = { appid: double.start().id, containerId: 'tm1' };
  const { id } = await client.startProfile({ params, body: {} });
  double.profiling.profiles.set('jobmanager', Object.assign([], { length: 2 }));
  t.strictSame(
    (await client.listProfiles({ params: { ...params, containerId: 'jobmanager' } })).profiles,
    [],
    'what can not be understood is left out',
  );
  const [jobManager] = double.jobManagers;
  if (!jobManager) throw new Error('There is no JobManager');
  await until(
    () => client.listProfiles({ params }),
    ({ profiles }) => profiles[0]?.id === id,
  );
  jobManager.fault = 'garbage';
  await t.rejects(client.startProfile({ params, body: {} }), { status: 502, code: 'UNUSABLE_ANSWER' });
});

t.test('they are for those who see the job, and profiles are begun by those who may change it', async (t) => {
  const { newClient, double } = await flinkGateway(t, { user: 'ada' }, { auth: people });
  const job = double.start();
  const params = { appid: job.id };
  const [ada, eve, rita] = [newClient(as('ada')), newClient(as('eve')), newClient(as('rita'))];
  await ada.putApplicationPermissions({ params, body: { readOnly: { users: ['rita'] } } });
  const hidden = { status: 404, code: 'NOT_FOUND', message: `There is no application "${job.id}"` };
  const operator = { ...params, opName };
  const container = { ...params, containerId: 'tm1' };
  await t.rejects(eve.getFlameGraph({ params: operator }), hidden);
  await t.rejects(eve.getBackPressure({ params: operator }), hidden);
  await t.rejects(eve.listProfiles({ params: container }), hidden);
  await t.rejects(eve.startProfile({ params: container, body: {} }), hidden);
  await t.rejects(eve.downloadProfile({ params: { ...container, id: '1' } }), hidden);
  await rita.getFlameGraph({ params: operator });
  await rita.getBackPressure({ params: operator });
  await t.rejects(rita.startProfile({ params: container, body: {} }), { status: 403, code: 'FORBIDDEN' });
  const { id } = await ada.startProfile({ params: container, body: {} });
  await until(
    () => rita.listProfiles({ params: container }),
    ({ profiles }) => profiles[0]?.state === 'FINISHED',
  );
  const page = await rita.downloadProfile({ params: { ...container, id } });
  t.equal(await page.text(), profilePage);
});
