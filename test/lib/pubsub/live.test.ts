import t from 'tap';
import { z } from 'zod';
import type { Principal } from '../../../lib/http/principal.js';
import { Unreachable } from '../../../lib/model/errors.js';
import type { Hub } from '../../../lib/pubsub/hub.js';
import type { HubSocket } from '../../../lib/pubsub/socket.js';
import { topicFor } from '../../../lib/pubsub/topic.js';
import { untilTrue } from '../../helpers/waiting.js';
import { type Peer, principal, stage } from './stage.js';

// Topics that the gateway reads, and rights that change while sockets are open.

interface App {
  id: string;
  owner: string;
}

/** A room as the gateway has them. */
class Apps {
  apps: App[] = [
    { id: 'app_1', owner: 'ann' },
    { id: 'app_2', owner: 'bob' },
  ];
  reads = 0;
  running = 0;
  mostRunning = 0;
  /** While it is set, readings and checks wait. */
  gate: Promise<void> | undefined;
  fails = false;
  views = 0;
  signals: AbortSignal[] = [];

  async read(signal: AbortSignal): Promise<{ apps: App[] } | undefined> {
    this.reads++;
    this.signals.push(signal);
    this.mostRunning = Math.max(this.mostRunning, ++this.running);
    await this.gate;
    this.running--;
    if (this.fails) throw new Unreachable('The cluster');
    return { apps: this.apps };
  }

  async may(user: Principal, id: string): Promise<boolean> {
    await this.gate;
    if (this.fails) throw new Unreachable('The cluster');
    return this.apps.some((app) => app.id === id && (user.isAdmin || app.owner === user.userName));
  }
}

const topic = topicFor<Apps>();
const AppList = z.object({ apps: z.array(z.object({ id: z.string(), owner: z.string() })) });
const AppId = z.object({ appid: z.string() });
const topics = {
  apps: {
    list: topic({
      name: 'applications',
      summary: 'Applications',
      access: 'user',
      data: AppList,
      kind: 'snapshot',
      every: 50,
      read: (apps, { signal }) => apps.read(signal),
      view(service, user, data) {
        service.views++;
        const visible = data.apps.filter(({ owner }) => user.isAdmin || owner === user.userName);
        return visible.length === data.apps.length ? data : { apps: visible };
      },
    }),
    metrics: topic({
      name: 'cluster.metrics',
      summary: 'Metrics',
      access: 'VIEW_GLOBAL_CONFIG',
      data: AppList,
      kind: 'snapshot',
      every: 50,
      read: (apps, { signal }) => apps.read(signal),
    }),
    pushed: topic({
      name: 'applications.{appid}',
      summary: 'One application',
      access: 'user',
      params: AppId,
      data: z.unknown(),
      kind: 'snapshot',
      may: (apps, user, { appid }) => apps.may(user, appid),
    }),
    events: topic({
      name: 'applications.{appid}.events',
      summary: 'Events',
      access: 'user',
      params: AppId,
      data: z.unknown(),
      kind: 'events',
      may: (apps, user, { appid }) => apps.may(user, appid),
    }),
  },
};

async function live(t: { teardown(end: () => Promise<void>): unknown }, limits = {}) {
  const apps = new Apps();
  return { apps, ...(await stage(t, { topics, services: { apps }, limits })) };
}

/** For what must happen within one turn of the event loop, which no network can promise. */
const quietSocket: HubSocket = {
  send: () => 0,
  bufferedAmount: 0,
  ping() {},
  close() {},
  terminate() {},
};

/** A gate that is closed until `open` is called. */
function gate(): { wait: Promise<void>; open: () => void } {
  let open = () => {};
  const wait = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { wait, open };
}

const got = (peer: Peer, name: string, count = 1) =>
  peer.until(() => peer.dataOf(name).length >= count, `${name} ${count} times`);

t.test('a topic is read only while somebody listens, once for all of them', async (t) => {
  const { apps, open, hub } = await live(t);
  const [ann, bob] = [await open('admin'), await open('admin')];
  t.equal(apps.reads, 0);
  ann.subscribe('applications');
  bob.subscribe('applications');
  await got(ann, 'applications', 3);
  await got(bob, 'applications', 3);
  t.ok(apps.reads <= Math.max(ann.texts.length, bob.texts.length) + 1, 'one reading for both');
  ann.say({ type: 'unsubscribe', topic: 'applications' });
  bob.ws.terminate();
  await untilTrue(() => hub.stats.topics === 0);
  const { reads } = apps;
  await ann.settled();
  t.equal(apps.reads, reads, 'nobody reads any more');
  t.ok(apps.signals.at(-1), 'readers get a signal');

  const stop = hub.watch('applications');
  await untilTrue(() => hub.latest('applications') !== undefined);
  t.equal(hub.latest('applications'), JSON.stringify({ apps: apps.apps }));
  stop();
  t.equal(hub.latest('applications'), undefined, 'a value that nobody keeps fresh is none');
});

t.test('a new subscriber gets the latest snapshot at once', async (t) => {
  const { apps, open, hub } = await live(t);
  const heard: string[] = [];
  hub.watch('applications', (data) => heard.push(data));
  await untilTrue(() => heard.length > 0);
  const closed = gate();
  apps.gate = closed.wait;
  const ann = await open('ann');
  ann.subscribe('applications');
  await got(ann, 'applications');
  t.strictSame(ann.dataOf('applications'), [{ apps: [{ id: 'app_1', owner: 'ann' }] }]);
  closed.open();
});

t.test(
  'the same object is said again to all, and another one, or what was said between, is not lost for it',
  async (t) => {
    const { apps, open, hub } = await live(t);
    const name = 'cluster.metrics';
    const same = { apps: apps.apps };
    apps.read = async () => same;
    const heard: string[] = [];
    hub.watch(name, (data) => heard.push(data));
    const ann = await open('admin');
    ann.subscribe(name);
    await got(ann, name, 3);
    for (const data of ann.dataOf(name)) t.strictSame(data, same);
    t.ok(heard.length >= 3);
    for (const data of heard) t.equal(data, JSON.stringify(same));
    t.equal(hub.latest(name), JSON.stringify(same));
    hub.publish(name, () => '{"apps":[]}');
    await untilTrue(() => ann.dataOf(name).some((data) => JSON.stringify(data) === '{"apps":[]}'));
    const before = ann.dataOf(name).length;
    await got(ann, name, before + 2);
    t.strictSame(ann.dataOf(name).at(-1), same, 'and not what was said between');
    apps.read = async () => ({ apps: [{ id: 'app_3', owner: 'ann' }] });
    await untilTrue(() => heard.at(-1)?.includes('app_3') === true);
  },
);

t.test('what only listeners heard is told to those who join, as it was then', async (t) => {
  const { apps, open, hub } = await live(t);
  const name = 'applications.app_1';
  const [ann, eve] = [await open('admin'), await open('admin')];
  hub.watch(name);
  const stop = hub.watch('cluster.metrics');
  await untilTrue(() => hub.latest('cluster.metrics') !== undefined);
  const closed = gate();
  apps.gate = closed.wait;
  await untilTrue(() => apps.running > 0);
  const before = hub.latest('cluster.metrics') ?? '';
  const saidAt = hub.latestAt('cluster.metrics') ?? Infinity;
  t.ok(saidAt <= performance.now());
  apps.apps.push({ id: 'app_3', owner: 'ann' });
  ann.subscribe('cluster.metrics');
  await got(ann, 'cluster.metrics');
  t.strictSame(ann.dataOf('cluster.metrics'), [JSON.parse(before)]);
  t.equal(hub.latest('cluster.metrics'), before);
  t.equal(hub.latestAt('cluster.metrics'), saidAt, 'who joins makes it no newer');
  stop();
  closed.open();

  hub.publish(name, '{"n":1}');
  hub.publish(name, '{"n":2}');
  t.equal(hub.latest(name), '{"n":2}');
  apps.gate = undefined;
  ann.subscribe(name);
  await got(ann, name);
  hub.publish(name, '{"n":3}');
  eve.subscribe(name);
  await got(eve, name);
  await got(ann, name, 2);
  ann.ws.terminate();
  eve.ws.terminate();
  await untilTrue(() => hub.stats.connections === 0);
  hub.publish(name, '{"n":4}');
  t.equal(hub.latest(name), '{"n":4}', 'not the frame that others had');
  const bob = await open('admin');
  bob.subscribe(name);
  await got(bob, name);
  t.strictSame(
    [ann, eve, bob].map((peer) => peer.dataOf(name)),
    [[{ n: 2 }, { n: 3 }], [{ n: 3 }], [{ n: 4 }]],
  );
});

t.test('each receiver sees his part; those who see the same share it', async (t) => {
  const { apps, open } = await live(t);
  const peers = [await open('ann'), await open('bob'), await open('admin')];
  for (const peer of peers) peer.subscribe('applications');
  for (const peer of peers) await got(peer, 'applications', 2);
  const [ann, bob, admin] = peers.map((peer) => peer.dataOf('applications').at(-1));
  t.strictSame(ann, { apps: [{ id: 'app_1', owner: 'ann' }] });
  t.strictSame(bob, { apps: [{ id: 'app_2', owner: 'bob' }] });
  t.strictSame(admin, { apps: apps.apps });
});

t.test('inside, the latest can be asked as somebody sees it', async (t) => {
  const { hub } = await live(t);
  hub.watch('applications');
  await untilTrue(() => hub.latest('applications') !== undefined);
  t.equal(hub.latest('applications', principal('bob')), '{"apps":[{"id":"app_2","owner":"bob"}]}');
  t.equal(await hub.mayRead(principal('bob'), 'cluster.metrics'), false);
  t.equal(await hub.mayRead(principal('bob'), 'applications.app_2'), true);
});

t.test('a slow reading never stacks', async (t) => {
  const { apps, open } = await live(t);
  const ann = await open('admin');
  const closed = gate();
  apps.gate = closed.wait;
  ann.subscribe('applications');
  await untilTrue(() => apps.reads === 1);
  for (let i = 0; i < 30; i++) await ann.settled();
  await new Promise((resolve) => setTimeout(resolve, 200));
  t.equal(apps.reads, 1, 'the next one waits for it');
  closed.open();
  await got(ann, 'applications', 2);
  t.equal(apps.mostRunning, 1);
});

t.test('a topic that hangs delays no other of its interval', async (t) => {
  const { apps, open } = await live(t);
  const ann = await open('admin');
  apps.gate = gate().wait;
  ann.subscribe('applications');
  await untilTrue(() => apps.reads === 1);
  apps.gate = undefined;
  ann.subscribe('cluster.metrics');
  await got(ann, 'cluster.metrics', 4);
  t.strictSame(ann.dataOf('applications'), []);
  t.equal(apps.mostRunning, 2);
});

t.test('a reading that hangs is given up, and told so', async (t) => {
  const { apps, open, logged } = await live(t, { readMs: 30 });
  const ann = await open('admin');
  apps.gate = gate().wait;
  ann.subscribe('applications');
  await untilTrue(() => apps.reads > 1);
  t.equal(apps.signals[0]?.aborted, true);
  t.match(logged, [{ level: 'warn', fields: { topic: 'applications' } }]);
});

t.test('a failing topic is one log line, until it works again', async (t) => {
  const { apps, open, logged } = await live(t);
  const ann = await open('admin');
  apps.fails = true;
  ann.subscribe('applications');
  await untilTrue(() => apps.reads >= 4);
  t.strictSame(ann.dataOf('applications'), [], 'nothing is published');
  apps.fails = false;
  await got(ann, 'applications');
  t.strictSame(
    logged.map(({ level, message }) => [level, message]),
    [
      ['warn', 'The topic can not be read'],
      ['info', 'The topic can be read again'],
    ],
  );
});

t.test('a revoked permission ends the subscription with the next message', async (t) => {
  const { accounts, open, hub } = await live(t);
  accounts.set('ann', ['VIEW_GLOBAL_CONFIG']);
  const ann = await open('ann', { query: '?errors=true' });
  ann.subscribe('cluster.metrics');
  ann.subscribe('free');
  await got(ann, 'cluster.metrics');
  accounts.set('ann', []);
  hub.rightsChanged('ann');
  hub.publish('cluster.metrics', '"secret"');
  hub.publish('free', '"goes on"');
  await got(ann, 'free');
  await ann.until(() => ann.messages.some(({ type }) => type === 'error'));
  hub.publish('cluster.metrics', '"secret"');
  hub.publish('free', '"goes on"');
  await got(ann, 'free', 2);
  t.notMatch(ann.texts.join(), 'secret');
  t.match(
    ann.messages.find(({ type }) => type === 'error'),
    { topic: 'cluster.metrics', code: 'FORBIDDEN' },
  );
  await untilTrue(() => hub.stats.topics === 1);
});

t.test('while rights are being asked for nothing goes out, and events are not lost', async (t) => {
  const { apps, open, hub } = await live(t);
  const ann = await open('ann');
  for (const name of ['applications.app_1', 'applications.app_1.events', 'free']) ann.subscribe(name);
  await untilTrue(() => hub.stats.topics === 3);
  const closed = gate();
  apps.gate = closed.wait;
  hub.rightsChanged();
  for (let i = 0; i < 3; i++) {
    hub.publish('applications.app_1', `${i}`);
    hub.publish('applications.app_1.events', `${i}`);
  }
  ann.publish('free', 'said meanwhile');
  await new Promise((resolve) => setTimeout(resolve, 50));
  t.strictSame(ann.texts, []);
  // A second change while the first is being looked at: only the newest state counts.
  apps.apps = [{ id: 'app_2', owner: 'ann' }];
  hub.rightsChanged();
  apps.apps = [{ id: 'app_1', owner: 'ann' }];
  apps.gate = undefined;
  closed.open();
  await got(ann, 'free');
  t.strictSame(ann.dataOf('applications.app_1.events'), [0, 1, 2], 'every event');
  t.strictSame(ann.dataOf('applications.app_1'), [2], 'of the snapshots the newest');
});

t.test('what was published before the change is not told after it', async (t) => {
  const { apps, open, hub } = await live(t);
  const ann = await open('ann');
  ann.subscribe('applications.app_1.events');
  ann.subscribe('free');
  await untilTrue(() => hub.stats.topics === 2);
  hub.publish('applications.app_1.events', '"in the same turn"');
  apps.apps = [];
  hub.rightsChanged();
  hub.publish('free', '1');
  await got(ann, 'free');
  t.strictSame(ann.dataOf('applications.app_1.events'), []);
});

t.test('rights that can not be checked: the socket closes, with a reason', async (t) => {
  const { apps, open, hub, logged } = await live(t, { checkMs: 50 });
  const [ann, bob] = [await open('ann'), await open('bob', { query: '?errors=true' })];
  ann.subscribe('applications.app_1');
  await untilTrue(() => hub.stats.topics === 1);
  apps.gate = gate().wait;
  hub.rightsChanged('ann');
  t.match(await ann.closed, { code: 1013, reason: /rights/ });
  bob.subscribe('applications.app_2');
  await bob.until(() => bob.texts.length > 0);
  t.match(bob.messages, [{ type: 'error', code: 'FORBIDDEN' }], 'no new subscription either');
  t.match(logged.filter(({ level }) => level === 'warn').length, 2);
});

t.test('unsubscribing while the right is asked for takes the wish back', async (t) => {
  const { apps, open, hub } = await live(t);
  const ann = await open('ann');
  const closed = gate();
  apps.gate = closed.wait;
  ann.subscribe('applications.app_1');
  ann.say({ type: 'unsubscribe', topic: 'applications.app_1' });
  ann.subscribe('applications.app_1.events');
  await ann.settled();
  apps.gate = undefined;
  closed.open();
  await untilTrue(() => {
    hub.publish('applications.app_1', '1');
    hub.publish('applications.app_1.events', '2');
    return ann.texts.length > 0;
  });
  t.strictSame(new Set(ann.messages.map(({ data }) => data)), new Set([2]));
});

t.test('a session that ends closes its sockets; a deleted user has none', async (t) => {
  const { accounts, open, hub } = await live(t);
  const [first, second, third] = [await open('ann/s1'), await open('ann/s2'), await open('bob')];
  hub.sessionEnded('s1');
  t.match(await first.closed, { code: 1008, reason: /session/ });
  accounts.delete('ann');
  hub.rightsChanged('ann');
  t.match(await second.closed, { code: 1008 });
  await third.settled();
  t.equal(hub.stats.connections, 1);
});

t.test('rights that change while a long message is read are those that count', async (t) => {
  const long = Buffer.from(`{"type":"publish","topic":"news","data":[${Array(500_000).fill(0).join(',')}]}`);
  const short = Buffer.from('{"type":"publish","topic":"news","data":1}');
  for (const isRevoked of [false, true]) {
    const { hub } = await live(t);
    const heard: number[] = [];
    hub.watch('news', (data) => heard.push(data.length));
    const check = gate();
    const connection = hub.connect(quietSocket, {
      caller: { principal: principal('ann') },
      sessionId: undefined,
      wantsErrors: false,
      onUse() {},
      async refresh() {
        await check.wait;
        return isRevoked ? undefined : { principal: principal('ann') };
      },
    });
    connection.receive(long);
    connection.receive(short);
    hub.rightsChanged('ann');
    connection.receive(short);
    // Others can be heard in the meantime, and what was read to its end still waits.
    const other = await afterReading(hub);
    t.strictSame(heard, [], 'nothing is published before they are known');
    check.open();
    if (isRevoked) await untilTrue(() => hub.stats.connections === other);
    else await untilTrue(() => heard.length === 3);
    t.strictSame(heard, isRevoked ? [] : [1_000_001, 1, 1]);
  }
});

/** A message as long as the one before it, of somebody else, has been read. Resolves how many sockets are open then. */
async function afterReading(hub: Hub): Promise<number> {
  const connection = hub.connect(quietSocket, {
    caller: { principal: principal('bob') },
    sessionId: undefined,
    wantsErrors: false,
    onUse() {},
    refresh: async () => ({ principal: principal('bob') }),
  });
  let isRead = false;
  const stop = hub.watch('other', () => {
    isRead = true;
  });
  connection.receive(
    Buffer.from(`{"type":"publish","topic":"other","data":[${Array(500_000).fill(0).join(',')}]}`),
  );
  await untilTrue(() => isRead);
  stop();
  return hub.stats.connections - 1;
}
