import assert from 'node:assert/strict';
import { join as joinPath } from 'node:path';
import fc from 'fast-check';
import t from 'tap';
import { Dedup, Join, Throttle } from '../../../packages/operators/built-in.js';
import { OldestFirst } from '../../../packages/operators/oldest-first.js';
import { type Harness, startOperator } from '../../helpers/operator-harness.js';
import { snippetsOf } from '../../helpers/snippets.js';

// Operators that remember keys over windows: each is held against the plainest way to say the same.

const ofKey = (key: string, n = 0) => ({ key, n });
const row = fc.record({ key: fc.constantFrom('a', 'b', 'c', 'd'), n: fc.nat(99) }, { noNullPrototype: true });
const windowsOf = <T>(item: fc.Arbitrary<T>) => fc.array(fc.array(item, { maxLength: 8 }), { maxLength: 12 });

t.test('dedup: a key passes again when its time is over', async (t) => {
  const dedup = await startOperator(Dedup, { key: 'key', windows: 2 });
  t.strictSame(dedup.window([ofKey('a', 1), ofKey('a', 2), ofKey('b', 3)]), [ofKey('a', 1), ofKey('b', 3)]);
  t.strictSame(dedup.window([ofKey('a', 4)]), []);
  t.strictSame(dedup.window([ofKey('a', 5), ofKey('b', 6)]), [ofKey('a', 5), ofKey('b', 6)]);
  t.strictSame(dedup.tuples('duplicates'), [ofKey('a', 2), ofKey('a', 4)]);
  t.match(dedup.operator.counters(), { dropped: 2, forgotten: 0, keyless: 0, keys: 2 });
});

t.test('dedup: a repetition can make the time begin anew, and the time can be milliseconds', async (t) => {
  const dedup = await startOperator(Dedup, { key: 'key', millis: 600, extend: true }, { windowMillis: 500 });
  t.equal(dedup.window([ofKey('a')]).length, 1);
  for (let window = 0; window < 5; window++) t.equal(dedup.window([ofKey('a')]).length, 0);
  dedup.window([]);
  t.equal(dedup.window([ofKey('a')]).length, 1, 'after two windows of silence');
});

t.test('dedup: whole tuples, tuples without a key, and long keys', async (t) => {
  const whole = await startOperator(Dedup, {});
  t.strictSame(whole.window([{ a: 1 }, { a: 1 }, { a: 2 }, 'x', 'x', null, null]), [
    { a: 1 },
    { a: 2 },
    'x',
    null,
  ]);
  const keyed = await startOperator(Dedup, { key: 'key' });
  t.equal(keyed.window([{}, {}, 7, { key: null }]).length, 4, 'nothing is lost for want of a key');
  t.match(keyed.operator.counters(), { keyless: 4, keys: 0 });
  const long = 'x'.repeat(10_000);
  t.equal(keyed.window([ofKey(`${long}1`), ofKey(`${long}2`), ofKey(`${long}1`)]).length, 2);
  t.ok(JSON.stringify([...Object(keyed.checkpoint()).seen]).length < 400, 'kept by their digest');
});

t.test('dedup: at the limit the oldest keys are forgotten and no tuple is lost', async (t) => {
  const dedup = await startOperator(Dedup, { key: 'key', maxKeys: 2 });
  const keys = (tuples: unknown[]) => tuples.map((tuple) => Object(tuple).key).join('');
  t.equal(keys(dedup.window(['a', 'b', 'a', 'c', 'c', 'a'].map((key) => ofKey(key)))), 'abca');
  t.match(dedup.operator.counters(), { dropped: 2, forgotten: 2, keys: 2 });
  dedup.change({ key: 'key', maxKeys: 1 });
  t.equal(keys(dedup.window([ofKey('a'), ofKey('c')])), 'c');
  dedup.change({ key: 'n', maxKeys: 1 });
  t.equal(keys(dedup.window([ofKey('c')])), 'c', 'another key, other memories');
});

t.test('dedup: property: as a list of all that passed says, across recoveries', async () => {
  await fc.assert(
    fc.asyncProperty(
      windowsOf(row),
      fc.integer({ min: 1, max: 4 }),
      fc.boolean(),
      fc.nat(12),
      async (windows, span, extend, recovered) => {
        const properties = { key: 'key', windows: span, extend };
        let dedup = await startOperator(Dedup, properties);
        const seen: { key: string; window: number }[] = [];
        for (const [window, tuples] of windows.entries()) {
          if (window === recovered)
            dedup = await startOperator(Dedup, properties, {
              restore: dedup.checkpoint(),
              firstWindow: window,
            });
          const expected = tuples.filter(({ key }) => {
            const isRepetition = seen.some((one) => one.key === key && window - one.window < span);
            if (!isRepetition || extend) seen.push({ key, window });
            return !isRepetition;
          });
          assert.deepStrictEqual(dedup.window(tuples), expected);
        }
      },
    ),
    { numRuns: 100 },
  );
});

t.test('throttle: per window, per second, per key', async (t) => {
  const count = (throttle: Harness, tuples: unknown[]) => throttle.window(tuples).length;
  const ten = Array.from({ length: 10 }, (_, n) => ofKey('a', n));

  const window = await startOperator(Throttle, { tuples: 3, per: 'window' });
  t.strictSame(window.window(ten), ten.slice(0, 3), 'the first ones');
  t.equal(count(window, ten), 3);
  t.equal(window.tuples('dropped').length, 14);
  t.match(window.operator.counters(), { dropped: 14, overflow: 0 });

  const second = await startOperator(Throttle, { tuples: 12 }, { windowMillis: 400 });
  t.strictSame(
    [ten, ten, ten, ten, [], ten].map((tuples) => count(second, tuples)),
    [10, 2, 0, 10, 0, 2],
  );

  const long = await startOperator(Throttle, { tuples: 3 }, { windowMillis: 2_500 });
  t.strictSame(
    [ten, ten].map((tuples) => count(long, tuples)),
    [7, 7],
    'as many as 2.5 seconds allow',
  );

  const keyed = await startOperator(Throttle, { tuples: 1, per: 'window', key: 'key', maxKeys: 2 });
  t.strictSame(keyed.window([...'aabbcc'].map((key) => ofKey(key))), [ofKey('a'), ofKey('b')]);
  t.match(keyed.operator.counters(), { dropped: 2, overflow: 2 });
  t.strictSame(keyed.window([ofKey('c')]), [ofKey('c')], 'keys of earlier windows have left');

  const none = await startOperator(Throttle, { tuples: 0 });
  t.equal(count(none, ten), 0);
});

t.test('throttle: changes at run time', async (t) => {
  const throttle = await startOperator(Throttle, { tuples: 2 }, { windowMillis: 500 });
  t.equal(throttle.window([1, 2, 3]).length, 2);
  throttle.change({ tuples: 5 });
  t.equal(throttle.window([1, 2, 3, 4, 5]).length, 3, 'what passed in this second still counts');
  throttle.change({ tuples: 5, per: 'window' });
  t.equal(throttle.window([1, 2, 3, 4, 5, 6]).length, 5);
});

t.test('throttle: property: in no second more, and no tuple without need, across recoveries', async () => {
  await fc.assert(
    fc.asyncProperty(
      windowsOf(row),
      fc.constantFrom(100, 300, 500, 1_000),
      fc.integer({ min: 1, max: 6 }),
      fc.nat(12),
      async (windows, windowMillis, tuples, recovered) => {
        const properties = { tuples, key: 'key' };
        let throttle = await startOperator(Throttle, properties, { windowMillis });
        const inSecond = Math.ceil(1_000 / windowMillis);
        const passed: { key: string; window: number }[] = [];
        for (const [window, rows] of windows.entries()) {
          if (window === recovered)
            throttle = await startOperator(Throttle, properties, {
              windowMillis,
              restore: throttle.checkpoint(),
            });
          const expected = rows.filter(({ key }) => {
            const before = passed.filter((one) => one.key === key && window - one.window < inSecond);
            if (before.length >= tuples) return false;
            passed.push({ key, window });
            return true;
          });
          assert.deepStrictEqual(throttle.window(rows), expected);
        }
      },
    ),
    { numRuns: 100 },
  );
});

interface Arrival {
  readonly port: 'left' | 'right';
  readonly tuple: unknown;
}
const left = (tuple: unknown): Arrival => ({ port: 'left', tuple });
const right = (tuple: unknown): Arrival => ({ port: 'right', tuple });

/** What a window emits, with what is emitted at its end. */
function joined(join: Harness, arrivals: readonly Arrival[]): unknown[] {
  const before = join.emitted.length;
  join.begin();
  for (const { port, tuple } of arrivals) join.operator.process(port, structuredClone(tuple));
  join.end();
  return join.emitted.slice(before).map(({ tuple }) => tuple);
}

function lastWindow(join: Harness): unknown[] {
  const before = join.emitted.length;
  join.begin();
  join.operator.endOfInput?.();
  join.end();
  return join.emitted.slice(before).map(({ tuple }) => tuple);
}

const pair = (key: string, left: unknown, right: unknown) => ({ key, left, right });

t.test('join: pairs of a window, whichever comes first', async (t) => {
  const [l1, l2, r1] = [ofKey('a', 1), ofKey('a', 2), { id: 'a', n: 9 }];
  const join = await startOperator(Join, { key: 'key', rightKey: 'id' });
  t.strictSame(joined(join, [left(l1), right(r1), left(l2), right({ id: 'b' }), left(ofKey('c'))]), [
    pair('a', l1, r1),
    pair('a', l2, r1),
  ]);
  t.strictSame(joined(join, [left(ofKey('b')), right(r1)]), [], 'not with those of another window');
  t.match(join.operator.counters(), { overflow: 0, cut: 0, keyless: 0, waiting: 0 });
});

t.test('join: left keeps every tuple of left', async (t) => {
  const join = await startOperator(Join, { key: 'key', type: 'left', windows: 2 });
  const [a, b] = [ofKey('a', 1), ofKey('b', 2)];
  t.strictSame(joined(join, [left(a), left(b), left({ n: 1 }), right({ n: 2 })]), [
    { key: null, left: { n: 1 }, right: null },
  ]);
  t.strictSame(joined(join, [right(ofKey('b', 3)), left(ofKey('b', 4))]), [
    pair('b', b, ofKey('b', 3)),
    pair('b', ofKey('b', 4), ofKey('b', 3)),
    pair('a', a, null),
  ]);
  t.match(join.operator.counters(), { keyless: 2 });
  t.strictSame(joined(join, [left(a)]), []);
  t.strictSame(lastWindow(join), [pair('a', a, null)], 'also at the end of the input');
});

t.test('join: limits cost pairs, never tuples of a left join', async (t) => {
  const join = await startOperator(Join, { key: 'key', type: 'left', windows: 9, maxTuples: 2, maxPairs: 1 });
  const [a1, a2, a3, r] = [ofKey('a', 1), ofKey('a', 2), ofKey('a', 3), ofKey('a', 9)];
  t.strictSame(joined(join, [left(a1), left(a2), left(a3)]), [pair('a', a3, null)]);
  t.strictSame(joined(join, [right(r)]), [pair('a', a1, r)]);
  t.strictSame(joined(join, [left(a3)]), [pair('a', a3, r)], 'one that finds no room meets who is there');
  t.strictSame(lastWindow(join), [pair('a', a2, null)]);
  t.match(join.operator.counters(), { overflow: 2, cut: 1, waiting: 1 });
});

t.test('join: properties change at run time', async (t) => {
  const join = await startOperator(Join, { key: 'key', type: 'left', windows: 9 });
  joined(join, [left(ofKey('a', 1)), right(ofKey('b', 2))]);
  join.change({ key: 'n', type: 'left', windows: 9 });
  t.strictSame(joined(join, [left(ofKey('x', 2)), right(ofKey('y', 2))]), [
    pair('2', ofKey('x', 2), ofKey('y', 2)),
    pair('a', ofKey('a', 1), null),
  ]);
  join.change({ key: 'n', type: 'left', windows: 1 });
  t.strictSame(joined(join, []), []);
  t.equal(join.operator.counters()['waiting'], 0, 'fewer windows, fewer tuples');
});

t.test('join: property: the pairs of two nested loops, across recoveries', async () => {
  const arrival = fc.record(
    { port: fc.constantFrom('left' as const, 'right' as const), tuple: row },
    { noNullPrototype: true },
  );
  const sorted = (tuples: readonly unknown[]) => tuples.map((tuple) => JSON.stringify(tuple)).sort();
  await fc.assert(
    fc.asyncProperty(
      windowsOf(arrival),
      fc.integer({ min: 1, max: 4 }),
      fc.constantFrom('inner' as const, 'left' as const),
      fc.nat(12),
      async (windows, span, type, recovered) => {
        const properties = { key: 'key', windows: span, type };
        let join = await startOperator(Join, properties);
        const found: unknown[] = [];
        for (const [window, arrivals] of windows.entries()) {
          if (window === recovered)
            join = await startOperator(Join, properties, { restore: join.checkpoint() });
          found.push(...joined(join, arrivals));
        }
        found.push(...lastWindow(join));
        const all = windows.flatMap((arrivals, window) => arrivals.map((one) => ({ ...one, window })));
        const rights = all.filter(({ port }) => port === 'right');
        const expected = all.flatMap(({ port, tuple, window }) => {
          if (port === 'right') return [];
          const pairs = rights
            .filter((other) => other.tuple.key === tuple.key && Math.abs(other.window - window) < span)
            .map((other) => pair(tuple.key, tuple, other.tuple));
          return pairs.length === 0 && type === 'left' ? [pair(tuple.key, tuple, null)] : pairs;
        });
        assert.deepStrictEqual(sorted(found), sorted(expected));
      },
    ),
    { numRuns: 100 },
  );
});

t.test('the oldest of many keys: property: as a list that is sorted each time', async () => {
  const step = fc.record({
    key: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
    what: fc.constantFrom('touch' as const, 'delete' as const, 'look' as const),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const ages = new OldestFirst();
      let expected: [key: string, stamp: number][] = [];
      for (const [index, { key, what }] of steps.entries()) {
        const stamp = Math.floor(index / 3);
        if (what === 'look') assert.equal(ages.oldest()?.key, expected[0]?.[0]);
        else if (what === 'delete') {
          ages.delete(key);
          expected = expected.filter(([known]) => known !== key);
        } else if (!expected.some(([known, last]) => known === key && last === stamp)) {
          ages.touch(key, stamp);
          expected = [...expected.filter(([known]) => known !== key), [key, stamp]];
        } else ages.touch(key, stamp);
      }
      assert.deepEqual(ages.entries, expected);
      assert.equal(ages.size, expected.length);
    }),
  );
});

t.test('the oldest of many keys: what was touched before takes no room', async (t) => {
  const ages = new OldestFirst();
  for (let stamp = 0; stamp < 100_000; stamp++) ages.touch(`k${stamp % 10}`, stamp);
  t.equal(ages.entries.length, 10);
  t.match(ages.oldest(), { key: 'k0', stamp: 99_990 });
});

t.test('the examples of the page about operators', async (t) => {
  const snippets = snippetsOf(joinPath(import.meta.dirname, '../../../../docs/operators.md'));
  const example = (name: string) => {
    const found = snippets.find(({ attributes }) => attributes['example'] === name);
    return JSON.parse(found?.text ?? '');
  };
  const once = await startOperator(Dedup, example('dedup').properties, { windowMillis: 30_000 });
  const order = { orderId: 7 };
  t.strictSame(
    [once.window([order, order]), once.window([order]), once.window([order])].map(({ length }) => length),
    [1, 0, 1],
  );
  const calm = await startOperator(Throttle, example('throttle').properties);
  t.equal(calm.window(Array.from({ length: 40 }, (_, n) => ({ path: n % 2 ? '/a' : '/b' }))).length, 20);
  const paid = await startOperator(Join, example('join').properties);
  t.strictSame(joined(paid, [left({ id: 1 }), left({ id: 2 })]), []);
  t.strictSame(joined(paid, [right({ orderId: 1, amount: 5 })]), [
    pair('1', { id: 1 }, { orderId: 1, amount: 5 }),
  ]);
  t.strictSame(lastWindow(paid), [pair('2', { id: 2 }, null)]);
  for (const [name, type] of [
    ['dedup', Dedup],
    ['throttle', Throttle],
    ['join', Join],
  ] as const)
    t.equal(example(name).class, type.className);
});
