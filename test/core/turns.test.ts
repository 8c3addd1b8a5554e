import { setImmediate } from 'node:timers/promises';
import t from 'tap';
import { TooManyRequests } from '../../lib/core/errors.js';
import { createTurns, type Turn } from '../../lib/core/turns.js';

const never = new AbortController().signal;

t.test('a turn of the event loop holds one slice of all the work', async (t) => {
  const turns = createTurns({ slice: 0 });
  let slices = 0;
  let isOver = false;
  const work = async (turn: Turn) => {
    for (let i = 0; i < 20; i++) {
      await turn.next();
      slices++;
    }
  };
  const all = Promise.all([1, 2, 3, 4].map(() => turns.run(never, work))).then(() => {
    isOver = true;
  });
  while (!isOver) {
    const before = slices;
    await setImmediate();
    t.ok(slices - before <= 2, 'between two of our own turns there is one of theirs, or two at their edges');
  }
  await all;
  t.equal(slices, 80);
});

t.test('work in turns is fair: all get on', async (t) => {
  const turns = createTurns();
  const seen: string[] = [];
  const work = (name: string) =>
    turns.run(never, async (turn) => {
      for (let i = 0; i < 3; i++) {
        await turn.next();
        seen.push(name);
      }
    });
  await Promise.all([work('a'), work('b')]);
  t.strictSame(seen, ['a', 'b', 'a', 'b', 'a', 'b']);
});

t.test('too much at once is refused, and room comes back with every end', async (t) => {
  const turns = createTurns({ atOnce: 1 });
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  const first = turns.run(never, () => promise);
  await t.rejects(
    turns.run(never, async () => {}),
    TooManyRequests,
  );
  resolve();
  await first;
  await t.rejects(
    turns.run(never, async () => {
      throw new Error('its own');
    }),
    { message: 'its own' },
  );
  t.equal(await turns.run(never, async () => 'room'), 'room');
});

t.test('nobody works for a client that hung up', async (t) => {
  const turns = createTurns();
  const control = new AbortController();
  const work = turns.run(control.signal, async (turn) => {
    for (;;) await turn.next();
  });
  control.abort(new Error('hung up'));
  await t.rejects(work, { message: 'hung up' });
});
