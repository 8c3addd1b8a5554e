import t from 'tap';
import { keyedMutex } from '../../../lib/runtime/keyed-mutex.js';

/** Work that says when it begins, and ends when it is told to. */
function recorder() {
  const inTurn = keyedMutex();
  const began: string[] = [];
  const ends = new Map<string, () => void>();
  const send = (key: string, name: string) =>
    inTurn(key, async () => {
      began.push(name);
      await new Promise<void>((resolve) => ends.set(name, resolve));
      return name;
    });
  const end = async (name: string) => {
    ends.get(name)?.();
    await new Promise(setImmediate);
  };
  return { inTurn, began, send, end };
}

t.test('work of one key in the order of the calls, that of others beside it', async (t) => {
  const { began, send, end } = recorder();
  const all = [send('a', 'a1'), send('a', 'a2'), send('b', 'b1'), send('a', 'a3')];
  await new Promise(setImmediate);
  t.strictSame(began, ['a1', 'b1']);
  await end('a1');
  t.strictSame(began, ['a1', 'b1', 'a2']);
  const late = send('a', 'a4');
  await end('a2');
  await end('a3');
  t.strictSame(began, ['a1', 'b1', 'a2', 'a3', 'a4'], 'who comes later does not overtake');
  await end('a4');
  await end('b1');
  t.strictSame(await Promise.all([...all, late]), ['a1', 'a2', 'b1', 'a3', 'a4']);
});

t.test('none begins within its call', async (t) => {
  const { began, send, end } = recorder();
  const sent = send('a', 'a1');
  t.strictSame(began, []);
  await new Promise(setImmediate);
  await end('a1');
  t.equal(await sent, 'a1');
});

t.test('work that fails, at once or later, lets the next one begin', async (t) => {
  const { inTurn } = recorder();
  const failing = [
    inTurn('a', async () => {
      await new Promise(setImmediate);
      throw new Error('later');
    }),
    inTurn('a', () => {
      throw new Error('waited');
    }),
  ];
  const next = inTurn('a', async () => 'next');
  await t.rejects(failing[0] ?? next, { message: 'later' });
  await t.rejects(failing[1] ?? next, { message: 'waited' });
  t.equal(await next, 'next');
  const atOnce = () => {
    throw new Error('at once');
  };
  await t.rejects(inTurn('a', atOnce), { message: 'at once' });
  t.equal(await inTurn('a', async () => 'after'), 'after');
});

t.test('keys that nobody used for a while, among many, have their turns all the same', async (t) => {
  const { inTurn, began, send, end } = recorder();
  const first = [send('a', 'a1'), send('a', 'a2')];
  await new Promise(setImmediate);
  for (let i = 0; i < 1000; i++) await inTurn(`key ${i}`, async () => undefined);
  const last = send('a', 'a3');
  await new Promise(setImmediate);
  t.strictSame(began, ['a1']);
  await end('a1');
  await end('a2');
  await end('a3');
  t.strictSame(await Promise.all([...first, last]), ['a1', 'a2', 'a3']);
  const again = [send('key 1', 'k1'), send('key 1', 'k2'), send('a', 'a4'), send('a', 'a5')];
  await new Promise(setImmediate);
  t.strictSame(began.slice(3), ['k1', 'a4']);
  for (const name of ['k1', 'a4', 'k2', 'a5']) await end(name);
  await Promise.all(again);
});
