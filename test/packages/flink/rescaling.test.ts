import t from 'tap';
import { memoryStorage } from '../../../adapters/storage/memory.js';
import { flinkGateway } from '../../helpers/flink.js';
import { until } from '../../helpers/waiting.js';

// The parallelism of a vertex, the one property that Flink can change.

const opName = 'plus one';

t.test('it is read, changed, and told as an event that lasts', async (t) => {
  const storage = { ...memoryStorage(), close: async () => {} };
  const { client, double, gateway } = await flinkGateway(t, {}, { storage });
  const job = double.start();
  double.settings['jobmanager.scheduler'] = 'adaptive';
  const params = { appid: job.id, opName };
  t.strictSame(await client.getOperatorProperties({ params }), { class: '', parallelism: 1 });
  await client.setOperatorProperties({ params, body: { parallelism: '3' } });
  t.strictSame(await client.getOperatorProperties({ params }), { class: '', parallelism: 3 });
  const data = { operatorName: opName, propertyName: 'parallelism', propertyValue: '3' };
  const { operators } = await until(
    () => client.getPhysicalPlan({ params }),
    (plan) => plan.operators.length === 4,
  );
  t.ok(operators.some(({ id }) => id === '200002'));
  const opid = '200002';
  const live = { params: { ...params, opid }, query: { live: true } };
  t.strictSame(await client.getPhysicalOperatorProperties(live), { parallelism: 3 });
  t.equal(job.vertices[0]?.taskManagers.length, 1, 'the others are as they were');

  // What is read can be written back, and changes nothing.
  const read = await client.getOperatorProperties({ params });
  await client.setOperatorProperties({ params, body: read });
  const changes = async (of: typeof client) =>
    (await of.listEvents({ params, query: {} })).events.filter(({ type }) => type === 'SetOperatorProperty');
  t.equal((await changes(client)).length, 1);
  await gateway.close();
  const jobManagers = double.jobManagers.map(({ url }) => url);
  const second = await flinkGateway(t, { jobManagers }, { storage });
  t.match(await changes(second.client), [{ data }]);
});

t.test('who listens hears of a change', async (t) => {
  const { newClient, double } = await flinkGateway(t);
  const job = double.start();
  double.settings['jobmanager.scheduler'] = 'adaptive';
  const client = newClient();
  await client.listApplications();
  const heard: unknown[] = [];
  client.subscribe(`applications.${job.id}.events`, (data: unknown) => heard.push(data));
  let parallelism = 1;
  // What there was before the first look is no news.
  await until(
    async () => {
      parallelism = 3 - parallelism;
      await client.setOperatorProperties({ params: { appid: job.id, opName }, body: { parallelism } });
      return heard;
    },
    (events) => events.some((event) => Reflect.get(Object(event), 'type') === 'SetOperatorProperty'),
  );
  t.match(
    heard.find((event) => Reflect.get(Object(event), 'type') === 'SetOperatorProperty'),
    { data: { operatorName: opName, propertyName: 'parallelism' } },
  );
});

t.test('rescales that Flink tells of are events', async (t) => {
  const { client, double } = await flinkGateway(t);
  const job = double.start();
  double.settings['jobmanager.scheduler'] = 'adaptive';
  const at = Date.now();
  const cause = { triggerCause: 'NEW_RESOURCE_AVAILABLE', startTimestampInMillis: at - 5 };
  job.rescales.push(
    { ...cause, rescaleUuid: 'b', terminalState: null, endTimestampInMillis: null },
    {
      ...cause,
      rescaleUuid: 'a',
      terminalState: 'COMPLETED',
      terminatedReason: 'SUCCEEDED',
      endTimestampInMillis: at,
    },
    { of: 'another version' },
  );
  const { events } = await client.listEvents({ params: { appid: job.id } });
  t.match(
    events.filter(({ type }) => type === 'JobRescaled'),
    [
      {
        timestamp: at,
        data: { rescaleId: 'a', outcome: 'COMPLETED', reason: 'SUCCEEDED', cause: 'NEW_RESOURCE_AVAILABLE' },
      },
    ],
  );
});

t.test('what does not fit is refused, and nothing has changed', async (t) => {
  const { client, double } = await flinkGateway(t);
  const job = double.start();
  double.settings['jobmanager.scheduler'] = 'adaptive';
  const params = { appid: job.id, opName };
  for (const parallelism of [0, -1, 1.5, 129, '1e3', '', null, [2], true])
    await t.rejects(
      client.setOperatorProperties({ params, body: { parallelism } }),
      { status: 400, code: 'INVALID_INPUT', message: /whole number from 1 to 128/ },
      JSON.stringify(parallelism),
    );
  const unknown = { status: 404, code: 'NOT_FOUND' };
  await t.rejects(client.setOperatorProperties({ params, body: { other: 1 } }), unknown);
  await t.rejects(
    client.setOperatorProperties({ params: { ...params, opName: 'no' }, body: { parallelism: 2 } }),
    unknown,
  );
  const partition = { params: { ...params, opid: '200000' }, body: { parallelism: 2 } };
  await t.rejects(client.setPhysicalOperatorProperties(partition), { status: 501, code: 'NOT_SUPPORTED' });
  t.strictSame(await client.getOperatorProperties({ params }), { class: '', parallelism: 1 });
  double.end(job, 'CANCELED');
  await t.rejects(client.setOperatorProperties({ params, body: { parallelism: 2 } }), {
    status: 409,
    code: 'APPLICATION_ENDED',
  });
});

t.test('of another scheduler it is read, and what to set is said', async (t) => {
  const { client, double } = await flinkGateway(t);
  const params = { appid: double.start().id, opName };
  t.strictSame(await client.getOperatorProperties({ params }), { class: '', parallelism: 1 });
  const error: unknown = await client
    .setOperatorProperties({ params, body: { parallelism: 2 } })
    .catch((thrown: unknown) => thrown);
  t.match(error, { status: 409, code: 'PARALLELISM_FIXED', message: /`jobmanager\.scheduler: adaptive`/ });
});
