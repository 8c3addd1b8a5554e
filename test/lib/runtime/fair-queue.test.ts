import t from 'tap';
import { NotReady } from '../../../lib/index.js';
import { ClientHungUp } from '../../../lib/model/errors.js';
import { type FairQueueBounds, fairQueue, type QueuePlace } from '../../../lib/runtime/fair-queue.js';
import { createRoundRobin } from '../../../lib/runtime/round-robin.js';

const settled = () => new Promise((resolve) => setImmediate(resolve));

/** A line whose work ends when it is told to. */
function line(limits: Partial<FairQueueBounds> = {}) {
  const inTurn = fairQueue(
    { running: 1, waiting: 60, waitMillis: 60_000, ...limits },
    () => new NotReady('full'),
  );
  const began: string[] = [];
  const ends: (() => void)[] = [];
  const outcomes = new Map<string, string>();
  const send = (name: string, place: QueuePlace) =>
    void inTurn(place, async () => {
      began.push(name);
      await new Promise<void>((resolve) => ends.push(resolve));
    }).then(
      () => outcomes.set(name, 'done'),
      (error: Error) => outcomes.set(name, error.name),
    );
  const endOne = async () => {
    await settled();
    ends.shift()?.();
    await settled();
  };
  const endAll = async () => {
    do await endOne();
    while (ends.length > 0);
  };
  return { began, outcomes, send, endOne, endAll };
}

t.test('one of each, round and round', (t) => {
  const rounds = createRoundRobin<string>();
  for (const item of ['a1', 'a2', 'a3', 'b1', 'c1', 'c2']) rounds.add(item.slice(0, 1), item);
  t.equal(rounds.busiest(), 'a');
  t.equal(rounds.takeNewest('a'), 'a3');
  t.equal(rounds.remove('c', 'c2'), true);
  t.equal(rounds.remove('c', 'c2'), false);
  t.equal(rounds.countOf('a'), 2);
  t.equal(
    rounds.take((whose) => whose !== 'a'),
    'b1',
  );
  rounds.add('b', 'b2');
  t.strictSame(
    Array.from({ length: 5 }, () => rounds.take()),
    ['a1', 'c1', 'b2', 'a2', undefined],
  );
  t.equal(rounds.size, 0);
  t.equal(rounds.busiest(), undefined);
  t.equal(rounds.takeNewest('a'), undefined);
  t.end();
});

t.test('what nobody waits for any more is never begun, but for what has begun', async (t) => {
  const { send, began, outcomes, endAll } = line();
  const clients = Array.from({ length: 60 }, () => new AbortController());
  for (const [at, { signal }] of clients.entries()) send(`wrong ${at}`, { whose: 'them', signal });
  for (const client of clients) client.abort();
  send('right', { whose: 'us' });
  send('too late', { whose: 'us', signal: AbortSignal.abort() });
  await endAll();
  t.strictSame(began, ['wrong 0', 'right']);
  t.equal(outcomes.get('right'), 'done');
  t.equal(outcomes.get('wrong 59'), ClientHungUp.name);
  t.equal(outcomes.get('too late'), ClientHungUp.name);
});

t.test('who comes behind many of one waits for one of them', async (t) => {
  const { send, began, endAll } = line();
  for (let i = 0; i < 50; i++) send(`them ${i}`, { whose: 'them' });
  send('us 0', { whose: 'us' });
  send('us 1', { whose: 'us' });
  await endAll();
  t.strictSame(began.slice(0, 6), ['them 0', 'them 1', 'us 0', 'them 2', 'us 1', 'them 3']);
  t.equal(began.length, 52);
});

t.test(
  'who is known waits for one stranger, however many there are; and strangers are not forgotten',
  async (t) => {
    const { send, began, endAll } = line();
    for (let i = 0; i < 50; i++) send(`stranger ${i}`, { whose: `${i}` });
    for (let i = 0; i < 3; i++) send(`known ${i}`, { whose: 'known', isKnown: true });
    await endAll();
    t.strictSame(began.slice(0, 7), [
      'stranger 0',
      'known 0',
      'stranger 1',
      'known 1',
      'stranger 2',
      'known 2',
      'stranger 3',
    ]);
    t.equal(began.length, 53);
  },
);

t.test('a full line is at the cost of who has most; those who are known have one of their own', async (t) => {
  const { send, began, outcomes, endAll } = line({ waiting: 4 });
  for (const name of ['a0', 'a1', 'a2', 'a3', 'a4', 'a5', 'b1', 'c1', 'd1', 'e1'])
    send(name, { whose: name.slice(0, 1) });
  for (let i = 0; i < 5; i++) send(`k${i}`, { whose: 'k', isKnown: true });
  await endAll();
  t.strictSame([...began].sort(), ['a0', 'a1', 'b1', 'c1', 'd1', 'k0', 'k1', 'k2', 'k3']);
  for (const refused of ['a5', 'a4', 'a3', 'a2', 'e1', 'k4'])
    t.equal(outcomes.get(refused), NotReady.name, refused);
});

t.test('nobody waits for longer than is said', async (t) => {
  const { send, began, outcomes, endAll } = line({ waitMillis: 1 });
  send('first', { whose: 'a' });
  send('second', { whose: 'b' });
  while (!outcomes.has('second')) await new Promise((resolve) => setTimeout(resolve, 5));
  t.equal(outcomes.get('second'), NotReady.name);
  send('third', { whose: 'c' });
  await endAll();
  t.strictSame(began.slice(0, 1), ['first']);
  t.notOk(began.includes('second'));
});

t.test('one has so many at once, and others go past', async (t) => {
  const { send, began, endOne, endAll } = line({ running: 4, runningOfOne: 2 });
  for (let i = 0; i < 5; i++) send(`a${i}`, { whose: 'a' });
  send('b0', { whose: 'b' });
  await settled();
  t.strictSame(began, ['a0', 'a1', 'b0']);
  await endOne();
  t.strictSame(began, ['a0', 'a1', 'b0', 'a2']);
  await endAll();
  t.equal(began.length, 6);
});

t.test('work that fails, or throws at once, gives its place back', async (t) => {
  const inTurn = fairQueue({ running: 1, waiting: 1, waitMillis: 60_000 }, () => new NotReady('full'));
  for (let i = 0; i < 5; i++)
    await t.rejects(
      inTurn({ whose: 'a' }, () => {
        throw new Error('broken');
      }),
      { message: 'broken' },
    );
  t.equal(await inTurn({ whose: 'a' }, async () => 'well'), 'well');
});
