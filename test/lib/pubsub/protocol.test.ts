import { once } from 'node:events';
import t from 'tap';
import { WebSocket } from 'ws';
import { z } from 'zod';
import { NotFound } from '../../../lib/model/errors.js';
import { topicFor } from '../../../lib/pubsub/topic.js';
import { stage } from './stage.js';

// The messages of `docs/pubsub.md`, over real sockets.

t.test('a published message reaches every subscriber, its publisher too', async (t) => {
  const { open } = await stage(t);
  const [ann, bob] = [await open('ann'), await open('bob')];
  ann.subscribe('news');
  bob.subscribe('news');
  await bob.settled();
  await ann.settled();
  ann.publish('news', { x: 1 });
  await ann.until(() => ann.texts.length > 0);
  await bob.until(() => bob.texts.length > 0);
  t.strictSame(ann.texts, ['{"type":"data","topic":"news","data":{"x":1}}']);
  t.strictSame(bob.texts, ann.texts);
});

t.test('data comes back as the text that was sent', async (t) => {
  const { open } = await stage(t);
  const ann = await open();
  ann.subscribe('exact');
  const datas = [
    '12345678901234567890123',
    '{"b":1,"a":2,"b":3}',
    '"\\u00e9\\/\\ud83d\\ude00 \\n"',
    '"é 😀"',
    '[1.0, 1e400,\t-0 ]',
    '{"__proto__":{"x":1}}',
    'false',
    '""',
    `"${'x'.repeat(100_000)}"`,
  ];
  for (const data of datas) ann.say(`{"data": ${data} ,"topic":"exact","type":"publish"}`);
  await ann.until(() => ann.texts.length === datas.length);
  t.strictSame(
    ann.texts,
    datas.map((data) => `{"type":"data","topic":"exact","data":${data}}`),
  );
});

t.test('long messages keep their place in the order of their socket', async (t) => {
  const { open } = await stage(t);
  const ann = await open();
  ann.subscribe('long');
  const long = `[${Array(1_000_000).fill('1').join(', ')}]`;
  const datas = ['1', long, '2', `"${'x'.repeat(3_000_000)}"`, long, '3'];
  for (const data of datas) ann.say(`{"type":"publish","topic":"long","data":${data}}`);
  ann.say(`{"type":"publish","topic":"long","data":${long}]}`);
  await ann.settled();
  t.equal(ann.texts.length, datas.length);
  for (const [i, data] of datas.entries()) {
    t.ok(ann.texts[i] === `{"type":"data","topic":"long","data":${data}}`, `message ${i}`);
  }
});

t.test('what is no message is ignored and the connection stays', async (t) => {
  const { open } = await stage(t);
  const ann = await open();
  const bad = ['', 'x', '{', '[]', 'null', '{}', '{"type":"subscribe"}', '{"type":"hello","topic":"a"}'];
  const worse = ['{"type":"publish","topic":"a"}', '{"type":"publish","topic":"a","data":null}'];
  ann.subscribe('a');
  for (const text of [...bad, ...worse, '['.repeat(100_000)]) ann.say(text);
  ann.ws.send(Buffer.from('{"type":"publish","topic":"a","data":1}'), { binary: true });
  await ann.settled();
  t.strictSame(ann.texts, []);
  t.equal(ann.ws.readyState, WebSocket.OPEN);
});

t.test('messages for which a turn has no time left are read in the next ones, in order', async (t) => {
  const { open, hub } = await stage(t, { limits: { turnMs: 0 } });
  const [ann, bob] = [await open(), await open('bob')];
  bob.subscribe('a');
  bob.subscribe('b');
  ann.subscribe('c');
  await Promise.all([ann.settled(), bob.settled()]);
  const sent: number[] = [];
  for (let n = 0; n < 300; n++) {
    if (n === 100) hub.rightsChanged();
    if (n === 200) ann.publish('b', 'x'.repeat(300_000));
    ann.publish('a', n);
    sent.push(n);
  }
  ann.say({ type: 'unsubscribe', topic: 'c' });
  ann.publish('c', 1);
  ann.subscribe('c');
  ann.publish('c', 2);
  await bob.until(() => bob.dataOf('a').length === 300, 'all of them');
  await ann.until(() => ann.dataOf('c').length > 0, 'the last');
  t.strictSame(bob.dataOf('a'), sent);
  t.strictSame(ann.dataOf('c'), [2]);
  t.equal(bob.dataOf('b').length, 1);
  ann.publish('a', 300);
  bob.ws.terminate();
  ann.ws.terminate();
  for (let i = 0; i < 1000 && hub.stats.connections > 0; i++) await new Promise((go) => setTimeout(go, 5));
  t.equal(hub.stats.connections, 0, 'also one that goes while it is read');
});

t.test('a subscriber gets all his topics in the order of publishing', async (t) => {
  const { open } = await stage(t);
  const [ann, bob, admin] = [await open('ann'), await open('bob'), await open('admin')];
  for (const topic of ['a', 'b', 'c']) ann.subscribe(topic);
  for (const topic of ['c', 'a']) bob.subscribe(topic);
  await ann.settled();
  await bob.settled();
  const sent = Array.from({ length: 600 }, (_, i) => ({ topic: ['a', 'b', 'c', 'b'][i % 4] ?? '', data: i }));
  for (const { topic, data } of sent) admin.publish(topic, data);
  await ann.until(() => ann.texts.length === 600);
  await bob.until(() => bob.texts.length === 300);
  t.strictSame(
    ann.messages.map(({ topic, data }) => ({ topic, data })),
    sent,
  );
  t.strictSame(
    bob.messages.map(({ topic, data }) => ({ topic, data })),
    sent.filter(({ topic }) => topic !== 'b'),
  );
});

t.test('subscribing twice is once, unsubscribing ends it', async (t) => {
  const { open, hub } = await stage(t);
  const ann = await open();
  ann.subscribe('a');
  ann.subscribe('a');
  ann.publish('a', 1);
  ann.say({ type: 'unsubscribe', topic: 'a' });
  ann.say({ type: 'unsubscribe', topic: 'a' });
  ann.publish('a', 2);
  await ann.settled();
  t.strictSame(ann.dataOf('a'), [1]);
  await ann.until(() => hub.stats.topics === 0, 'the end of the topics');
});

t.test('counts', async (t) => {
  const { open } = await stage(t);
  const name = 'a.numSubscribers';
  const [engine, ann, bob] = [await open('admin'), await open('ann'), await open('bob')];
  engine.say({ type: 'subscribeNumSubscribers', topic: 'a' });
  await engine.until(() => engine.texts.length === 1);
  t.equal(
    engine.texts[0],
    '{"type":"data","topic":"a.numSubscribers","data":"0"}',
    'a string of digits, at once',
  );
  ann.subscribe('a');
  ann.subscribe('a');
  await engine.until(() => engine.texts.length === 2);
  bob.subscribe('a');
  await engine.until(() => engine.texts.length === 3);
  ann.say({ type: 'unsubscribe', topic: 'a' });
  await engine.until(() => engine.texts.length === 4);
  bob.ws.terminate();
  await engine.until(() => engine.texts.length === 5);
  t.strictSame(engine.dataOf(name), ['0', '1', '2', '1', '0'], 'on every change and on close');

  ann.subscribe(name);
  await ann.until(() => ann.texts.length === 1);
  t.strictSame(ann.dataOf(name), ['0'], 'a plain subscribe gets it at once too');
  engine.say({ type: 'subscribeNumSubscribers', topic: 'a' });
  await engine.until(() => engine.texts.length === 6);
  engine.say({ type: 'unsubscribeNumSubscribers', topic: 'a' });
  engine.subscribe('a');
  await ann.until(() => ann.texts.length === 2);
  await engine.settled();
  t.equal(engine.texts.length, 6);
  ann.publish(name, '"9"');
  await ann.settled();
  t.strictSame(ann.dataOf(name), ['0', '1'], 'nobody can forge a count');
});

t.test('many who come in one turn are one count', async (t) => {
  const { open, hub } = await stage(t);
  const engine = await open('admin');
  engine.subscribe('a.numSubscribers');
  await engine.until(() => engine.texts.length === 1);
  const ann = await open();
  // One TCP segment, so one turn of the server.
  ann.socket?.cork();
  for (let i = 0; i < 20; i++) ann.say({ type: i % 2 ? 'unsubscribe' : 'subscribe', topic: 'a' });
  ann.subscribe('a');
  ann.socket?.uncork();
  await ann.settled();
  await engine.settled();
  t.equal(engine.dataOf('a.numSubscribers').at(-1), '1');
  t.ok(engine.texts.length <= 3, `${engine.texts.length} messages`);
  t.equal(hub.stats.connections, 2);
});

t.test('getLatestTopics', async (t) => {
  const topic = topicFor<undefined>();
  const one = topic({
    name: 'applications.{appid}.events',
    summary: '',
    access: 'user',
    params: z.object({ appid: z.string() }),
    data: z.unknown(),
    kind: 'events',
    may: async (_, user, { appid }) => user.userName === appid,
  });
  const { open, hub } = await stage(t, { topics: { room: { one } } });
  const ann = await open('ann');
  ann.say({ type: 'getLatestTopics' });
  await ann.until(() => ann.texts.length === 1);
  t.equal(ann.texts[0], '{"type":"data","topic":"_latestTopics","data":[]}');
  hub.publish('applications.ann.events', '{}');
  hub.publish('applications.bob.events', '{}');
  for (const name of ['a', 'b', 'a.numSubscribers', '_internal.x', 'b', 'a']) ann.publish(name, 1);
  ann.say({ type: 'getLatestTopics' });
  await ann.until(() => ann.texts.length === 2);
  t.strictSame(
    ann.messages[1]?.data,
    ['applications.ann.events', 'b', 'a'],
    'the newest last, only what she may read',
  );
  for (let i = 0; i < 150; i++) ann.publish(`t${i}`, 1);
  ann.say({ type: 'getLatestTopics' });
  await ann.until(() => ann.texts.length === 3);
  t.strictSame(
    ann.messages[2]?.data,
    Array.from({ length: 100 }, (_, i) => `t${i + 50}`),
  );
});

t.test('a strict client, as the engine has it, sees messages of type data only', async (t) => {
  const may = () => Promise.reject(new NotFound('application', 'x'));
  const hidden = topicFor<undefined>()({
    name: 'applications.{appid}',
    summary: '',
    access: 'user',
    params: z.object({ appid: z.string() }),
    data: z.unknown(),
    kind: 'snapshot',
    may,
  });
  const { hub, logged, open } = await stage(t, {
    topics: { room: { hidden } },
    limits: { subscriptions: 4 },
  });
  const say = async (query: string) => {
    const ann = await open('ann', { query });
    for (const name of ['applications.x', 'applications', 'cluster.metrics', '_internal.x', 'audit']) {
      ann.subscribe(name);
      ann.publish(name, 1);
      ann.say({ type: 'subscribeNumSubscribers', topic: name });
    }
    ann.say('nonsense');
    for (let i = 0; i < 10; i++) ann.subscribe(`free${i}`);
    ann.say({ type: 'unsubscribe', topic: 'free0' });
    ann.say({ type: 'getLatestTopics' });
    await ann.settled();
    await ann.until(() => ann.dataOf('_latestTopics').length > 0);
    return ann.messages;
  };
  t.strictSame(new Set((await say('')).map(({ type }) => type)), new Set(['data']));
  const tooMany = () => logged.filter(({ message }) => message.includes('as many topics as it may'));
  t.match(tooMany(), [{ level: 'warn', fields: { userName: 'ann', topic: /^free/ } }], 'once a socket');
  t.ok(hub.stats.refusedSubscriptions > 1, 'each is counted');
  t.strictSame(new Set((await say('?errors=false')).map(({ type }) => type)), new Set(['data']));
  const errors = (await say('?x=1&errors=true')).filter(({ type }) => type === 'error');
  // In any order: whether somebody may listen is found out while other messages are served.
  const said = errors.map((error) => `${error.topic} ${Reflect.get(error, 'message')}`);
  t.ok(said.some((one) => /^applications\.x .*publish/.test(one)));
  t.ok(said.some((one) => /^applications .*listen/.test(one)));
  const codes = new Set(errors.map((error) => Reflect.get(error, 'code')));
  t.strictSame(codes, new Set(['FORBIDDEN', 'BAD_MESSAGE', 'TOO_MANY']));
});

t.test('clients can not forge what the gateway says', async (t) => {
  const topic = topicFor<undefined>();
  const list = topic({
    name: 'applications',
    summary: '',
    access: 'user',
    data: z.unknown(),
    kind: 'snapshot',
  });
  const { open, hub } = await stage(t, { topics: { room: { list } } });
  const [ann, admin] = [await open('ann'), await open('admin')];
  const inside: string[] = [];
  hub.watch('applications', (data) => inside.push(data));
  ann.subscribe('applications');
  await ann.settled();
  for (const name of ['applications', 'applications.numSubscribers']) {
    ann.publish(name, { apps: ['forged'] });
    admin.publish(name, { apps: ['forged'] });
  }
  await admin.settled();
  hub.publish('applications', '{"apps":[]}');
  await ann.until(() => ann.texts.length > 0);
  t.strictSame(ann.dataOf('applications'), [{ apps: [] }]);
  t.strictSame(inside, ['{"apps":[]}']);
});

t.test('an application publishes its own topics from inside, and nothing else', async (t) => {
  const { hub, open } = await stage(t);
  const heard: string[] = [];
  hub.watch('_internal.lastIndex.event.hdfs://x/apps/app_1/events', (data) => heard.push(data));
  hub.watch('demo', (data) => heard.push(data));
  const ann = await open();
  ann.subscribe('demo');
  await ann.settled();
  const quoted = (text: Buffer) => Buffer.concat([Buffer.from('"'), text, Buffer.from('"')]);
  const table: [string, string, string | Buffer, boolean][] = [
    ['app_1', '_internal.lastIndex.event.hdfs://x/apps/app_1/events', '"line\\n"', true],
    ['app_2', '_internal.lastIndex.event.hdfs://x/apps/app_1/events', '"forged"', false],
    ['app_1', 'applications.app_1.events', '{}', true],
    ['app_1', 'applications.app_2.events', '{}', false],
    ['app_1', 'applications', '{}', false],
    ['app_1', 'demo', '{"n":12345678901234567890}', true],
    ['app_1', 'demo', Buffer.from('{"n":98765432109876543210,"é":"😀"}'), true],
    ['app_1', 'demo', quoted(Buffer.from([0xff])), false],
    ['app_1', 'demo', quoted(Buffer.from([0xed, 0xa0, 0x80])), false],
    ['app_1', 'demo', Buffer.from('{"n":'), false],
    ['app_1', 'demo', '{"n":', false],
    ['app_1', 'demo', '1}{"type":"x"', false],
    ['app_1', '', '1', false],
    ['app_1', 'x'.repeat(256), '1', false],
  ];
  for (const [app, name, data, expected] of table)
    t.equal(hub.publishFrom(app, name, data), expected, `${app} ${name}`);
  const said = ['{"n":12345678901234567890}', '{"n":98765432109876543210,"é":"😀"}'];
  await ann.until(() => ann.texts.length >= said.length);
  t.strictSame(heard, ['"line\\n"', ...said]);
  t.strictSame(
    ann.texts,
    said.map((text) => `{"type":"data","topic":"demo","data":${text}}`),
  );
});

t.test('an application listens to free topics, and to none of the gateway', async (t) => {
  const { hub, open } = await stage(t);
  const heard: string[] = [];
  const listen = (topic: string) => hub.watchFrom('app_1', topic, (data) => heard.push(data));
  const stop = listen('demo');
  for (const topic of [
    'applications',
    'applications.app_1',
    'applications.app_2.events',
    'audit',
    'cluster.metrics',
    '_internal.lastIndex.event.hdfs://x/apps/app_1/events',
    '_latestTopics',
    '',
    'x'.repeat(256),
  ])
    t.equal(listen(topic), undefined, topic);
  const ann = await open();
  ann.publish('demo', { n: 1 });
  await ann.settled();
  stop?.();
  ann.publish('demo', { n: 2 });
  await ann.settled();
  t.strictSame(heard, ['{"n":1}']);
  hub.close();
  t.equal(listen('demo'), undefined, 'after the end');
});

t.test('who listens inside ends it by himself, and a failing listener hurts nobody', async (t) => {
  const { hub, logged } = await stage(t);
  const heard: string[] = [];
  const failing = hub.watch('a', () => {
    throw new Error('mine');
  });
  const stop = hub.watch('a', (data) => heard.push(data));
  hub.publish('a', '1');
  stop();
  stop();
  hub.publish('a', '2');
  failing();
  t.strictSame(heard, ['1']);
  t.match(logged, [{ level: 'error', fields: { topic: 'a' } }, { level: 'error' }]);
  t.equal(hub.stats.topics, 0);
});

t.test('closing the hub closes the sockets', async (t) => {
  const { hub, open } = await stage(t);
  const [ann, bob] = [await open(), await open('bob')];
  hub.close('restart');
  t.match(await ann.closed, { code: 1012 });
  t.match(await bob.closed, { code: 1012 });
  t.equal(hub.stats.connections, 0);
  hub.close();
});

t.test('detaching closes the sockets and leaves the server to the host', async (t) => {
  const { detach, open, url, server } = await stage(t);
  const ann = await open();
  detach();
  t.match(await ann.closed, { code: 1001 });
  t.equal(server.listenerCount('upgrade'), 0);
  const late = new WebSocket(url, { headers: { 'x-user': 'ann' } });
  const [error] = await once(late, 'error');
  t.match(error, /200/, 'the host answers as it likes');
});
