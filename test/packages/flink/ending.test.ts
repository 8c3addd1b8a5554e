import t from 'tap';
import { memoryStorage } from '../../../adapters/storage/memory.js';
import { savepointOf } from '../../doubles/flink/job.js';
import { flinkGateway } from '../../helpers/flink.js';
import { until } from '../../helpers/waiting.js';

// How jobs are ended: nothing is called ended that is not, and where a savepoint is stays known.

const limits = { stopMillis: 500 };

t.test('a shutdown is a stop with a savepoint, whose place is told', async (t) => {
  const { client, double } = await flinkGateway(t, { limits });
  const job = double.start();
  const params = { appid: job.id };
  await client.shutdownApplication({ params });
  t.match(await client.getApplication({ params }), {
    state: 'FINISHED',
    finalStatus: 'SUCCEEDED',
    diagnostics: `Stopped with the savepoint ${savepointOf(job)}`,
  });
  await t.rejects(client.shutdownApplication({ params }), { status: 409, code: 'APPLICATION_ENDED' });
  await t.rejects(client.killApplication({ params }), { status: 409, code: 'APPLICATION_ENDED' });
});

t.test('a job is drained where that is asked, and nothing goes on from what it leaves', async (t) => {
  const { client, double } = await flinkGateway(t, { limits });
  const [kept, drained, under] = [double.start(), double.start(), double.start()];
  await client.shutdownApplication({ params: { appid: kept.id } });
  t.strictSame(kept.stops, [{ drain: false }]);
  const params = { appid: drained.id };
  await client.shutdownApplication({ params, query: { drain: true } });
  t.strictSame(drained.stops, [{ drain: true }]);
  t.match(await client.getApplication({ params }), {
    state: 'FINISHED',
    diagnostics: `Drained and stopped with the savepoint ${savepointOf(drained)}`,
  });
  under.savepoint = 'takes long';
  const order = (drain: boolean) =>
    client.shutdownApplication({ params: { appid: under.id }, query: { drain } });
  await t.rejects(order(true), { status: 504, code: 'TIMED_OUT' });
  await t.rejects(order(false), { status: 409, code: 'SAVEPOINT_UNDER_WAY', message: /drained/ });
  await t.rejects(order(true), { status: 504, code: 'TIMED_OUT' });
  t.strictSame(under.stops, [{ drain: true }], 'asked twice it is one stop');
});

t.test('a savepoint that fails is told with its reason, and the job runs on', async (t) => {
  const { client, double } = await flinkGateway(t, { limits });
  const job = double.start();
  const params = { appid: job.id };
  job.savepoint = 'fails';
  const error: unknown = await client.shutdownApplication({ params }).catch((thrown: unknown) => thrown);
  t.match(error, { status: 400, code: 'ENGINE_REFUSED', message: /not stopped.*disk of savepoints is full/ });
  t.notMatch(JSON.stringify(error), /\bat |Exception/);
  t.match(await client.getApplication({ params }), { state: 'RUNNING', finalStatus: 'UNDEFINED' });
  job.savepoint = 'made';
  await client.shutdownApplication({ params });
  t.match(await client.getApplication({ params }), { state: 'FINISHED' });
});

t.test('one that takes long is no end, and is known when it is there: after a restart too', async (t) => {
  const storage = { ...memoryStorage(), close: async () => {} };
  const first = await flinkGateway(t, { limits }, { storage });
  const job = first.double.start();
  const params = { appid: job.id };
  job.savepoint = 'takes long';
  const late = { status: 504, code: 'TIMED_OUT' };
  await t.rejects(first.client.shutdownApplication({ params }), late);
  await t.rejects(first.client.shutdownApplication({ params }), late);
  t.equal(job.savepoints.size, 1, 'asked twice it is one stop');
  t.match(await first.client.getApplication({ params }), { state: 'RUNNING', diagnostics: '' });
  await first.gateway.close();

  const jobManagers = first.double.jobManagers.map(({ url }) => url);
  const second = await flinkGateway(t, { limits, jobManagers }, { storage });
  job.savepoint = 'made';
  first.double.end(job, 'FINISHED');
  await until(
    () => second.client.getApplication({ params }),
    ({ diagnostics }) => diagnostics.endsWith(savepointOf(job)),
  );
  t.equal(job.savepoints.size, 1);
});

t.test('kill cancels, also while a savepoint is made', async (t) => {
  const { client, double } = await flinkGateway(t, { limits });
  const job = double.start();
  const params = { appid: job.id };
  job.savepoint = 'takes long';
  await t.rejects(client.shutdownApplication({ params }), { status: 504, code: 'TIMED_OUT' });
  await client.killApplication({ params });
  t.match(await client.getApplication({ params }), { state: 'KILLED', clusterState: 'CANCELED' });
});
