import { once } from 'node:events';
import t from 'tap';
import { z } from 'zod';
import { topicFor } from '../../../lib/pubsub/topic.js';
import { untilTrue } from '../../helpers/waiting.js';
import { type Peer, stage } from './stage.js';

// Sockets that do not keep up, over real sockets that stop reading.

const topic = topicFor<undefined>();
const topics = {
  room: {
    state: topic({ name: 'cluster.state', summary: '', access: 'user', data: z.unknown(), kind: 'snapshot' }),
    other: topic({ name: 'cluster.other', summary: '', access: 'user', data: z.unknown(), kind: 'snapshot' }),
    events: topic({
      name: 'applications.a.events',
      summary: '',
      access: 'user',
      data: z.unknown(),
      kind: 'events',
    }),
  },
};

const padding = 'x'.repeat(64 * 1024);
const data = (n: number) => JSON.stringify({ n, padding });
const numbers = (peer: Peer, name: string) => peer.dataOf(name).map((data) => Reflect.get(Object(data), 'n'));

const turn = () => new Promise((resolve) => setImmediate(resolve));
const increasing = (values: unknown[]) =>
  values.every((value, i) => i === 0 || Number(value) > Number(values[i - 1]));

t.test('a frozen socket keeps the newest snapshot of each topic, a healthy one gets all', async (t) => {
  const { hub, open } = await stage(t, { topics });
  const [frozen, healthy] = [await open('ann'), await open('bob')];
  for (const peer of [frozen, healthy]) {
    peer.subscribe('cluster.state');
    peer.subscribe('cluster.other');
    await peer.settled();
  }
  frozen.socket?.pause();
  const count = 1000; // 64 MB, more than any kernel takes for a socket
  for (let n = 0; n < count; n++) {
    hub.publish(n % 100 === 50 ? 'cluster.other' : 'cluster.state', data(n));
    await healthy.until(() => healthy.texts.length === n + 1);
  }
  t.equal(healthy.texts.length, count);
  frozen.socket?.resume();
  await frozen.until(() => numbers(frozen, 'cluster.state').at(-1) === count - 1, 'the newest state');
  const all = frozen.messages.map(({ data }) => Reflect.get(Object(data), 'n'));
  t.ok(all.length < count, `${all.length} of ${count} got through`);
  t.ok(increasing(all), 'never an older message after a newer one');
  t.equal(numbers(frozen, 'cluster.other').at(-1), 950, 'the newest of the other topic too');
  t.equal(hub.stats.tooSlow, 0);

  hub.publish('cluster.state', data(count));
  await frozen.until(() => numbers(frozen, 'cluster.state').at(-1) === count, 'what comes after');
});

t.test('events wait in order, every one of them', async (t) => {
  const { hub, open } = await stage(t, { topics, limits: { hardLimitBytes: 1e9 } });
  const peer = await open();
  peer.subscribe('applications.a.events');
  peer.subscribe('free');
  await peer.settled();
  peer.socket?.pause();
  for (let n = 0; n < 400; n++) {
    hub.publish(n % 2 ? 'free' : 'applications.a.events', data(n));
    await turn();
  }
  peer.socket?.resume();
  await peer.until(() => peer.texts.length >= 400);
  t.strictSame(
    peer.messages.map(({ data }) => Reflect.get(Object(data), 'n')),
    Array.from({ length: 400 }, (_, n) => n),
  );
});

t.test('a socket with too many events waiting is closed with a code and a reason', async (t) => {
  const { hub, open, logged } = await stage(t, { topics });
  const [frozen, healthy] = [await open('ann'), await open('bob')];
  for (const peer of [frozen, healthy]) {
    peer.subscribe('applications.a.events');
    await peer.settled();
  }
  frozen.socket?.pause();
  let sent = 0;
  while (hub.stats.tooSlow === 0 && sent < 2000) {
    hub.publish('applications.a.events', data(sent++));
    await healthy.until(() => healthy.texts.length === sent);
  }
  t.ok(sent > 16 * 16, `${sent} of 64 KiB were taken before`);
  t.match(logged, [{ level: 'warn', message: /too slow/ }]);
  frozen.socket?.resume();
  t.match(await frozen.closed, { code: 1013, reason: /^Too slow: more than 16777216 bytes/ });
  t.ok(increasing(numbers(frozen, 'applications.a.events')));
  t.equal(hub.stats.connections, 1);
});

t.test('a socket that takes nothing is closed in the end, one that never closes is cut', async (t) => {
  const { hub, open, sockets } = await stage(t, {
    topics,
    limits: { pingMs: 250, pongMs: 200, stallMs: 100 },
  });
  const frozen = await open();
  frozen.subscribe('cluster.state');
  await frozen.settled();
  frozen.socket?.pause();
  for (let n = 0; hub.stats.tooSlow === 0 && n < 5000; n++) {
    hub.publish('cluster.state', data(n));
    await turn();
  }
  await untilTrue(() => hub.stats.tooSlow === 1);
  await untilTrue(() => sockets.size === 0);
  t.equal(hub.stats.connections, 0);
});

t.test('a silent peer is ended, one that answers pings stays', async (t) => {
  const { hub, open } = await stage(t, { limits: { pingMs: 100, pongMs: 50 } });
  const [silent, alive] = [await open('ann'), await open('bob')];
  let pings = 0;
  alive.ws.on('ping', () => pings++);
  silent.socket?.pause();
  await untilTrue(() => hub.stats.connections === 1);
  await untilTrue(() => pings > 3);
  await alive.settled();
  t.equal(hub.stats.connections, 1);
});

t.test(
  'who answers no pings stays while he says something, or proves an application, and goes after a silence',
  async (t) => {
    const { hub, open } = await stage(t, {
      limits: { pingMs: 50, pongMs: 400 },
      upgrades: {
        applicationOf: ({ userName }) => (userName === 'admin' ? 'application_1_1' : undefined),
      },
    });
    const peers = {
      silent: await open('ann'),
      talking: await open('bob'),
      engine: await open('admin'),
    };
    // As the engine's own client: pings are read, and not answered.
    const pings = { silent: 0, talking: 0, engine: 0 };
    for (const name of ['silent', 'talking', 'engine'] as const) {
      const { ws } = peers[name];
      ws.pong = () => {};
      ws.on('ping', () => pings[name]++);
    }
    let ended = false;
    void peers.silent.closed.then(() => {
      ended = true;
    });
    let said = 0;
    while (!ended || pings.engine < 30 || said < 30) {
      peers.talking.publish('talk', said++);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    t.ok(pings.silent >= 4, `${pings.silent} pings before the end`);
    t.equal(hub.stats.connections, 2);
    const heard: string[] = [];
    hub.watch('news', (data) => heard.push(data));
    peers.engine.publish('news', 'after a long silence');
    await untilTrue(() => heard.length === 1);
  },
);

t.test('who sends too fast loses nothing', async (t) => {
  const { open } = await stage(t, { limits: { messagesPerSecond: 2000, messageBurst: 100 } });
  const ann = await open();
  ann.subscribe('a');
  for (let n = 0; n < 1000; n++) ann.publish('a', n);
  await ann.until(() => ann.texts.length === 1000);
  t.strictSame(
    ann.dataOf('a'),
    Array.from({ length: 1000 }, (_, n) => n),
  );
});

t.test('frames of one turn arrive in one piece', async (t) => {
  const { hub, open } = await stage(t, { topics });
  const ann = await open();
  for (const name of ['a', 'b', 'c', 'cluster.state']) ann.subscribe(name);
  await ann.settled();
  const chunks: Buffer[] = [];
  ann.socket?.prependListener('data', (chunk: Buffer) => chunks.push(chunk));
  for (const name of ['a', 'cluster.state', 'b', 'c', 'a']) hub.publish(name, '1');
  await ann.until(() => ann.texts.length === 5);
  t.equal(chunks.length, 1);
  t.strictSame(
    ann.messages.map(({ topic }) => topic),
    ['a', 'cluster.state', 'b', 'c', 'a'],
  );
});

t.test('large messages of one turn arrive whole, pings between them hurt nothing', async (t) => {
  const { hub, open } = await stage(t, { limits: { pingMs: 25, pongMs: 20_000 } });
  const ann = await open();
  let pings = 0;
  ann.ws.on('ping', () => pings++);
  ann.subscribe('a');
  await ann.settled();
  const large = JSON.stringify('é'.repeat(400_000));
  for (let round = 0; round < 8 || pings < 3; round++) {
    for (const text of ['1', large, '2']) hub.publish('a', text);
    await ann.until(() => ann.texts.length === (round + 1) * 3);
  }
  t.ok(
    ann.texts.every((text, i) => text === `{"type":"data","topic":"a","data":${['1', large, '2'][i % 3]}}`),
  );
});

t.test('limits of a message', async (t) => {
  const { open } = await stage(t, { limits: { messageBytes: 100_000, fragments: 4 } });
  const [big, parts] = [await open('ann'), await open('bob')];
  big.publish('a', 'x'.repeat(100_000));
  t.match(await big.closed, { code: 1009 });
  for (let i = 0; i < 6; i++) parts.ws.send('x', { fin: false });
  t.match(await parts.closed, { code: 1008 });
});

t.test('the longest message there may be passes', async (t) => {
  const { open } = await stage(t);
  const ann = await open();
  ann.subscribe('a');
  const text = `{"type":"publish","topic":"a","data":"${'x'.repeat(8 * 1024 * 1024 - 40)}"}`;
  t.equal(text.length, 8 * 1024 * 1024);
  ann.say(text);
  await ann.until(() => ann.texts.length === 1);
  t.equal(ann.texts[0], text.replace('publish', 'data'));
  ann.say(`${text} `);
  t.match(await ann.closed, { code: 1009 });
});

t.test('clients that vanish leave nothing behind', async (t) => {
  const { open, hub, sockets } = await stage(t);
  const peers = await Promise.all(Array.from({ length: 50 }, () => open()));
  for (const peer of peers) {
    peer.subscribe('a');
    peer.say({ type: 'subscribeNumSubscribers', topic: 'a' });
  }
  await Promise.all(peers.map((peer) => peer.until(() => peer.texts.length > 0)));
  for (const [i, peer] of peers.entries()) {
    if (i % 2) peer.socket?.resetAndDestroy();
    else peer.ws.close();
  }
  await Promise.all(peers.map(({ ws }) => (ws.readyState === ws.CLOSED ? undefined : once(ws, 'close'))));
  await untilTrue(() => sockets.size === 0);
  t.match(hub.stats, { connections: 0, topics: 0, tooSlow: 0, slowSockets: 0, waitingBytes: 0 });
});
