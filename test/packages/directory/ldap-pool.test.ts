import t from 'tap';
import { UnusableAnswer } from '../../../lib/driver-kit.js';
import { Unreachable } from '../../../lib/index.js';
import { createPool, type PoolLimits } from '../../../packages/directory/ldap-pool.js';

// Who is lent which connection, and what becomes of it; with real ones: `test/stages/identity/ldap-pool.test.ts`.

interface Connection {
  readonly number: number;
  isAlive: boolean;
  isClosed: boolean;
  close(): Promise<void>;
}

function poolOf(limits: Partial<PoolLimits> = {}) {
  const made: Connection[] = [];
  const clock = { now: 0 };
  const refuses: { error?: Error } = {};
  const pool = createPool<Connection>({
    async open() {
      if (refuses.error) throw refuses.error;
      const connection: Connection = {
        number: made.length,
        isAlive: true,
        isClosed: false,
        async close() {
          connection.isClosed = true;
          connection.isAlive = false;
        },
      };
      made.push(connection);
      return connection;
    },
    limits: { max: 2, waiting: 2, idleMillis: 60_000, ageMillis: 1000, ...limits },
    againMillis: 100,
    monotonic: () => clock.now,
  });
  t.teardown(() => pool.close());
  const signal = new AbortController().signal;
  /** Lends one until it is given back. */
  const borrow = (by = signal) => {
    const { promise, resolve } = deferred();
    let number: number | undefined;
    const done = pool.use(by, async (connection) => {
      number = connection.number;
      await promise;
      return connection.number;
    });
    done.catch(() => undefined);
    return { done, giveBack: resolve, lent: () => number };
  };
  return {
    pool,
    made,
    clock,
    refuses,
    borrow,
    signal,
    number: (by = signal) => pool.use(by, async (one) => one.number),
  };
}

function deferred<Result = void>() {
  let settle: { resolve: (result: Result) => void; reject: (error: Error) => void } | undefined;
  const promise = new Promise<Result>((resolve, reject) => {
    settle = { resolve, reject };
  });
  return {
    promise,
    resolve: (result: Result) => settle?.resolve(result),
    reject: (error: Error) => settle?.reject(error),
  };
}

const soon = () => new Promise((resolve) => setImmediate(resolve));

t.test('the one that was used last is lent first, and each to one at a time', async (t) => {
  const { borrow, made, number } = poolOf();
  const [one, two] = [borrow(), borrow()];
  await soon();
  t.strictSame([one.lent(), two.lent()], [0, 1]);
  two.giveBack();
  await two.done;
  one.giveBack();
  await one.done;
  t.equal(await number(), 0);
  t.equal(await number(), 0);
  t.equal(made.length, 2);
});

t.test('who comes when all are lent waits in line, and is refused when the line is full', async (t) => {
  const { borrow, made } = poolOf();
  const asked = [borrow(), borrow(), borrow(), borrow()];
  const refused = borrow();
  await t.rejects(refused.done, { status: 502, cause: { message: /2 logins wait/ } });
  await soon();
  t.strictSame(
    asked.map(({ lent }) => lent()),
    [0, 1, undefined, undefined],
  );
  asked[1]?.giveBack();
  await soon();
  t.equal(asked[2]?.lent(), 1);
  for (const one of asked) one.giveBack();
  await Promise.all(asked.map(({ done }) => done));
  t.equal(made.length, 2);
});

t.test('a login that is given up leaves the line, and one that holds a connection ends it', async (t) => {
  const { borrow, made, number } = poolOf({ max: 1 });
  const [holding, waiting] = [new AbortController(), new AbortController()];
  const first = borrow(holding.signal);
  const second = borrow(waiting.signal);
  const third = borrow();
  await soon();
  waiting.abort(new Error('enough'));
  await t.rejects(second.done, /enough/);
  holding.abort(new Error('enough'));
  await t.rejects(first.done, /enough/);
  t.equal(made[0]?.isClosed, true, 'an answer may still be under way on it');
  await soon();
  third.giveBack();
  t.equal(await third.done, 1);
  t.equal(await number(), 1);
  await t.rejects(number(waiting.signal), /enough/);
});

t.test('what fails on a kept one is asked once more on a new one, and no more', async (t) => {
  const { pool, made, clock, number, signal } = poolOf();
  t.equal(await number(), 0);
  const used: number[] = [];
  const failing = (times: number, tookMillis = 0) =>
    pool.use(signal, async (connection) => {
      used.push(connection.number);
      clock.now += tookMillis;
      if (used.length <= times) throw new UnusableAnswer('The directory', 'refused');
      return connection.number;
    });
  t.equal(await failing(1), 1);
  t.strictSame(used.splice(0), [0, 1]);
  await t.rejects(failing(5), UnusableAnswer);
  t.strictSame(used.splice(0), [1, 2], 'one kept, one new');
  await t.rejects(failing(5), UnusableAnswer);
  t.strictSame(used.splice(0), [3], 'a new one says what is so');
  t.equal(await number(), 4);
  await t.rejects(failing(5, 101), UnusableAnswer);
  t.strictSame(used.splice(0), [4], 'who took its time is not dead');
  t.ok(made.every(({ isClosed }) => isClosed));
});

t.test('one that died or is old is not lent', async (t) => {
  const { made, clock, number } = poolOf();
  t.equal(await number(), 0);
  if (made[0]) made[0].isAlive = false;
  t.equal(await number(), 1);
  clock.now = 999;
  t.equal(await number(), 1);
  clock.now = 1000;
  t.equal(await number(), 2);
  t.strictSame(
    made.map(({ isClosed }) => isClosed),
    [true, true, false],
  );
});

t.test('who waits for a server that fails is told at once, but not of what one question met', async (t) => {
  const { pool, borrow, refuses, signal } = poolOf({ max: 1 });
  const { promise, reject } = deferred<never>();
  const failing = pool.use(signal, () => promise);
  const [one, two] = [borrow(), borrow()];
  await soon();
  refuses.error = new Error('down');
  reject(new Error('silent'));
  await t.rejects(failing, /silent/);
  await t.rejects(one.done, /silent/);
  await t.rejects(two.done, /silent/);

  delete refuses.error;
  const refusing = deferred<never>();
  const refused = pool.use(signal, () => refusing.promise);
  const other = borrow();
  refusing.reject(new UnusableAnswer('The directory', 'refused the search'));
  await t.rejects(refused, UnusableAnswer);
  other.giveBack();
  t.type(await other.done, 'number');
});

t.test('a server that answers others is not given up for one question that takes too long', async (t) => {
  const { pool, borrow, signal } = poolOf();
  const slow = deferred<never>();
  const failing = pool.use(signal, () => slow.promise);
  const [one, two, three] = [borrow(), borrow(), borrow()];
  await soon();
  one.giveBack();
  await one.done;
  slow.reject(new Error('timeout'));
  await t.rejects(failing, /timeout/);
  two.giveBack();
  three.giveBack();
  t.strictSame(await Promise.all([two.done, three.done]), [1, 2]);
});

t.test(
  'closed: what is kept at once, what is lent when it comes back, and who waits is refused',
  async (t) => {
    const { pool, borrow, made, number } = poolOf({ max: 2 });
    const [one, two] = [borrow(), borrow()];
    one.giveBack();
    await one.done;
    const [three, four] = [borrow(), borrow()];
    await soon();
    three.giveBack();
    await three.done;
    await soon();
    await pool.close();
    await t.rejects(number(), Unreachable);
    two.giveBack();
    four.giveBack();
    await Promise.allSettled([two.done, four.done]);
    t.ok(made.every(({ isClosed }) => isClosed));
  },
);
