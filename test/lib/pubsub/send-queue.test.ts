import t from 'tap';
import { createBacklog } from '../../../lib/pubsub/backlog.js';
import type { Frame } from '../../../lib/pubsub/frame.js';
import { append, emptyPending, framesOf } from '../../../lib/pubsub/pending.js';
import type { Receiver } from '../../../lib/pubsub/receiver.js';
import { createSendQueue } from '../../../lib/pubsub/send-queue.js';
import type { HubBatch, HubSocket } from '../../../lib/pubsub/socket.js';
import { createTurnSlice } from '../../../lib/pubsub/turn-slice.js';
import { createStepScheduler } from '../../../lib/runtime/step-scheduler.js';

// From frames to writes, without a network: sockets that keep what they were given.

const frame = (topic: string, text: string, isSnapshot = false): Frame => ({
  topic,
  isSnapshot,
  bytes: Buffer.from(text),
});

class Sink implements HubSocket {
  writes: string[] = [];
  buffers: Buffer[] = [];
  /** Bytes that the other side does not take. */
  bufferedAmount = 0;
  takes = true;

  send({ frames }: HubBatch): number {
    this.buffers.push(...frames);
    this.writes.push(Buffer.concat(frames).toString());
    if (!this.takes) for (const { length } of frames) this.bufferedAmount += length;
    return this.bufferedAmount;
  }
  ping(): void {}
  close(): void {}
  terminate(): void {}
}

interface Sinked extends Receiver {
  readonly socket: Sink;
}

const receiver = (): Sinked => ({
  socket: new Sink(),
  pending: undefined,
  backlog: undefined,
  isHeld: false,
  isClosed: false,
  unsentBytes: 0,
  movedAt: 0,
});

function outboxOf(more: { beforeSweep?: () => void; turnMs?: number; tick?: number } = {}) {
  const slow: string[] = [];
  let now = 0;
  const clock = {
    now: () => now,
    monotonic() {
      now += more.tick ?? 0;
      return now;
    },
  };
  const slice = createTurnSlice({ clock, limits: { turnMs: more.turnMs ?? 8 } });
  const outbox = createSendQueue<Sinked>({
    clock,
    slice,
    limits: { highWaterBytes: 10, hardLimitBytes: 40, stallMs: 100 },
    beforeSweep: more.beforeSweep ?? (() => {}),
    onTooSlow(one, reason) {
      slow.push(reason);
      outbox.forget(one);
    },
  });
  const pass = (ms: number) => {
    now += ms;
  };
  return { outbox, slice, slow, pass };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

t.test('sockets that get the same share one buffer, made once', async (t) => {
  const { outbox } = outboxOf();
  const [a, b, c, d] = [receiver(), receiver(), receiver(), receiver()];
  const [x, y, z] = [frame('x', 'x'), frame('y', 'y'), frame('z', 'z')];
  for (const one of [a, b, c]) outbox.send(one, x);
  for (const one of [a, b]) outbox.send(one, y);
  for (const one of [d, c]) outbox.send(one, z);
  outbox.send(c, y);
  t.strictSame(a.socket.writes, [], 'nothing before the turn ends');
  await turn();
  t.strictSame(
    [a, b, c, d].map(({ socket }) => socket.writes),
    [['xy'], ['xy'], ['xzy'], ['z']],
  );
  t.equal(a.socket.buffers[0], b.socket.buffers[0], 'the very same buffer');
  t.equal(d.socket.buffers[0], z.bytes, 'a single frame is not copied');
  outbox.send(a, z);
  await turn();
  t.strictSame(a.socket.writes, ['xy', 'z']);
});

t.test('pending lists: every order of frames is a path of its own', async (t) => {
  const root = emptyPending();
  const [x, y, z] = [frame('x', 'x'), frame('y', 'y'), frame('z', 'z')];
  const path = (...frames: Frame[]) => frames.reduce(append, root);
  t.equal(path(x, y), path(x, y));
  t.not(path(x, y), path(y, x));
  t.equal(path(x, z), path(x, z));
  t.equal(path(x, y), path(x, y), 'found again after others were taken');
  t.strictSame(framesOf(path(z, y, x)), [z, y, x]);
  t.equal(path(x, y).bytes, 2);
  const large = frame('l', 'l'.repeat(70_000));
  const buffers = path(x, y, large, z, x).frames;
  t.strictSame(
    buffers.map(({ length }) => length),
    [2, 70_000, 2],
  );
  t.equal(buffers[1], large.bytes, 'a large frame is not copied');
});

t.test('what is sent before the sweep goes out with it', async (t) => {
  const one = receiver();
  const { outbox } = outboxOf({ beforeSweep: () => outbox.send(one, frame('count', '!')) });
  outbox.send(one, frame('a', 'a'));
  await turn();
  t.strictSame(one.socket.writes, ['a!']);
});

t.test('a long sweep is cut into turns, order kept', async (t) => {
  const { outbox } = outboxOf({ turnMs: 1, tick: 1 });
  const all = Array.from({ length: 500 }, receiver);
  for (const one of all) outbox.send(one, frame('a', '1'));
  await turn();
  const reached = all.filter(({ socket }) => socket.writes.length > 0).length;
  t.ok(reached > 0 && reached < 500, `${reached} in the first turn`);
  for (const one of all) outbox.send(one, frame('a', '2'));
  for (let i = 0; i < 100 && !all.every(({ socket }) => socket.writes.join('') === '12'); i++) await turn();
  t.ok(all.every(({ socket }) => socket.writes.join('') === '12'));
});

t.test('what the rest of the hub took of a turn, the sweep does not take again', async (t) => {
  const { outbox, slice, pass } = outboxOf({ tick: 1 });
  const all = Array.from({ length: 200 }, receiver);
  const slices = createStepScheduler(slice.isOver);
  slices.run(() => {
    for (const one of all) outbox.send(one, frame('a', '1'));
    pass(9);
    return false;
  });
  await turn();
  await turn();
  const reached = () => all.filter(({ socket }) => socket.writes.length > 0).length;
  t.equal(reached(), 200, 'the sweep of the next turn has its own time');
  await turn();
  let isLater = false;
  for (const one of all) outbox.send(one, frame('a', '2'));
  slices.run(() => {
    isLater = true;
    return false;
  });
  slice.isOver();
  pass(9);
  await turn();
  const twice = all.filter(({ socket }) => socket.writes.length === 2).length;
  t.ok(twice > 0 && twice < 200, `some go on all the same: ${twice}`);
  t.ok(isLater, 'and so does the rest');
  for (let i = 0; i < 10; i++) await turn();
  t.ok(all.every(({ socket }) => socket.writes.join('') === '12'));
});

t.test('above the high-water mark: the newest snapshots and all events wait for the drain', async (t) => {
  const { outbox } = outboxOf();
  const one = receiver();
  one.socket.takes = false;
  outbox.send(one, frame('e', '12345678901'));
  await turn();
  for (const [topic, text] of [
    ['s', 's1'],
    ['e', 'e1'],
    ['s', 's2'],
    ['r', 'r1'],
    ['e', 'e2'],
    ['s', 's3'],
  ]) {
    outbox.send(one, frame(topic ?? '', text ?? '', topic !== 'e'));
    await turn();
  }
  t.strictSame(one.socket.writes, ['12345678901']);
  one.socket.bufferedAmount = 0;
  outbox.drained(one);
  t.strictSame(one.socket.writes.slice(1), ['e1r1e2s3'], 'in the order of publishing');
  outbox.send(one, frame('e', 'e3'));
  await turn();
  t.equal(one.socket.writes.at(-1), 'e3');
});

t.test('too much waiting, or no progress, is the end', async (t) => {
  const { outbox, slow, pass } = outboxOf();
  const [much, stuck, moving] = [receiver(), receiver(), receiver()];
  for (const one of [much, stuck, moving]) {
    one.socket.takes = false;
    outbox.send(one, frame('e', '12345678901'));
    await turn();
    outbox.send(one, frame('e', '12345678901'));
    await turn();
  }
  outbox.checkProgress();
  pass(60);
  moving.socket.bufferedAmount--;
  outbox.checkProgress();
  pass(60);
  outbox.send(much, frame('e', '1234567890123456789'));
  await turn();
  outbox.checkProgress();
  t.strictSame(slow, ['more than 40 bytes wait for you', 'nothing was taken for 100 ms']);
  t.strictSame(
    [much, stuck, moving].map(({ isClosed }) => isClosed),
    [true, true, false],
  );
});

t.test('held receivers get nothing; afterwards all but what is not theirs any more', async (t) => {
  const { outbox } = outboxOf();
  const one = receiver();
  outbox.send(one, frame('secret', '1'));
  outbox.hold(one);
  outbox.send(one, frame('mine', '2'));
  await turn();
  outbox.send(one, frame('secret', '3'));
  t.strictSame(one.socket.writes, []);
  outbox.release(one, (topic) => topic !== 'secret');
  await turn();
  t.strictSame(one.socket.writes, ['2']);
});

t.test('the backlog', async (t) => {
  const backlog = createBacklog();
  for (const [topic, text, isSnapshot] of [
    ['s', 's1', true],
    ['e', 'e1', false],
    ['s', 's22', true],
    ['e', 'e2', false],
  ] as const) {
    backlog.add(frame(topic, text, isSnapshot));
  }
  t.equal(backlog.bytes, 7);
  t.strictSame(
    backlog.take(4).map(({ bytes }) => String(bytes)),
    ['e1'],
  );
  t.strictSame(
    backlog.take(1).map(({ bytes }) => String(bytes)),
    ['s22'],
    'one at least',
  );
  backlog.keep((topic) => topic !== 'e');
  t.equal(backlog.bytes, 0);
  t.strictSame(backlog.take(100), []);
});
