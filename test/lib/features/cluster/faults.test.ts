import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import t from 'tap';
import { memoryStorage } from '../../../../adapters/storage/memory.js';
import { Container } from '../../../../lib/driver-kit.js';
import type { LogReader } from '../../../../lib/interfaces/logs.js';
import { faultyCluster } from '../../../doubles/cluster.js';
import { newGateway } from '../../../helpers/gateway.js';
import { as, people } from '../../../helpers/people.js';
import { sampleOf } from '../../../helpers/samples.js';
import { until } from '../../../helpers/waiting.js';

const id = 'application_1_1';
const params = { appid: id };
const timeouts = { resourceManagerMillis: 50, masterMillis: 50 };

t.test('a resource manager that is down is an error, never an empty list', async (t) => {
  const cluster = faultyCluster([{ id }]);
  const { client } = await newGateway(t, { cluster });
  cluster.manager = 'down';
  const unreachable = { status: 502, code: 'UNREACHABLE', message: /resource manager/ };
  await t.rejects(client.listApplications(), unreachable);
  await t.rejects(client.getApplication({ params }), unreachable);
  await t.rejects(client.killApplication({ params }), unreachable);
  await t.rejects(client.getClusterMetrics(), unreachable);
  t.notMatch(await client.listApplications().catch(String), /ECONNREFUSED/, 'addresses stay in the log');
  cluster.manager = 'up';
  t.match(await client.listApplications(), { apps: [{ id, state: 'RUNNING' }] });
});

t.test('a resource manager that hangs is waited for in bounds', async (t) => {
  const cluster = faultyCluster([{ id }]);
  const { client } = await newGateway(t, { cluster, timeouts });
  cluster.manager = 'hanging';
  await t.rejects(client.listApplications(), { status: 504, code: 'TIMED_OUT' });
  await t.rejects(client.getApplication({ params }), { status: 504, code: 'TIMED_OUT' });
  t.ok(
    cluster.hanging.every(({ aborted }) => aborted),
    'the driver is told that nobody waits any more',
  );
});

t.test('a running application whose master is gone is told without what only it knows', async (t) => {
  const cluster = faultyCluster([{ id }]);
  const { client } = await newGateway(t, { cluster, timeouts });
  for (const condition of ['down', 'hanging'] as const) {
    cluster.masters = condition;
    t.match(await client.getApplication({ params }), {
      id,
      state: 'RUNNING',
      stats: null,
      attributes: {},
      appDataSources: [],
      gatewayConnected: false,
      version: '',
    });
    t.match(await client.listApplicationIssues({ params }), { issues: [{ key: 'MASTER_NOT_REACHABLE' }] });
  }
  cluster.masters = 'down';
  await t.rejects(client.getPhysicalPlan({ params }), { status: 502, code: 'UNREACHABLE' });
  await t.rejects(client.shutdownApplication({ params }), { status: 502, code: 'UNREACHABLE' });
  cluster.masters = 'hanging';
  await t.rejects(client.getLogicalPlan({ params }), { status: 504, message: /master of application_1_1/ });
  await t.rejects(client.listContainers({ params }), { status: 504, code: 'TIMED_OUT' });
});

t.test('an older master without a facet is no fault of the request', async (t) => {
  const loggers = { list: async () => [], set: async () => {}, levels: async () => [] };
  const cluster = faultyCluster([{ id }], { loggers });
  const { client } = await newGateway(t, { cluster });
  const notSupported = { status: 501, code: 'NOT_SUPPORTED', message: /"faulty".*master\.events/ };
  await t.rejects(client.listEvents({ params }), notSupported, 'no master offers it');
  t.same(await client.listLoggers({ params }), { loggers: [] });
  const master = cluster.master;
  cluster.master = async (appId) => {
    const { loggers: _, ...older } = await master(appId);
    return older;
  };
  await t.rejects(client.listLoggers({ params }), { status: 501, message: /master\.loggers/ });
});

t.test('a secret that a driver forgot to mask stays here', async (t) => {
  const { client } = await newGateway(t, { cluster: faultyCluster([{ id }]) });
  const { attributes } = await client.getApplication({ params });
  t.strictSame(attributes, { STREAMING_WINDOW_SIZE_MILLIS: 500, GATEWAY_PASSWORD: null });
});

t.test('who failed has a root cause, the others have none', async (t) => {
  const failed = { state: 'FAILED', finalStatus: 'FAILED', diagnostics: 'ran out of luck' } as const;
  const killed = { state: 'KILLED', finalStatus: 'KILLED' } as const;
  const cluster = faultyCluster([
    { id },
    { id: 'application_1_2', ...failed },
    { id: 'application_1_3', ...killed },
  ]);
  const { client } = await newGateway(t, { cluster });
  const causeOf = (appid: string) => client.getFailureRootCause({ params: { appid } });
  t.match(await causeOf('application_1_2'), { type: 'markdown', content: /ran out of luck/ });
  await t.rejects(causeOf(id), { status: 404, code: 'NOT_FOUND' });
  await t.rejects(causeOf('application_1_3'), { status: 404, code: 'NOT_FOUND' });
  cluster.masters = 'down';
  t.match(await causeOf('application_1_2'), { content: /ran out of luck/ }, 'without its master too');
});

t.test('one damaged document hides an application from its guests only', async (t) => {
  const storage = memoryStorage();
  const cluster = faultyCluster([{ id }, { id: 'application_1_2' }]);
  const { newClient } = await newGateway(t, { cluster, storage, auth: people });
  await storage.documents.write([
    { op: 'put', collection: 'application-permissions', key: id, value: { readOnly: 'garbage' } },
  ]);
  const idsOf = async (client: ReturnType<typeof newClient>) =>
    (await client.listApplications()).apps.map((app) => app.id);
  t.strictSame(await idsOf(newClient(as('ada'))), [id, 'application_1_2']);
  t.strictSame(await idsOf(newClient(as('eve', 'admin'))), [id, 'application_1_2']);
  t.strictSame(await idsOf(newClient(as('eve'))), []);
  await t.rejects(newClient(as('eve')).getApplication({ params }), { status: 500, code: 'DAMAGED' });
});

t.test('all topics of a tick cost one list of applications', async (t) => {
  const apps = Array.from({ length: 20 }, (_, i) => ({ id: `application_1_${i}` }));
  const cluster = faultyCluster(apps);
  const { client } = await newGateway(t, { cluster });
  const seen = new Set<string>();
  await new Promise<void>((resolve) => {
    for (const app of apps) {
      client.subscribe(`applications.${app.id}`, () => {
        seen.add(app.id);
        if (seen.size === apps.length) resolve();
      });
    }
  });
  t.ok(cluster.lists < apps.length, `${cluster.lists} lists for twenty readings and twenty checks of rights`);
});

t.test('who starts an application decides who else sees it', async (t) => {
  const failed = { state: 'FAILED', finalStatus: 'FAILED' } as const;
  const cluster = faultyCluster([
    { id, ...failed },
    { id: 'application_1_2', ...failed },
    { id: 'application_1_9001' },
    { id: 'application_1_9002' },
  ]);
  const { gateway, newClient } = await newGateway(t, { cluster, auth: people });
  const ada = newClient(as('ada', 'developer'));
  const none = { roles: [], users: [], everyone: false };
  const permissionsOf = (appid: string) => ada.getApplicationPermissions({ params: { appid } });

  const request = { user: 'ada', name: 'x', application: { operators: [], streams: [] } };
  await gateway.launch(request);
  t.match(await permissionsOf('application_1_9001'), { readOnly: { roles: ['operator'] } }, 'the default');

  const value = { readOnly: { users: ['rita'] } };
  await ada.putSetting({ params: { user: 'ada', key: 'defaultPermissions' }, body: { value } });
  await gateway.launch(request);
  t.same(await permissionsOf('application_1_9001'), {
    readOnly: { ...none, users: ['rita'] },
    readWrite: none,
  });

  const { appId } = await ada.restartApplication({ params });
  t.same((await permissionsOf(appId)).readOnly.users, ['rita'], 'her own default again');
  await ada.putApplicationPermissions({ params, body: { readOnly: { users: ['will'] } } });
  await ada.restartApplication({ params, query: { queue: 'fast' }, body: { 'a.b': 'c', n: 1 } });
  t.same((await permissionsOf(appId)).readOnly.users, ['will'], 'what was set goes on');
});

t.test('logs that are read together: each has its own time, and none stays open', async (t) => {
  const names = Array.from({ length: 40 }, (_, index) => `container_${index}`);
  const open = new Set<string>();
  let opens = 0;
  let hanging = '';
  const logs: LogReader = {
    list: async () => [],
    async open(containerId) {
      opens++;
      if (containerId === hanging) await new Promise(() => {});
      await delay(900);
      open.add(containerId);
      return {
        length: 2,
        read: () => Readable.from([Buffer.from('x\n')]),
        close: async () => {
          open.delete(containerId);
        },
      };
    },
    collectionOf: () => ({
      startTime: 1,
      type: 'GC',
      duration: 1,
      occupiedHeapMemoryBefore: 1,
      occupiedHeapMemoryAfter: 1,
      heapCapacity: 1,
      heapReductionPercentage: 0,
    }),
  };
  const container = Container.parse(sampleOf(Container));
  const cluster = faultyCluster([{ id }], {
    logs,
    containers: async () => names.map((name) => ({ ...container, id: name })),
  });
  const timeouts = { resourceManagerMillis: 5000, masterMillis: 2000 };
  const { client } = await newGateway(t, { cluster, timeouts });
  const read = () =>
    client.listCollections({ params: { ...params, logName: 'gc.log' }, query: { includeOffset: true } });
  t.match(await read(), { lines: { length: 40 } }, 'together they may take longer than one');
  t.equal(open.size, 0);
  opens = 0;
  hanging = 'container_3';
  await t.rejects(read(), { status: 504, message: /log of container_3/ });
  await until(
    async () => open.size,
    (left) => left === 0,
  );
  t.ok(opens < 60, 'not all of them after one failed');
});
