import { setImmediate } from 'node:timers/promises';
import t from 'tap';
import { TooManyRequests } from '../../../lib/model/errors.js';
import type { TimeSlice } from '../../../lib/runtime/event-loop.js';
import { createSliceScheduler } from '../../../lib/runtime/slice-scheduler.js';

const never = new AbortController().signal;

t.test('a turn of the event loop holds one slice of all the work', async (t) => {
  const scheduler = createSliceScheduler({ slice: 0 });
  let slices = 0;
  let isOver = false;
  const work = async (slice: TimeSlice) => {
    for (let i = 0; i < 20; i++) {
      await slice.next();
      slices++;
    }
  };
  const all = Promise.all([1, 2, 3, 4].map(() => scheduler.run(never, work))).then(() => {
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
  const scheduler = createSliceScheduler();
  const seen: string[] = [];
  const work = (name: string) =>
    scheduler.run(never, async (slice) => {
      for (let i = 0; i < 3; i++) {
        await slice.next();
        seen.push(name);
      }
    });
  await Promise.all([work('a'), work('b')]);
  t.strictSame(seen, ['a', 'b', 'a', 'b', 'a', 'b']);
});

t.test('too much at once is refused, and room comes back with every end', async (t) => {
  const scheduler = createSliceScheduler({ atOnce: 1 });
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  const first = scheduler.run(never, () => promise);
  await t.rejects(
    scheduler.run(never, async () => {}),
    TooManyRequests,
  );
  resolve();
  await first;
  await t.rejects(
    scheduler.run(never, async () => {
      throw new Error('its own');
    }),
    { message: 'its own' },
  );
  t.equal(await scheduler.run(never, async () => 'room'), 'room');
});

t.test('nobody works for a client that hung up', async (t) => {
  const scheduler = createSliceScheduler();
  const control = new AbortController();
  const work = scheduler.run(control.signal, async (slice) => {
    for (;;) await slice.next();
  });
  control.abort(new Error('hung up'));
  await t.rejects(work, { message: 'hung up' });
});
