import t from 'tap';
import { mapLimited } from '../../../lib/runtime/map-limited.js';
import { queueingSemaphore } from '../../../lib/runtime/semaphore.js';
import { singleFlight } from '../../../lib/runtime/single-flight.js';
import { withTimeout } from '../../../lib/runtime/with-timeout.js';

const never = () => new Promise<never>(() => {});

t.test('work that ignores its signal is not waited for beyond the deadline', async (t) => {
  let signal: AbortSignal | undefined;
  const work = (given: AbortSignal) => {
    signal = given;
    return never();
  };
  await t.rejects(withTimeout(20, 'The master of a', undefined, work), {
    status: 504,
    message: 'The master of a did not answer in time',
  });
  t.equal(signal?.aborted, true);
});

t.test('work ends with the caller, and its own failures come through', async (t) => {
  const caller = new AbortController();
  const aborted = withTimeout(10_000, 'x', caller.signal, (signal) => {
    return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  });
  caller.abort(new Error('hung up'));
  await t.rejects(aborted, { message: 'hung up' });
  await t.rejects(
    withTimeout(10_000, 'x', undefined, async () => {
      throw new Error('broken');
    }),
    { message: 'broken' },
  );
});

t.test('who gives up is let go at once, whatever the work does', async (t) => {
  const closing = new AbortController();
  let signal: AbortSignal | undefined;
  const given = withTimeout(2 ** 31 - 1, 'x', closing.signal, (given) => {
    signal = given;
    return never();
  });
  const reason = new Error('closing');
  closing.abort(reason);
  await t.rejects(given, reason);
  t.equal(signal?.reason, reason, 'the work is told too');
  let hasBegun = false;
  await t.rejects(
    withTimeout(10_000, 'x', closing.signal, async () => {
      hasBegun = true;
    }),
    reason,
  );
  t.notOk(hasBegun);
});

t.test('readings of one tick are one reading', async (t) => {
  const clock = { now: () => 0, monotonic: () => time };
  let time = 0;
  let reads = 0;
  let answer: (value: string) => void = () => {};
  const recent = singleFlight(clock, () => {
    reads++;
    return new Promise<string>((resolve) => {
      answer = resolve;
    });
  });

  const both = Promise.all([recent.get(500), recent.get(0)]);
  answer('first');
  t.strictSame(await both, ['first', 'first'], 'one under way is joined');
  time = 500;
  t.equal(await recent.get(500), 'first');
  t.equal(reads, 1);
  time = 501;
  const next = recent.get(500);
  answer('second');
  t.equal(await next, 'second', 'never older than asked for');
  t.equal(reads, 2);
});

t.test('a failed reading is not kept', async (t) => {
  let fails = true;
  const recent = singleFlight({ now: () => 0, monotonic: () => 0 }, async () => {
    if (fails) throw new Error('down');
    return 'up';
  });
  await t.rejects(recent.get(1000), { message: 'down' });
  fails = false;
  t.equal(await recent.get(1000), 'up');
});

t.test('many are changed, a few at once, in order', async (t) => {
  let running = 0;
  let most = 0;
  const doubled = await mapLimited([1, 2, 3, 4, 5, 6, 7], 3, async (n) => {
    most = Math.max(most, ++running);
    await new Promise((resolve) => setImmediate(resolve));
    running--;
    return n * 2;
  });
  t.strictSame(doubled, [2, 4, 6, 8, 10, 12, 14]);
  t.equal(most, 3);
});

t.test('who hangs up leaves the line, and his place is free at once', async (t) => {
  const limited = queueingSemaphore({ permits: 1, queue: 2 }, () => new Error('full'));
  const began: string[] = [];
  const ends: (() => void)[] = [];
  const work = (name: string) => () => {
    began.push(name);
    return new Promise<void>((resolve) => ends.push(resolve));
  };
  const gone = new AbortController();
  const first = limited(work('first'), gone.signal);
  const second = limited(work('second'), gone.signal);
  const third = limited(work('third'));
  await t.rejects(limited(work('too many')), { message: 'full' });
  gone.abort(new Error('hung up'));
  await t.rejects(second, { message: 'hung up' });
  await t.rejects(limited(work('late'), gone.signal), { message: 'hung up' });
  const fourth = limited(work('fourth'));
  await t.rejects(limited(work('too many')), { message: 'full' });
  for (const running of [first, third, fourth]) {
    // The one that is next has its turn.
    await new Promise((resolve) => setImmediate(resolve));
    ends.shift()?.();
    await running;
  }
  t.strictSame(began, ['first', 'third', 'fourth'], 'what had begun goes on');
});
