import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { createTopics } from '../../../packages/engine/container/topics.js';
import { localCluster } from '../../../packages/engine/index.js';
import { createTopicFeeds } from '../../../packages/engine/processes/topic-feeds.js';
import type { FromContainer, ToContainer } from '../../../packages/engine/protocol/protocol.js';
import { topicOf } from '../../../packages/operators/topic-names.js';
import { bareRuntime } from '../../helpers/bare-runtime.js';
import { testFolder } from '../../helpers/folder.js';
import { fixtures, linesOf, op, silentContext } from '../../helpers/local-cluster.js';
import { eventually } from '../../helpers/waiting.js';

// How messages of the hub come into a container: both ends, with the channel between them in the test's hand.

function hub() {
  const listeners = new Map<string, Set<(data: string) => void>>();
  return {
    subscribe(topic: string, receive: (data: string) => void) {
      if (topic.startsWith('applications')) return undefined;
      const set = listeners.get(topic) ?? new Set();
      listeners.set(topic, set.add(receive));
      return () => {
        set.delete(receive);
        if (set.size === 0) listeners.delete(topic);
      };
    },
    publish(topic: string, data: unknown) {
      for (const receive of listeners.get(topic) ?? []) receive(JSON.stringify(data));
    },
    topics: () => [...listeners.keys()],
  };
}

/** `arrive` lets what the host has sent reach the container. */
function pair() {
  const { subscribe, publish, topics: heardTopics } = hub();
  const underWay: { order: ToContainer; sent: () => void }[] = [];
  const warnings: string[] = [];
  const feeds = createTopicFeeds(subscribe, (order, sent = () => {}) => underWay.push({ order, sent }));
  const send = (message: FromContainer) => {
    if (message.type === 'subscribe' || message.type === 'unsubscribe') feeds.hear(message);
  };
  const topics = createTopics({ send }, (message) => warnings.push(message));
  const arrive = () => {
    for (const { order, sent } of underWay.splice(0)) {
      sent();
      if (order.type === 'message' || order.type === 'topicRefused') topics.receive(order);
    }
  };
  return { feeds, topics, publish, heardTopics, arrive, warnings, underWay };
}

t.test('each listener hears each message, until it or the container ends', async (t) => {
  const { feeds, topics, publish, heardTopics, arrive } = pair();
  const heard: unknown[] = [];
  const listener = (data: unknown) => heard.push(data);
  const endOne = topics.subscribe('a', listener);
  const endOther = topics.subscribe('a', listener);
  topics.subscribe('b', (data) => heard.push({ b: data }));
  publish('a', { n: 1 });
  publish('b', 'x');
  arrive();
  t.strictSame(heard.splice(0), [{ n: 1 }, { n: 1 }, { b: 'x' }]);
  endOne();
  endOne();
  publish('a', 2);
  arrive();
  t.strictSame(heard.splice(0), [2]);
  publish('a', 3);
  endOther();
  t.strictSame(heardTopics(), ['b'], 'the host ends a topic with its last listener');
  arrive();
  t.strictSame(heard, [], 'what is still under way then is nobody’s');
  feeds.end();
  t.strictSame(heardTopics(), []);
});

t.test('topics of the gateway, and too many of them, are refused with a line in the log', async (t) => {
  const { topics, heardTopics, arrive, warnings } = pair();
  topics.subscribe('applications.other', () => {});
  for (let index = 0; index < 65; index++) topics.subscribe(`t${index}`, () => {});
  arrive();
  t.equal(heardTopics().length, 64);
  t.match(warnings, [
    /"applications\.other" can't be listened to: it belongs to the gateway/,
    /"t64" can't be listened to: a container may listen to 64 topics/,
  ]);
});

t.test('a container that does not take its messages misses some, and says so when it does', async (t) => {
  const { topics, publish, arrive, warnings, underWay } = pair();
  const heard: unknown[] = [];
  topics.subscribe('a', (data) => heard.push(data));
  for (let index = 0; index < 300; index++) publish('a', index);
  t.equal(underWay.length, 256, 'no more than that waits');
  arrive();
  t.equal(heard.length, 256);
  publish('a', 'x'.repeat(70_000));
  publish('a', 'small');
  arrive();
  t.equal(heard.at(-1), 'small');
  t.match(warnings, [/Missed 45 messages/]);
});

t.test('placeholders in the names of topics', async (t) => {
  const context = { applicationId: 'application_1_0001', operatorName: 'paths' };
  const table = [
    ['appData.{appId}.{operator}.query', 'appData.application_1_0001.paths.query'],
    ['{operator}{operator}', 'pathspaths'],
    ['plain.{other}', 'plain.{other}'],
  ] as const;
  for (const [name, topic] of table) t.equal(topicOf(name, context), topic);
  t.equal(topicOf('{operator}', { ...context, operatorName: '$& {appId}' }), '$& {appId}');
});

t.test('in real containers: what operators hear ends with them, and their mistakes are theirs', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'hg-test-'));
  const { subscribe, publish, topics } = hub();
  const asked: string[] = [];
  const driver = localCluster({ directory, operators: [fixtures], execPath: bareRuntime(directory) });
  await driver.open({
    ...silentContext([]),
    subscribeFor: (appId, topic, receive) => {
      asked.push(appId);
      return subscribe(topic, receive);
    },
  });
  t.teardown(async () => {
    await driver.close();
    rmSync(directory, { recursive: true, force: true });
  });
  const file = join(testFolder(t), 'heard');
  const id =
    (await driver.resourceManager.launcher?.launch({
      user: 'ann',
      name: 'listening',
      application: {
        attributes: { HEARTBEAT_INTERVAL_MILLIS: 200 },
        operators: [op('ears', 'Listener', { topics: ['a', 'applications', 'b'], file })],
        streams: [],
      },
    })) ?? '';
  await eventually(() => topics().length === 2 || undefined);
  t.strictSame(new Set(asked), new Set([id]), 'on behalf of the application');
  publish('a', { n: 1 });
  publish('b', 'two');
  const heard = () => (existsSync(file) ? linesOf(file) : []);
  await eventually(() => heard().length === 2 || undefined);
  t.strictSame(heard(), [
    { topic: 'a', data: { n: 1 } },
    { topic: 'b', data: 'two' },
  ]);

  publish('a', 'throw');
  await eventually(() => topics().length === 0 || undefined);
  await eventually(() => topics().length === 2 || undefined);
  publish('a', 'again');
  await eventually(() => heard().length === 3 || undefined);
  const master = await driver.master(id);
  const [ears] = (await master.physicalPlan()).operators;
  t.equal(ears?.failureCount, 1);
  const stop = (await master.events?.read({ offset: 0, limit: 100 }))?.find(
    ({ type }) => type === 'StopContainer',
  );
  t.match(stop?.data, { reason: /I heard it/ });
  const log = join(directory, 'apps', id, 'containers', ears?.container ?? '', 'headgate.log');
  t.match(readFileSync(log, 'utf8'), /WARN .*"applications" can't be listened to/);

  await driver.resourceManager.kill(id);
  await eventually(() => topics().length === 0 || undefined);
});
