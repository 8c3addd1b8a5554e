import t from 'tap';
import { fromHost } from '../../../adapters/auth/from-host.js';
import { memoryStorage } from '../../../adapters/storage/memory.js';
import { orderSavepoint, savepointOf } from '../../doubles/flink/job.js';
import { flinkGateway } from '../../helpers/flink.js';
import { as, people } from '../../helpers/people.js';
import { until } from '../../helpers/waiting.js';

// The savepoints of jobs: each is told of once, whoever ordered it, and nothing is called there that is not.

const limits = { stopMillis: 500, disposalMillis: 500 };

t.test('a savepoint is ordered, found when it is there, and deleted', async (t) => {
  const { client, double } = await flinkGateway(t, { limits });
  const job = double.start();
  const params = { appid: job.id };
  t.strictSame(await client.listSavepoints({ params }), { savepoints: [], isComplete: true });
  job.savepoint = 'takes long';
  const body = { targetDirectory: 'file:/elsewhere', formatType: 'NATIVE' as const };
  const first = await client.startSavepoint({ params, body });
  t.match(first, { ...body, state: 'IN_PROGRESS', isOfStop: false, location: undefined });
  const again = await client.startSavepoint({ params });
  t.equal(again.id, first.id, 'asked twice it is one');
  t.equal(job.savepoints.size, 1);
  const remove = { params: { ...params, id: first.id } };
  await t.rejects(client.deleteSavepoint(remove), { status: 409, code: 'SAVEPOINT_UNDER_WAY' });
  t.match(await client.listSavepoints({ params }), { savepoints: [{ id: first.id, state: 'IN_PROGRESS' }] });

  job.savepoint = 'made';
  const { savepoints } = await until(
    () => client.listSavepoints({ params }),
    (told) => told.savepoints[0]?.state === 'COMPLETED',
  );
  t.match(savepoints, [
    { id: first.id, location: savepointOf(job), stateSize: 4096, formatType: 'NATIVE', checkpointId: '1' },
  ]);
  t.ok(savepointOf(job).startsWith('file:/elsewhere/'));
  await until(
    () => client.deleteSavepoint(remove).catch((error: unknown) => error),
    (error) => Reflect.get(Object(error), 'code') !== 'SAVEPOINT_UNDER_WAY',
  );
  t.strictSame(double.disposals.asked, [savepointOf(job)]);
  t.strictSame((await client.listSavepoints({ params })).savepoints, [], 'its history is not told again');
  await t.rejects(client.deleteSavepoint(remove), { status: 404, code: 'NOT_FOUND' });
});

t.test('who ordered it is told, of a stop too', async (t) => {
  const auth = fromHost(() => ({ userName: 'ada', roles: ['admin'] }));
  const { client, double } = await flinkGateway(t, { limits }, { auth });
  const job = double.start();
  const params = { appid: job.id };
  t.match(await client.startSavepoint({ params }), { orderedBy: 'ada' });
  await until(
    () => client.listSavepoints({ params }),
    (told) => told.savepoints[0]?.state === 'COMPLETED',
  );
  await client.shutdownApplication({ params });
  const { savepoints } = await client.listSavepoints({ params });
  t.match(savepoints, [
    { isOfStop: false, orderedBy: 'ada' },
    { isOfStop: true, orderedBy: 'ada', state: 'COMPLETED', location: savepointOf(job) },
  ]);
  t.equal(savepoints.length, 2);
  await t.rejects(client.startSavepoint({ params }), { status: 409, code: 'APPLICATION_ENDED' });
  await client.deleteSavepoint({ params: { ...params, id: savepoints[1]?.id ?? '' } });
});

t.test('those that others ordered are told by their numbers', async (t) => {
  const { client, double } = await flinkGateway(t, { limits });
  const job = double.start();
  const params = { appid: job.id };
  orderSavepoint(job, {});
  t.match(await client.listSavepoints({ params }), {
    savepoints: [{ id: '1', state: 'COMPLETED', location: savepointOf(job), orderedBy: undefined }],
  });
  await client.deleteSavepoint({ params: { ...params, id: '1' } });
  t.strictSame((await client.listSavepoints({ params })).savepoints, []);
});

t.test('one that fails is told with its reason, and deleted without asking Flink', async (t) => {
  const { client, double } = await flinkGateway(t, { limits });
  const job = double.start();
  const params = { appid: job.id };
  job.savepoint = 'fails';
  const { id } = await client.startSavepoint({ params });
  const told = await until(
    () => client.listSavepoints({ params }),
    ({ savepoints }) => savepoints[0]?.state === 'FAILED',
  );
  t.match(told.savepoints, [{ id, failure: 'The disk of savepoints is full', location: undefined }]);
  t.match(await client.getApplication({ params }), { state: 'RUNNING' });
  await client.deleteSavepoint({ params: { ...params, id } });
  t.strictSame((await client.listSavepoints({ params })).savepoints, []);
  t.strictSame(double.disposals.asked, []);
});

t.test('without a folder for it Flink says what to set', async (t) => {
  const { client, double } = await flinkGateway(t, { limits });
  const params = { appid: double.start().id };
  delete double.settings['execution.checkpointing.savepoint-dir'];
  await t.rejects(client.startSavepoint({ params }), {
    status: 400,
    code: 'ENGINE_REFUSED',
    message: /target-directory/,
  });
  t.strictSame((await client.listSavepoints({ params })).savepoints, []);
  await t.rejects(client.startSavepoint({ params, body: { targetDirectory: 'a\nb' } }), {
    status: 400,
    code: 'INVALID_INPUT',
  });
  t.match(await client.startSavepoint({ params, body: { targetDirectory: 'file:/there' } }), {
    targetDirectory: 'file:/there',
  });
});

t.test('deleted: one whose files are gone, one that can not be, one that takes long', async (t) => {
  const { client, double } = await flinkGateway(t, { limits });
  const job = double.start();
  const params = { appid: job.id };
  for (let count = 0; count < 2; count++) orderSavepoint(job, {});
  double.disposals.outcome = 'fails';
  const first = { params: { ...params, id: '1' } };
  const error: unknown = await client.deleteSavepoint(first).catch((thrown: unknown) => thrown);
  t.match(error, { status: 400, code: 'ENGINE_REFUSED', message: /not deleted: Permission denied/ });
  t.notMatch(JSON.stringify(error), /\bat |Exception/);
  t.equal((await client.listSavepoints({ params })).savepoints.length, 2);
  double.disposals.outcome = 'gone';
  await client.deleteSavepoint(first);
  double.disposals.outcome = 'takes long';
  const second = { params: { ...params, id: '2' } };
  await t.rejects(client.deleteSavepoint(second), { status: 504, code: 'TIMED_OUT' });
  await t.rejects(client.deleteSavepoint(second), { status: 504, code: 'TIMED_OUT' });
  t.equal(double.disposals.asked.length, 3, 'asked twice it is one deletion');
  double.disposals.outcome = 'done';
  await until(
    () => client.listSavepoints({ params }),
    ({ savepoints }) => savepoints.length === 0,
  );
});

t.test('ids that are no ids are not there', async (t) => {
  const { client, double } = await flinkGateway(t, { limits });
  const appid = double.start().id;
  for (const id of ['0', '-1', 'a'.repeat(32), 'file:/savepoints/x', '__proto__', 'é\u0001'])
    t.match(
      await client.deleteSavepoint({ params: { appid, id } }).catch((error: unknown) => error),
      { status: /^40[04]$/ },
      id,
    );
  for (const other of ['no', 'A'.repeat(32)])
    await t.rejects(client.listSavepoints({ params: { appid: other } }), { status: 404, code: 'NOT_FOUND' });
  t.strictSame(double.disposals.asked, []);
});

t.test('under way when the gateway ends it is followed by the next one', async (t) => {
  const storage = { ...memoryStorage(), close: async () => {} };
  const first = await flinkGateway(t, { limits }, { storage });
  const { double } = first;
  const job = double.start();
  const params = { appid: job.id };
  job.savepoint = 'takes long';
  const { id } = await first.client.startSavepoint({ params });
  await first.gateway.close();
  const jobManagers = double.jobManagers.map(({ url }) => url);
  const second = await flinkGateway(t, { limits, jobManagers }, { storage });
  t.equal((await second.client.startSavepoint({ params })).id, id, 'it is still the one under way');
  t.equal(job.savepoints.size, 1);
  job.savepoint = 'made';
  await until(
    () => second.client.listSavepoints({ params }),
    ({ savepoints }) => savepoints[0]?.id === id && savepoints[0].location === savepointOf(job),
  );
});

t.test('an order that the JobManager has forgotten is found in its history, or nobody knows', async (t) => {
  const { client, double } = await flinkGateway(t, { limits });
  const job = double.start();
  const params = { appid: job.id };
  job.savepoint = 'takes long';
  const { id } = await client.startSavepoint({ params });
  const location = savepointOf(job);
  job.savepoints.clear();
  job.savepoint = 'made';
  await until(
    () => client.listSavepoints({ params }),
    ({ savepoints }) => savepoints[0]?.id === id && savepoints[0].location === location,
  );
  job.savepoint = 'takes long';
  const lost = await client.startSavepoint({ params });
  job.savepoints.clear();
  job.checkpoints.length = 0;
  const { savepoints } = await until(
    () => client.listSavepoints({ params }),
    (told) => told.savepoints.find((one) => one.id === lost.id)?.state === 'UNKNOWN',
  );
  t.match(savepoints[1]?.failure, /does not know/);
});

t.test('while the JobManager is away those that were ordered here are told', async (t) => {
  const { client, double } = await flinkGateway(t, { limits: { ...limits, timeoutMillis: 2000 } });
  const [jobManager] = double.jobManagers;
  if (!jobManager) throw new Error('There is no JobManager');
  const job = double.start();
  const params = { appid: job.id };
  await client.getApplication({ params });
  job.savepoint = 'takes long';
  const { id } = await client.startSavepoint({ params });
  for (const fault of ['down', 'hang', 'garbage'] as const) {
    jobManager.fault = fault;
    const told = await until(
      () => client.listSavepoints({ params }),
      ({ isComplete }) => !isComplete,
    );
    t.match(told.savepoints, [{ id, state: 'IN_PROGRESS' }], fault);
    t.equal((await client.startSavepoint({ params })).id, id, 'it is still the one under way');
  }
  jobManager.fault = undefined;
  job.savepoint = 'made';
  await until(
    () => client.listSavepoints({ params }),
    ({ savepoints, isComplete }) => isComplete && savepoints[0]?.location === savepointOf(job),
  );
  t.equal(job.savepoints.size, 1);
});

t.test('as many are kept in mind as the limit says', async (t) => {
  const { client, double } = await flinkGateway(t, { limits: { ...limits, savepoints: 2 } });
  const job = double.start();
  const params = { appid: job.id };
  for (let count = 1; count <= 3; count++) {
    await client.startSavepoint({ params });
    await until(
      () => client.listSavepoints({ params }),
      ({ savepoints }) =>
        savepoints.length === count && savepoints.every(({ state }) => state === 'COMPLETED'),
    );
  }
  const { savepoints } = await client.listSavepoints({ params });
  t.strictSame(
    savepoints.map(({ id }) => id.length),
    [1, 32, 32],
    'the first is told of by its number',
  );
});

t.test('checkpoints: counts, the latest, and the history', async (t) => {
  const { client, double } = await flinkGateway(t);
  const job = double.start();
  const params = { appid: job.id };
  const at = Date.now();
  job.checkpoints.push(
    {
      id: 2,
      status: 'FAILED',
      is_savepoint: false,
      trigger_timestamp: at,
      latest_ack_timestamp: -1,
      state_size: -1,
      failure_timestamp: at + 5,
      failure_message: 'java.io.IOException: no space\n\tat A.b(A.java)',
    },
    {
      id: 1,
      status: 'COMPLETED',
      is_savepoint: false,
      trigger_timestamp: at,
      latest_ack_timestamp: at + 4,
      end_to_end_duration: 4,
      state_size: 10,
      checkpointed_size: 5,
      processed_data: 3,
      persisted_data: 0,
      external_path: '<checkpoint-not-externally-addressable>',
      discarded: true,
    },
  );
  const failed = { id: '2', state: 'FAILED', failureTime: at + 5, failureMessage: 'no space' };
  const told = await client.getCheckpoints({ params });
  t.strictSame(told, {
    counts: { total: 2, inProgress: 0, completed: 1, failed: 1, restored: 0 },
    latest: { completed: told.history[1], failed: told.history[0] },
    history: [
      { ...failed, isSavepoint: false, triggerTime: at },
      {
        id: '1',
        state: 'COMPLETED',
        isSavepoint: false,
        triggerTime: at,
        latestAckTime: at + 4,
        duration: 4,
        stateSize: 10,
        checkpointedSize: 5,
        processedData: 3,
        persistedData: 0,
        isDiscarded: true,
      },
    ],
  });
  const { stats } = await client.getApplication({ params });
  const age = stats?.checkpointAge ?? -1;
  t.ok(age >= 0 && age <= Date.now() - at, `${age} ms`);
  const none = await client.getApplication({ params: { appid: double.start().id } });
  t.equal(none.stats?.checkpointAge, undefined, 'of a job that makes none');
});

t.test(
  'they are for those who see the job, and its changes for those whose it is or who may write',
  async (t) => {
    const { newClient, double } = await flinkGateway(t, { limits, user: 'ada' }, { auth: people });
    const job = double.start();
    const params = { appid: job.id };
    const [ada, eve, rita] = [newClient(as('ada')), newClient(as('eve')), newClient(as('rita'))];
    await ada.putApplicationPermissions({ params, body: { readOnly: { users: ['rita'] } } });
    const hidden = { status: 404, code: 'NOT_FOUND', message: `There is no application "${job.id}"` };
    const id = 'a'.repeat(32);
    await t.rejects(eve.listSavepoints({ params }), hidden);
    await t.rejects(eve.getCheckpoints({ params }), hidden);
    await t.rejects(eve.startSavepoint({ params }), hidden);
    await t.rejects(eve.deleteSavepoint({ params: { ...params, id } }), hidden);
    t.match(await rita.listSavepoints({ params }), { savepoints: [] });
    await rita.getCheckpoints({ params });
    const forbidden = { status: 403, code: 'FORBIDDEN' };
    await t.rejects(rita.startSavepoint({ params }), forbidden);
    await t.rejects(rita.deleteSavepoint({ params: { ...params, id } }), forbidden);
    t.match(await ada.startSavepoint({ params }), { orderedBy: 'ada' });
  },
);
