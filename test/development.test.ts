import t from 'tap';
import { memoryStorage } from '../adapters/storage/memory.js';
import { aesSecrets, type ClusterDriver } from '../lib/index.js';
import { refuses } from './helpers/accounts.js';
import { emptyCluster } from './helpers/empty-cluster.js';
import { newGateway } from './helpers/gateway.js';

// What a driver answers in another shape than its interface has.

/** As a host in JavaScript may write it. */
function cluster(change: object): ClusterDriver {
  const driver = emptyCluster();
  return { ...driver, resourceManager: Object.assign(driver.resourceManager, change) };
}

const wrongMetrics = {
  metrics: async () => ({ ...(await emptyCluster().resourceManager.metrics()), numAppsRunning: 'secret-1' }),
};

t.test('in development it is an error, which the log explains and the client does not', async (t) => {
  const { client, logs, baseUrl } = await newGateway(t, { cluster: cluster(wrongMetrics) });
  await refuses(t, client.getClusterMetrics(), { status: 502, code: 'UNUSABLE_ANSWER' });
  const answer = await fetch(`${baseUrl}/ws/v2/cluster/metrics`);
  t.notMatch(await answer.text(), /numAppsRunning|resourceManager|empty|secret/);
  const told = logs.find(({ fields }) => fields['event'] === 'driver.wrong_answer');
  t.match(told, {
    level: 'error',
    fields: {
      driver: 'cluster driver empty',
      call: 'resourceManager.metrics',
      problem: /^numAppsRunning: .*expected number, received string/,
    },
  });
  t.notMatch(JSON.stringify(logs), /secret-1/, 'places, and no values');
});

t.test('facets, and masters with theirs', async (t) => {
  const queues = {
    list: async () => [{ name: 'a', state: 'ON', capacity: 1, currentCapacity: 0, maxCapacity: 1 }],
  };
  const { client, logs } = await newGateway(t, { cluster: cluster({ queues }) });
  await refuses(t, client.listQueues(), { status: 502, code: 'UNUSABLE_ANSWER' });
  t.match(logs.find(({ fields }) => fields['event'] === 'driver.wrong_answer')?.fields, {
    call: 'resourceManager.queues.list',
    problem: /^0\.state: /,
  });
});

t.test('authenticators too', async (t) => {
  // As a host in JavaScript may write it.
  const auth = Object.assign(
    { authenticate: async () => undefined },
    { authenticate: async () => ({ user: 'ann' }) },
  );
  const { client, logs } = await newGateway(t, { auth: Object.assign(Object.create(null), auth) });
  await refuses(t, client.getProfile(), { status: 502, code: 'UNUSABLE_ANSWER' });
  t.match(logs.find(({ fields }) => fields['event'] === 'driver.wrong_answer')?.fields, {
    driver: 'authenticator',
    call: 'authenticate',
    problem: 'userName: is missing',
  });
});

t.test('a storage and secrets that answer right are as they were', async (t) => {
  const { client, logs } = await newGateway(t, {
    storage: memoryStorage(),
    secrets: aesSecrets(Buffer.alloc(32, 1)),
  });
  t.match(await client.getProfile(), { roles: ['admin'] });
  t.strictSame(
    logs.filter(({ level }) => level === 'error'),
    [],
  );
});

t.test('otherwise it goes on as it is', async (t) => {
  const { baseUrl } = await newGateway(t, { cluster: cluster(wrongMetrics), development: false });
  const answer = await fetch(`${baseUrl}/ws/v2/cluster/metrics`);
  t.equal(answer.status, 200);
  t.match(await answer.json(), { numAppsRunning: 'secret-1' });
});
