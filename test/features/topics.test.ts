import t from 'tap';
import type { Client } from '../../lib/client.js';
import type { ApplicationSnapshot } from '../../lib/features/applications/schema.js';
import { faultyCluster } from '../doubles/cluster.js';
import { engineGateway, untilItRuns, words } from '../helpers/applications.js';
import { newGateway } from '../helpers/gateway.js';
import { as, people } from '../helpers/people.js';

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

t.test('every topic of an application moves', async (t) => {
  const { gateway, newClient } = await engineGateway(t);
  const ada = newClient(as('ada', 'developer'));
  const appid = await gateway.launch(words());
  const topic = `applications.${appid}`;
  const events = message<{ type: string }>(ada, `${topic}.events`, ({ type }) => type === 'StopContainer');
  await untilItRuns(ada, appid);

  t.match(await message(ada, 'applications'), { apps: [{ id: appid, state: 'RUNNING', user: 'ada' }] });
  const first = await message<ApplicationSnapshot>(ada, topic, ({ allocatedContainers }) => {
    return (allocatedContainers ?? 0) > 0;
  });
  t.match(first, { id: appid, state: 'RUNNING', numOperators: 3, currentWindowId: /^\d+$/ });
  const later = await message<ApplicationSnapshot>(ada, topic, ({ elapsedTime, currentWindowId }) => {
    return elapsedTime > first.elapsedTime && currentWindowId !== first.currentWindowId;
  });
  t.ok(later, 'it moves');
  t.match(await message(ada, `${topic}.containers`), { containers: [{ containerType: /./ }] });
  t.match(await message(ada, `${topic}.physicalOperators`), { operators: [{ latencyMA: Number }, {}, {}] });
  t.match(await message(ada, `${topic}.logicalOperators`), { operators: [{ status: {} }, {}, {}] });
  t.match(await message(ada, 'cluster.metrics'), { numAppsRunning: 1 });
  t.ok(await message(ada, 'test.words'), "the application's own topic");

  const { containers } = await ada.listContainers({ params: { appid }, query: { states: 'ACTIVE' } });
  const containerId = containers.find(({ containerType }) => containerType === 'STREAMING')?.id ?? '';
  await ada.killContainer({ params: { appid, containerId } });
  t.match(await events, { id: String, timestamp: Number, data: { containerId } });

  const ended = message<ApplicationSnapshot>(ada, topic, ({ state }) => state === 'KILLED');
  await ada.killApplication({ params: { appid } });
  const last = await ended;
  t.match(last, { finalStatus: 'KILLED' });
  t.notOk('allocatedContainers' in last, 'statistics end with the master');
  t.same(await message(ada, 'applications', ({ apps }: { apps: unknown[] }) => apps.length === 0), {
    apps: [],
  });
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
