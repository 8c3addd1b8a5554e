import t from 'tap';
import { z } from 'zod';
import { NotFound, Unreachable } from '../../../lib/model/errors.js';
import { createFramer, textFrame } from '../../../lib/pubsub/frame.js';
import { parseMessage } from '../../../lib/pubsub/messages.js';
import { createRecentTopics } from '../../../lib/pubsub/recent-topics.js';
import { countedTopic, isReserved, isWrittenBy } from '../../../lib/pubsub/reserved.js';
import { createRetainedFrame } from '../../../lib/pubsub/retained-frame.js';
import { createTopicRights } from '../../../lib/pubsub/rights.js';
import { createTicker, untilNext } from '../../../lib/pubsub/ticker.js';
import { topicFor } from '../../../lib/pubsub/topic.js';
import { bindTopics } from '../../../lib/pubsub/topic-table.js';
import { createTrustedPublishers } from '../../../lib/pubsub/trusted-publishers.js';
import { createTurnSlice } from '../../../lib/pubsub/turn-slice.js';
import { createStepScheduler } from '../../../lib/runtime/step-scheduler.js';
import { principal } from './stage.js';

const limits = { depth: 64, topicBytes: 255 };

t.test('messages of clients', async (t) => {
  const table: [string, unknown][] = [
    ['{"type":"publish","topic":"a","data": [1, 2] }', { type: 'publish', topic: 'a', data: '[1, 2]' }],
    ['{"data":0,"topic":"a","type":"publish","x":1}', { type: 'publish', topic: 'a', data: '0' }],
    ['{"type":"publish","topic":"a","data":null}', undefined],
    ['{"type":"publish","topic":"a"}', undefined],
    ['{"type":"publish","topic":1,"data":1}', undefined],
    ['{"type":"subscribe","topic":"a"}', { type: 'subscribe', topic: 'a' }],
    ['{"type":"subscr\\u0069be","topic":"\\u0061"}', { type: 'subscribe', topic: 'a' }],
    ['{"type":"subscribe","topic":""}', undefined],
    ['{"type":"subscribe"}', undefined],
    ['{"type":"subscribe","topic":["a"]}', undefined],
    ['{"type":"unsubscribe","topic":"a"}', { type: 'unsubscribe', topic: 'a' }],
    ['{"type":"subscribeNumSubscribers","topic":"a"}', { type: 'subscribeNumSubscribers', topic: 'a' }],
    ['{"type":"unsubscribeNumSubscribers","topic":"a"}', { type: 'unsubscribeNumSubscribers', topic: 'a' }],
    ['{"type":"getLatestTopics"}', { type: 'getLatestTopics' }],
    ['{"type":"data","topic":"a","data":1}', undefined],
    ['{"type":"toString","topic":"a"}', undefined],
    ['{"type":"subscribe","topic":"a"', undefined],
    ['[{"type":"subscribe","topic":"a"}]', undefined],
    ['null', undefined],
    ['', undefined],
  ];
  for (const [text, expected] of table) {
    const message = parseMessage(Buffer.from(text), limits);
    const shown = message && 'data' in message ? { ...message, data: String(message.data) } : message;
    t.strictSame(shown, expected, JSON.stringify(text));
  }
});

t.test('names of topics are measured in bytes', async (t) => {
  const named = (topic: string) =>
    parseMessage(Buffer.from(JSON.stringify({ type: 'subscribe', topic })), limits);
  t.ok(named('a'.repeat(255)));
  t.notOk(named('a'.repeat(256)));
  t.ok(named('é'.repeat(127)));
  t.notOk(named('é'.repeat(128)));
  t.ok(named('😀'.repeat(63)));
  t.notOk(named('😀'.repeat(64)));
});

t.test('frames have the header that their length asks for', async (t) => {
  const payload = (length: number) => 'é'.repeat(length >> 1) + 'x'.repeat(length & 1);
  const table: [number, string][] = [
    [0, '8100'],
    [125, '817d'],
    [126, '817e007e'],
    [65_535, '817effff'],
    [65_536, '817f0000000000010000'],
    [200_000, '817f0000000000030d40'],
  ];
  for (const [length, header] of table) {
    const { bytes } = textFrame('', payload(length));
    t.equal(bytes.toString('hex', 0, header.length / 2), header, `${length} bytes`);
    t.equal(bytes.toString('utf8', header.length / 2), payload(length));
  }
});

t.test('a frame of a topic says its name as JSON does', async (t) => {
  const framer = createFramer('a"\\\n\ud800é', true);
  const frame = framer.frame(Buffer.from('{"é":1}'));
  t.equal(frame.bytes.toString('utf8', 2), '{"type":"data","topic":"a\\"\\\\\\n\\ud800é","data":{"é":1}}');
  t.match(frame, { isSnapshot: true, topic: 'a"\\\n\ud800é' });
  t.strictSame(framer.frame('{"é":1}'), frame, 'from text as from bytes');
});

t.test('the data can be taken out of a frame again', async (t) => {
  const framer = createFramer('topic', true);
  for (const length of [0, 50, 100, 200, 66_000]) {
    const data = `"${'é'.repeat(length)}"`;
    t.ok(framer.dataOf(framer.frame(data)) === data, `${length} letters`);
  }
});

t.test('the newest frame is kept, and who got an older one keeps that', async (t) => {
  const framer = createFramer('topic', true);
  const keeper = createRetainedFrame();
  t.equal(keeper.frame(), undefined);
  const texts = [3000, 3100, 1, 200_000, 10].map((length) => `"${'é'.repeat(length)}"`);
  const got = texts.map((text) => {
    const frame = framer.frame(text);
    keeper.keep(frame);
    frame.bytes.fill(0);
    t.equal(keeper.frame(), keeper.frame(), 'joiners of one tick share it');
    return keeper.frame();
  });
  t.strictSame(
    got.map((frame) => frame && framer.dataOf(frame)),
    texts,
  );
  t.match(got[0], { topic: 'topic', isSnapshot: true });
});

t.test('who writes which topics', async (t) => {
  const table: [string, boolean, boolean][] = [
    // name, reserved, written by application_1
    ['applications', true, false],
    ['applications.application_1', true, false],
    ['applications.application_1.events', true, true],
    ['applications.application_1.events.numSubscribers', true, false],
    ['applications.application_1.tupleRecorder.123', true, true],
    ['applications.application_1.tupleRecorder.123.numSubscribers', true, false],
    ['applications.application_1.containers', true, false],
    ['applications.application_12.events', true, false],
    ['applications.application_2.events', true, false],
    ['applicationsX', false, false],
    ['cluster.metrics', true, false],
    ['cluster', false, false],
    ['audit', true, false],
    ['_latestTopics', true, false],
    ['_internal.lastIndex.event.hdfs://h/apps/application_1/events', true, true],
    ['_internal.lastIndex.event.hdfs://h/apps/application_12/events', true, false],
    ['_internal.lastIndex.event.hdfs://h/apps/application_1/events.numSubscribers', true, false],
    ['_internal.other.application_1', true, false],
    ['widgets', false, false],
    ['widgets.numSubscribers', true, false],
    ['.numSubscribers', true, false],
  ];
  for (const [name, reserved, own] of table) {
    t.equal(isReserved(name), reserved, `${name} reserved`);
    t.equal(isWrittenBy('application_1', name), own, `${name} own`);
  }
  t.equal(countedTopic('a.numSubscribers.numSubscribers'), 'a');
});

const topic = topicFor<{ owner: string }>();
const things = {
  list: topic({ name: 'applications', summary: '', access: 'user', data: z.unknown(), kind: 'snapshot' }),
  one: topic({
    name: 'applications.{appid}',
    summary: '',
    access: 'user',
    params: z.object({ appid: z.string().regex(/^application_/) }),
    data: z.unknown(),
    kind: 'snapshot',
    may(service, user, { appid }) {
      if (appid === 'application_gone') throw new NotFound('application', appid);
      if (appid === 'application_down') return Promise.reject(new Unreachable('The cluster'));
      if (appid === 'application_slow') return Promise.reject(new NotFound('application', appid));
      return service.owner === user.userName;
    },
  }),
  events: topic({
    name: 'applications.{appid}.events',
    summary: '',
    access: 'user',
    data: z.unknown(),
    kind: 'events',
  }),
  metrics: topic({
    name: 'cluster.metrics',
    summary: '',
    access: 'VIEW_GLOBAL_CONFIG',
    data: z.unknown(),
    kind: 'snapshot',
  }),
};

t.test('names are matched to topics, parameters checked', async (t) => {
  const table = bindTopics({ things }, { things: { owner: 'ann' } });
  t.match(table.find('applications'), { topic: { name: 'applications' }, params: undefined });
  t.match(table.find('applications.application_1'), {
    topic: { name: 'applications.{appid}' },
    params: { appid: 'application_1' },
  });
  t.match(table.find('applications.x.y.events'), undefined);
  t.equal(table.find('applications.other'), undefined);
  t.equal(table.find('applications.'), undefined);
  t.equal(table.find('clusterXmetrics'), undefined);
  t.equal(table.find('nothing'), undefined);
  t.throws(
    () => bindTopics({ a: things, b: { again: { ...things.one, name: 'applications.{id}' } } }, {}),
    /Two topics/,
  );
});

t.test('a topic of the gateway has a name that clients can not write to', async (t) => {
  t.throws(() => bindTopics({ a: { free: { ...things.list, name: 'free' } } }, {}), /free/);
});

t.test('who may read and publish what', async (t) => {
  const rights = createTopicRights(bindTopics({ things }, { things: { owner: 'ann' } }));
  const ann = { principal: principal('ann') };
  const bob = { principal: principal('bob', ['VIEW_GLOBAL_CONFIG']) };
  const admin = { principal: principal('admin') };
  const engine = { application: 'application_1' };
  const trusted = { trustedTopics: ['widget.'] };
  const nobody = {};
  const reads: [object, string, boolean][] = [
    [ann, 'applications.application_1', true],
    [ann, 'applications.application_1.numSubscribers', true],
    [bob, 'applications.application_1', false],
    [bob, 'applications.application_1.numSubscribers', false],
    [ann, 'applications.application_gone', false],
    [ann, 'applications.application_slow', false],
    [ann, 'applications.nothing.of.the.kind', false],
    [ann, 'cluster.metrics', false],
    [bob, 'cluster.metrics', true],
    [admin, 'cluster.metrics', true],
    [admin, 'cluster.other', false],
    [admin, '_internal.lastIndex.event./application_1/events', false],
    [admin, '_latestTopics', false],
    [ann, 'free', true],
    [ann, 'free.numSubscribers', true],
    [engine, 'applications.application_1.events.numSubscribers', true],
    [engine, 'applications.application_1.tupleRecorder.1.numSubscribers', true],
    [engine, 'applications.application_2.events.numSubscribers', false],
    [engine, 'applications.application_1', false],
    [engine, '_internal.lastIndex.event./application_1/events', false],
    [engine, 'free', true],
    [trusted, 'widget.a', true],
    [trusted, 'free', false],
    [trusted, 'applications', false],
    [nobody, 'free', false],
    [nobody, 'applications', false],
  ];
  for (const [caller, name, expected] of reads) {
    t.equal(
      await rights.mayRead(caller, name),
      expected,
      `${JSON.stringify(Object.keys(caller))} reads ${name}`,
    );
  }
  await t.rejects(async () => rights.mayRead(ann, 'applications.application_down'), Unreachable);
  const writes: [object, string, boolean][] = [
    [admin, 'applications', false],
    [admin, 'applications.application_1.events', false],
    [admin, 'free.numSubscribers', false],
    [admin, '_internal.x', false],
    [ann, 'free', true],
    [engine, 'applications.application_1.events', true],
    [engine, 'applications.application_2.events', false],
    [engine, 'applications', false],
    [engine, 'free', true],
    [trusted, 'widget.a', true],
    [trusted, 'other', false],
    [{ trustedTopics: [''] }, 'applications.application_1.events', false],
    [nobody, 'free', false],
  ];
  for (const [caller, name, expected] of writes)
    t.equal(rights.mayPublish(caller, name), expected, `writes ${name}`);
});

t.test('trusted addresses', async (t) => {
  const topicsOf = createTrustedPublishers([
    { addresses: ['10.1.0.0/16', '::1'], topics: ['a.', 'b.'] },
    { addresses: ['10.1.2.3'], topics: ['c.'] },
  ]);
  t.strictSame(topicsOf('10.1.9.9'), ['a.', 'b.']);
  t.strictSame(topicsOf('10.1.2.3'), ['a.', 'b.', 'c.']);
  t.strictSame(topicsOf('::ffff:10.1.9.9'), ['a.', 'b.']);
  t.strictSame(topicsOf('::1'), ['a.', 'b.']);
  for (const address of ['10.2.0.1', '::2', '', 'localhost']) t.equal(topicsOf(address), undefined, address);
  for (const address of ['localhost', '10.1.0.0/33', '10.1.0.0/', '10.1.0.0/-1', '10.1.0.0/1/2', '']) {
    t.throws(
      () => createTrustedPublishers([{ addresses: [address], topics: [''] }]),
      /is no address/,
      address,
    );
  }
});

t.test('the next beat is a multiple of the interval, not one that is at hand', async (t) => {
  // now, every, wait
  const table: [number, number, number][] = [
    [0, 1000, 1000],
    [700, 1000, 300],
    [999.5, 1000, 1000.5],
    [1001, 1000, 999],
    [900, 1000, 100],
    [901, 1000, 1099],
    [12_250, 5000, 2750],
  ];
  for (const [now, every, wait] of table) t.equal(untilNext(now, every), wait, `at ${now}`);
});

t.test(
  'what has the same interval is done together, in its order; who leaves is not called any more',
  async (t) => {
    const clock = { now: () => Date.now(), monotonic: () => performance.now() };
    const slices = createStepScheduler(createTurnSlice({ clock, limits: { turnMs: 8 } }).isOver);
    const beats = createTicker({ clock, slices });
    const called: number[] = [];
    const leave = Array.from({ length: 600 }, (_, index) =>
      beats.join(100, () => {
        called.push(index);
        if (index === 10) leave[500]?.();
      }),
    );
    t.teardown(() => slices.close());
    while (called.length < 3 * 599) await new Promise((resolve) => setTimeout(resolve, 5));
    const round = Array.from({ length: 600 }, (_, index) => index).filter((index) => index !== 500);
    t.strictSame(called.slice(0, 3 * 599), [...round, ...round, ...round]);

    for (const end of leave) end();
    const { length } = called;
    let isOver = false;
    const end = beats.join(100, () => {
      isOver = true;
    });
    while (!isOver) await new Promise((resolve) => setTimeout(resolve, 5));
    end();
    t.equal(called.length, length);
  },
);

t.test('long work of many sockets shares its time of a turn', async (t) => {
  let now = 0;
  const slices = createStepScheduler(
    createTurnSlice({ clock: { now: () => now, monotonic: () => now }, limits: { turnMs: 8 } }).isOver,
  );
  const done: string[] = [];
  const work = (name: string, steps: number) => {
    let left = steps;
    slices.run(() => {
      now += 3;
      done.push(name);
      return --left > 0;
    });
  };
  work('a', 4);
  work('b', 2);
  work('c', 1);
  t.strictSame(done, [], 'not in the turn that brought it');
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  await turn();
  t.equal(done.join(''), 'abc', 'each in its turn');
  await turn();
  t.equal(done.join(''), 'abcaba');
  work('d', 9);
  await turn();
  t.equal(done.join(''), 'abcabaadd');
  slices.close();
  await turn();
  t.equal(done.length, 9, 'nothing after the end');
});

t.test('recent names are bounded, each is there once, the newest last', async (t) => {
  const recent = createRecentTopics(3, (name) => name !== 'hidden');
  for (const name of ['a', 'b', 'a', 'hidden', 'c', 'd', 'd']) recent.add(name);
  t.strictSame(recent.list(), ['a', 'c', 'd']);
});
