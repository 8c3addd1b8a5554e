import { Writable } from 'node:stream';
import t from 'tap';
import { createHubPublisher } from '../../../packages/engine/container/hub-publisher.js';
import { createPublishReader, encodePublish } from '../../../packages/engine/protocol/publish-frames.js';
import { op, openCluster, stream } from '../../helpers/local-cluster.js';
import { eventually } from '../../helpers/waiting.js';

// How what operators publish comes out of a container: both ends, with the channel between them in the test's hand.

/** What the host reads of these bytes when they come in pieces of this length. */
function read(bytes: Buffer, length: number) {
  const heard: (readonly [string, string])[] = [];
  const take = createPublishReader((topic, data) => heard.push([topic, data.toString()]));
  const answers: boolean[] = [];
  for (let at = 0; at < bytes.length; at += length) answers.push(take(bytes.subarray(at, at + length)));
  return { heard, isWhole: !answers.includes(false) };
}

/** `turn` lets the container's turn end, `arrive` tells it that the host has what it wrote. */
function container() {
  const written: Buffer[] = [];
  const warnings: string[] = [];
  let taken = () => {};
  const channel = new Writable({
    writev(frames, done) {
      written.push(Buffer.concat(frames.map(({ chunk }) => chunk)));
      taken = done;
    },
  });
  const publisher = createHubPublisher(channel, (message) => warnings.push(message));
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  return { publisher, warnings, written, turn, arrive: () => taken(), bytes: () => Buffer.concat(written) };
}

t.test('messages are the same at the other end, whatever pieces they come in', async (t) => {
  const { publisher, written, turn, bytes } = container();
  const large = 'ü'.repeat(5000);
  publisher.publish('a', { n: 2 ** 60, text: 'é😀"\n\ud800' });
  publisher.publishText('häuser.1', '{"n":98765432109876543210}');
  publisher.publish('', '');
  publisher.publish('b', large);
  t.throws(() => publisher.publish('b', undefined), /must be JSON/);
  const expected = [
    ['a', JSON.stringify({ n: 2 ** 60, text: 'é😀"\n\ud800' })],
    ['häuser.1', '{"n":98765432109876543210}'],
    ['', '""'],
    ['b', `"${large}"`],
  ];
  await turn();
  t.equal(written.length, 1, 'what one turn said is one write');
  for (const length of [1, 2, 3, 7, 8, 9, 13, 64, 1000, 1_000_000])
    t.strictSame(read(bytes(), length), { heard: expected, isWhole: true }, `pieces of ${length}`);
});

t.test('bytes that are no frame end it, and what was whole before them is heard', async (t) => {
  const good = encodePublish('a', '1');
  const longTopic = Buffer.from('ffffff7f00000000', 'hex');
  const longData = Buffer.from('01000000ffffffff', 'hex');
  for (const bad of [longTopic, longData])
    t.strictSame(read(Buffer.concat([good, bad, good]), 1000), { heard: [['a', '1']], isWhole: false });
  t.strictSame(read(Buffer.concat([good, good.subarray(0, 5)]), 4), { heard: [['a', '1']], isWhole: true });
});

t.test('what the host does not take is dropped beyond 256 messages, with a line in the log', async (t) => {
  const { publisher, warnings, turn, arrive, bytes } = container();
  for (let index = 0; index < 300; index++) publisher.publish('a', index);
  await turn();
  t.equal(read(bytes(), 1000).heard.length, 256);
  t.match(warnings, [/Dropped 1 messages: the topic a is published faster/]);
  let isSettled = false;
  const settled = publisher.settled().then(() => {
    isSettled = true;
  });
  await turn();
  t.equal(isSettled, false);
  arrive();
  await settled;
  await publisher.settled();
  publisher.publish('a', 'x'.repeat(1024 * 1024));
  publisher.publish('t'.repeat(2000), 1);
  publisher.publish('a', 'small');
  await turn();
  const { heard, isWhole } = read(bytes(), 1000);
  t.strictSame([heard.length, heard.at(-1), isWhole], [257, ['a', '"small"'], true]);
});

/** A cluster that gathers what comes on a topic, as it comes. */
async function clusterHearing(t: Parameters<typeof openCluster>[0]) {
  const heard: { readonly appId: string; readonly topic: string; readonly data: string | Buffer }[] = [];
  const cluster = await openCluster(
    t,
    {},
    {
      publish(appId, topic, data) {
        if (topic === 'said') heard.push({ appId, topic, data });
        return true;
      },
    },
  );
  return { ...cluster, heard };
}

const attributes = { STREAMING_WINDOW_SIZE_MILLIS: 50, HEARTBEAT_INTERVAL_MILLIS: 100 };

t.test('a real container: all that is said before its input ends, as the bytes that it sent', async (t) => {
  const { launch, reached, heard } = await clusterHearing(t);
  const output = { name: 'hub', class: 'headgate.io.HubOutput', properties: { topic: 'said' } };
  const id = await launch({
    attributes,
    operators: [op('source', 'Sequence', { total: 200, perCall: 20 }), output],
    streams: [stream('source.out -> hub.input', 'CONTAINER_LOCAL')],
  });
  await reached(id, 'FINISHED');
  t.ok(heard.every(({ appId, data }) => appId === id && Buffer.isBuffer(data)));
  t.strictSame(
    heard.map(({ data }) => Number(String(data))),
    Array.from({ length: 200 }, (_, index) => index),
  );
});

t.test('a real container: bytes of an operator of its own are not heard, and it goes on', async (t) => {
  const { driver, launch, reached, heard } = await clusterHearing(t);
  const id = await launch({
    attributes,
    operators: [
      op('source', 'Sequence', { total: -1, perSecond: 100 }),
      op('scribbler', 'Scribbler', { topic: 'said', hex: 'ffffffffffffffff' }),
    ],
    streams: [stream('source.out -> scribbler.in', 'CONTAINER_LOCAL')],
  });
  await reached(id, 'RUNNING');
  const scribbler = async () => {
    const master = await driver.master(id);
    return (await master.physicalPlan()).operators.find(({ name }) => name === 'scribbler');
  };
  const processed = (tuples: number) =>
    eventually(async () => Number((await scribbler())?.totalTuplesProcessed) > tuples || undefined);
  await processed(100);
  const before = heard.map(({ data }) => String(data));
  t.equal(before[0], '0', 'what it said before');
  await processed(200);
  t.strictSame(
    heard.map(({ data }) => String(data)),
    before,
  );
  t.equal((await scribbler())?.failureCount, 0);
});
