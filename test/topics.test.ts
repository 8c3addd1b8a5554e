import t from 'tap';
import { z } from 'zod';
import type { Client } from '../lib/client.js';
import type { PermissionStore } from '../lib/index.js';
import { Permissions } from '../lib/model/acl.js';
import {
  ActiveApplications,
  ApplicationSnapshot,
  AppStats,
  Event,
  ListedApplication,
} from '../lib/model/applications.js';
import { ClusterMetrics } from '../lib/model/cluster.js';
import { Container } from '../lib/model/containers.js';
import { LogicalOperator } from '../lib/model/logical-plan.js';
import { PhysOperator, PhysPort } from '../lib/model/physical-plan.js';
import { faultyCluster } from './doubles/cluster.js';
import { engineGateway, untilItRuns, words } from './helpers/applications.js';
import { newGateway } from './helpers/gateway.js';
import { as, people } from './helpers/people.js';
import { until } from './helpers/waiting.js';

/** The first message on a topic that fits, or the refusal. */
const message = <T = unknown>(client: Client, topic: string, fits: (data: T) => boolean = () => true) =>
  new Promise<T>((resolve, reject) => {
    const stop = client.subscribe(
      topic,
      (data) => {
        if (!fits(data as T)) return;
        stop();
        resolve(data as T);
      },
      reject,
    );
  });

/** The shapes of the topics, to the letter: what a message has too much fails as well. */
const exact = {
  applications: z.strictObject({
    ...ActiveApplications.shape,
    apps: z.array(z.strictObject(ListedApplication.shape)),
  }),
  running: z.strictObject({ ...ApplicationSnapshot.shape, ...AppStats.shape }),
  containers: z.strictObject({ containers: z.array(z.strictObject(Container.shape)) }),
  physicalOperators: z.strictObject({
    operators: z.array(
      z.strictObject({ ...PhysOperator.shape, ports: z.array(z.strictObject(PhysPort.shape)) }),
    ),
  }),
  logicalOperators: z.strictObject({ operators: z.array(z.strictObject(LogicalOperator.shape)) }),
  event: z.strictObject(Event.shape),
  metrics: z.strictObject(ClusterMetrics.shape),
};

/** The first message that has this shape and fits; the last one and what was wrong with it, when none comes. */
async function shaped<S extends z.ZodType>(
  client: Client,
  topic: string,
  shape: S,
  fits: (data: z.output<S>) => boolean,
): Promise<z.output<S>> {
  let last: unknown;
  const stop = client.subscribe(topic, (data) => {
    last = data;
  });
  try {
    const found = await until(
      async () => ({ last, ...shape.safeParse(last) }),
      ({ success, data }) => success && fits(data),
    );
    return shape.parse(found.data);
  } finally {
    stop();
  }
}

t.test('every topic of an application moves', async (t) => {
  const { gateway, newClient } = await engineGateway(t);
  const ada = newClient(as('ada', 'developer'));
  const appid = await gateway.launch(words());
  const params = { appid };
  const topic = `applications.${appid}`;
  await untilItRuns(ada, appid);

  const { apps } = await shaped(ada, 'applications', exact.applications, ({ apps }) =>
    apps.some(({ id, state }) => id === appid && state === 'RUNNING'),
  );
  t.match(apps, [{ id: appid, user: 'ada' }]);

  const first = await shaped(ada, topic, exact.running, ({ state, allocatedContainers }) => {
    return state === 'RUNNING' && allocatedContainers > 0;
  });
  t.match(first, { id: appid, numOperators: 3, currentWindowId: /^\d+$/ });
  await shaped(ada, topic, exact.running, ({ elapsedTime, currentWindowId }) => {
    return elapsedTime > first.elapsedTime && currentWindowId !== first.currentWindowId;
  });

  const { containers } = await shaped(ada, `${topic}.containers`, exact.containers, ({ containers }) =>
    containers.some(({ state, containerType }) => state === 'ACTIVE' && containerType === 'STREAMING'),
  );
  const listed = await ada.listContainers({ params });
  t.strictSame(containers.map(({ id }) => id).sort(), listed.containers.map(({ id }) => id).sort());

  const physical = await shaped(ada, `${topic}.physicalOperators`, exact.physicalOperators, ({ operators }) =>
    operators.every(({ totalTuplesEmitted, ports }) => (totalTuplesEmitted ?? 0) > 0 || ports.length === 1),
  );
  t.strictSame(physical.operators.map(({ logicalName }) => logicalName).sort(), ['count', 'hub', 'source']);
  const total = (data: z.output<typeof exact.physicalOperators>) =>
    data.operators.reduce((sum, { totalTuplesProcessed }) => sum + (totalTuplesProcessed ?? 0), 0);
  await shaped(
    ada,
    `${topic}.physicalOperators`,
    exact.physicalOperators,
    (data) => total(data) > total(physical),
  );

  const logical = await shaped(ada, `${topic}.logicalOperators`, exact.logicalOperators, ({ operators }) =>
    operators.every(({ status }) => status['ACTIVE'] === 1),
  );
  t.strictSame(
    logical.operators.flatMap(({ partitions }) => partitions).sort(),
    physical.operators.map(({ id }) => id).sort(),
  );

  await shaped(ada, 'cluster.metrics', exact.metrics, ({ numAppsRunning }) => numAppsRunning === 1);
  await shaped(ada, 'test.words', z.unknown(), (data) => data !== undefined);

  const ended = shaped(ada, topic, ApplicationSnapshot, ({ state }) => state === 'KILLED');
  await ada.killApplication({ params });
  const last = await ended;
  t.match(last, { finalStatus: 'KILLED' });
  t.notOk('allocatedContainers' in last, 'statistics end with the master');
  await shaped(ada, 'applications', exact.applications, ({ apps }) => apps.length === 0);
});

t.test('events come live, one a message, and are those that are kept', async (t) => {
  const { gateway, newClient } = await engineGateway(t);
  const ada = newClient(as('ada'));
  const appid = await gateway.launch(words());
  const params = { appid };
  const heard: unknown[] = [];
  ada.subscribe(`applications.${appid}.events`, (event) => {
    heard.push(event);
  });
  // The same socket, so that it listens to both now.
  await message(ada, `applications.${appid}`);
  await untilItRuns(ada, appid);

  const { containers } = await ada.listContainers({ params, query: { states: 'ACTIVE' } });
  const containerId = containers.find(({ containerType }) => containerType === 'STREAMING')?.id ?? '';
  await ada.killContainer({ params: { appid, containerId } });
  const isStop = (event: unknown) => {
    const { type, data } = exact.event.parse(event);
    return type === 'StopContainer' && data['containerId'] === containerId;
  };
  await until(
    async () => heard,
    (events) => events.some(isStop),
  );

  const stop = exact.event.parse(heard.find(isStop));
  const { events: kept } = await until(
    () => ada.listEvents({ params }),
    ({ events }) => events.some(({ id }) => id === stop.id),
  );
  const firstHeard = kept.findIndex(({ id }) => id === exact.event.parse(heard[0]).id);
  const end = kept.findIndex(({ id }) => id === stop.id) + 1;
  t.ok(firstHeard >= 0);
  t.strictSame(heard.slice(0, end - firstHeard), kept.slice(firstHeard, end), 'all of them, in their order');
});

t.test('a topic is read once for all who listen, and not at all when nobody does', async (t) => {
  const appid = 'application_1_1';
  const calls = { physicalPlan: 0, logicalOperators: 0, containers: 0 };
  const cluster = faultyCluster([{ id: appid, user: 'ada' }], {
    async physicalPlan() {
      calls.physicalPlan++;
      return { operators: [], streams: [] };
    },
    async logicalOperators() {
      calls.logicalOperators++;
      return [];
    },
    async containers() {
      calls.containers++;
      return [];
    },
  });
  const { newClient } = await newGateway(t, { cluster, auth: people });
  const clients = Array.from({ length: 5 }, () => newClient(as('ada', 'developer')));
  const topics = ['physicalOperators', 'logicalOperators', 'containers'];
  const counts = clients.map(() => new Map(topics.map((topic) => [topic, 0])));
  const stops = clients.flatMap((client, i) =>
    topics.map((topic) =>
      client.subscribe(`applications.${appid}.${topic}`, () => {
        counts[i]?.set(topic, (counts[i].get(topic) ?? 0) + 1);
      }),
    ),
  );
  await until(
    async () => counts.map((heard) => [...heard.values()]),
    (heard) => heard.flat().every((count) => count >= 3),
  );
  const most = (topic: string) => Math.max(...counts.map((heard) => heard.get(topic) ?? 0));
  // A message or two may be on its way; a reading for each of five would be 15.
  t.ok(calls.physicalPlan <= most('physicalOperators') + 2, `${calls.physicalPlan} readings of operators`);
  t.ok(calls.logicalOperators <= most('logicalOperators') + 2, `${calls.logicalOperators} of logical ones`);
  t.ok(calls.containers <= most('containers') + 2, `${calls.containers} of containers`);

  for (const stop of stops) stop();
  // The answer on the same socket: by then it listens to nothing else any more.
  for (const client of clients) await message(client, 'applications');
  const before = { ...calls };
  let ticks = 0;
  clients[0]?.subscribe('applications', () => {
    ticks++;
  });
  await until(
    async () => ticks,
    (count) => count >= 4,
  );
  t.strictSame(calls, before, 'others are read, these are not');

  for (const client of clients) client.close();
});

t.test('who hears what', async (t) => {
  const mine = 'application_1_1';
  const system = 'application_1_2';
  const cluster = faultyCluster([
    { id: mine, user: 'ada' },
    { id: system, user: 'platform', isSystemApp: true },
  ]);
  const { newClient } = await newGateway(t, { cluster, auth: people });
  const owner = newClient(as('ada', 'developer'));
  await owner.putApplicationPermissions({
    params: { appid: mine },
    body: { readOnly: { users: ['rita'], roles: ['operator'] } },
  });

  type Row = [
    who: string,
    client: Client,
    list: number | 'refused',
    own: 'heard' | 'refused',
    system: 'heard' | 'refused',
  ];
  const table: Row[] = [
    ['owner', owner, 1, 'heard', 'refused'],
    ['owner without VIEW_GLOBAL_CONFIG', newClient(as('ada')), 'refused', 'heard', 'refused'],
    ['other', newClient(as('eve', 'developer')), 0, 'refused', 'refused'],
    ['shared reader', newClient(as('rita', 'developer')), 1, 'refused', 'refused'],
    ['operator', newClient(as('oscar', 'operator')), 1, 'refused', 'refused'],
    ['admin', newClient(as('root', 'admin')), 2, 'heard', 'heard'],
  ];
  const heard = (promise: Promise<unknown>) =>
    promise.then(
      () => 'heard',
      () => 'refused',
    );
  for (const [who, client, list, own, ofPlatform] of table) {
    const apps = await message<{ apps: unknown[] }>(client, 'applications').then(
      (data) => data.apps.length,
      () => 'refused',
    );
    t.equal(apps, list, `${who}: applications`);
    t.equal(await heard(message(client, 'cluster.metrics')), list === 'refused' ? 'refused' : 'heard', who);
    for (const part of ['', '.containers', '.physicalOperators', '.logicalOperators']) {
      t.equal(await heard(message(client, `applications.${mine}${part}`)), own, `${who}: ${part}`);
      t.equal(
        await heard(message(client, `applications.${system}${part}`)),
        ofPlatform,
        `${who}: system ${part}`,
      );
    }
    t.equal(await heard(message(client, 'applications.application_0_0')), 'refused', `${who}: unknown`);
  }
});

t.test('a share that is revoked is gone from the next message', async (t) => {
  const cluster = faultyCluster([{ id: 'application_1_1', user: 'ada' }]);
  const { newClient } = await newGateway(t, { cluster, auth: people });
  const params = { appid: 'application_1_1' };
  const ada = newClient(as('ada'));
  const rita = newClient(as('rita', 'developer'));
  await ada.putApplicationPermissions({ params, body: { readOnly: { users: ['rita'] } } });
  const sizes: number[] = [];
  const reached = (size: number) =>
    new Promise<void>((resolve) => {
      const stop = rita.subscribe('applications', ({ apps }) => {
        sizes.push(apps.length);
        if (apps.length !== size) return;
        stop();
        resolve();
      });
    });
  await reached(1);
  const gone = reached(0);
  await ada.putApplicationPermissions({ params, body: {} });
  await gone;
  t.strictSame([...new Set(sizes)], [1, 0]);
});

t.test('what is shared is read for those who see applications by nothing else', async (t) => {
  const app = 'application_1_1';
  const base = faultyCluster([{ id: app, user: 'ada' }]);
  const asked: string[] = [];
  const permissions: PermissionStore = {
    async read(appId) {
      asked.push(appId);
      return Permissions.parse({ readOnly: { users: ['rita'] } });
    },
    async write() {},
  };
  const cluster = { ...base, resourceManager: { ...base.resourceManager, permissions } };
  const { newClient } = await newGateway(t, { cluster, auth: people });
  const root = newClient(as('root', 'admin'));
  let messages = 0;
  root.subscribe('applications', () => {
    messages++;
  });
  await until(
    () => messages,
    (count) => count >= 2,
  );
  t.strictSame(asked, [], 'not for an administrator');
  const first = await message<{ apps: unknown[] }>(newClient(as('rita', 'developer')), 'applications');
  t.equal(first.apps.length, 1, 'in the first message, though others listen already');
  t.strictSame([...new Set(asked)], [app]);
});

t.test('what can not be read is not published, and comes back', async (t) => {
  const cluster = faultyCluster([{ id: 'application_1_1' }]);
  const { client, logs } = await newGateway(t, { cluster });
  const states: string[] = [];
  let woken: () => void = () => {};
  client.subscribe('applications.application_1_1', ({ state }) => {
    states.push(state);
    woken();
  });
  const nextMessage = () =>
    new Promise<void>((resolve) => {
      woken = resolve;
    });
  await nextMessage();
  cluster.manager = 'down';
  await client.listApplications().catch(() => {});
  await new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      if (!logs.some(({ message }) => message === 'The topic can not be read')) return;
      clearInterval(timer);
      resolve();
    }, 20);
  });
  const before = states.length;
  cluster.manager = 'up';
  await nextMessage();
  t.ok(states.length > before);
  t.ok(
    states.every((state) => state === 'RUNNING'),
    'it never seemed to have ended',
  );
  t.ok(logs.some(({ message }) => message === 'The topic can be read again'));
});
