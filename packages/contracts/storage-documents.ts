import assert from 'node:assert/strict';
import { BadRequest } from 'headgate/driver-kit';
import { documentWriteContract } from './storage-document-writes.js';
import { collected, keysOf, oddKeys, put, putEtag, remove, type StorageTest } from './storage-samples.js';

const values: readonly unknown[] = [
  null,
  true,
  0,
  -1.5e300,
  '',
  'text with \u0000, "quotes" and \uD800 half a character',
  [],
  {},
  [[1, [2, [3]]], { a: { b: [null, false] } }],
  { '': 1, 'a b': 2, 'a/b': 3 },
  JSON.parse('{"__proto__": {"polluted": true}, "constructor": {"prototype": 1}}'),
];

export function documentContract(test: StorageTest): void {
  valueTests(test);
  keyTests(test);
  listingTests(test);
  documentWriteContract(test);
}

/** Values are taken and given as they are, and what JSON can not hold is refused. */
function valueTests(test: StorageTest): void {
  test('documents: every JSON value comes back equal', async ({ documents }) => {
    for (const [i, value] of values.entries()) {
      const etag = await putEtag(documents, put(`v${i}`, value));
      assert.deepEqual(await documents.get('c', `v${i}`), { value, etag });
    }
    assert.deepEqual(await collected(documents.entries('none')), []);
    assert.equal(await documents.get('c', 'absent'), undefined);
    assert.equal(await documents.get('absent', 'v0'), undefined);
    assert.equal(({} as { polluted?: unknown }).polluted, undefined);
  });

  test('documents: what JSON can not hold is refused by its place, and nothing is written', async ({
    documents,
  }) => {
    const cycle: { self?: unknown } = {};
    cycle.self = cycle;
    const refused = [
      undefined,
      Number.NaN,
      1n,
      new Date(0),
      new Map(),
      () => 1,
      Symbol('s'),
      [undefined],
      cycle,
    ];
    for (const value of refused) {
      await assert.rejects(documents.write([put('before', 1), put('k', { at: value ?? [value] })]), {
        name: 'TypeError',
        message: value === cycle ? /deeper than|itself/ : /at/,
      });
    }
    await assert.rejects(documents.write([put('k', undefined)]), TypeError);
    assert.deepEqual(await keysOf(documents, 'c'), []);
    await documents.write([put('k', { absent: undefined, there: 1 })]);
    assert.deepEqual((await documents.get('c', 'k'))?.value, { there: 1 });
  });

  test('documents: nobody shares an object with the store', async ({ documents }) => {
    const mine = { list: [1] };
    const write = documents.write([put('k', mine)]);
    mine.list.push(2);
    await write;
    const read = await documents.get('c', 'k');
    assert.deepEqual(read?.value, { list: [1] }, 'the value is taken at the call');
    if (read?.value instanceof Object) Object.assign(read.value, { list: [] });
    assert.deepEqual((await documents.get('c', 'k'))?.value, { list: [1] });
  });
}

/** Keys of every kind stay apart, within their limits. */
function keyTests(test: StorageTest): void {
  test('documents: odd keys stay apart and come in byte order', async ({ documents }) => {
    const shuffled = [...oddKeys].sort((a, b) => (hash(a) < hash(b) ? -1 : 1));
    for (const key of shuffled) await documents.write([put(key, { key })]);
    for (const key of oddKeys) assert.deepEqual((await documents.get('c', key))?.value, { key });
    assert.deepEqual(await keysOf(documents, 'c'), oddKeys);
    for (const key of shuffled) await documents.write([remove(key)]);
    assert.deepEqual(await keysOf(documents, 'c'), []);
  });

  test('documents: a key has 1 to 512 bytes of whole characters', async ({ documents }) => {
    for (const key of [
      '',
      'x'.repeat(513),
      '한'.repeat(171),
      '\u{1F511}'.repeat(129),
      'half \uD83D',
      '\uDD11',
    ]) {
      await assert.rejects(documents.write([put(key, 1)]), BadRequest);
      await assert.rejects(documents.get('c', key), BadRequest);
      await assert.rejects(documents.get(key, 'k'), BadRequest);
    }
    await documents.write([put('x'.repeat(512), 1), put('\u{1F511}'.repeat(128), 2)]);
    assert.equal((await keysOf(documents, 'c')).length, 2);
  });

  test('documents: collections do not run into each other', async ({ documents }) => {
    const places = [
      ['a', 'bc'],
      ['ab', 'c'],
      ['a', 'b\u0000c'],
      ['a\u0000b', 'c'],
      ['a/b', 'c'],
      ['a', 'b/c'],
      ['A', 'bc'],
    ] as const;
    await documents.write(
      places.map(([collection, key]) => ({ op: 'put', collection, key, value: [collection, key] })),
    );
    for (const [collection, key] of places) {
      assert.deepEqual((await documents.get(collection, key))?.value, [collection, key]);
    }
    assert.deepEqual(await keysOf(documents, 'a'), ['b\u0000c', 'b/c', 'bc']);
    assert.deepEqual(await keysOf(documents, 'ab'), ['c']);
  });
}

function listingTests(test: StorageTest): void {
  test('documents: a prefix is exact', async ({ documents }) => {
    const keys = [
      'a',
      'a/',
      'a/1',
      'a/2',
      'a0',
      'ab',
      'b',
      'é',
      'é1',
      '\uD7FF',
      '\uD7FF1',
      '\uE000',
      '\u{10FFFF}',
      '\u{10FFFF}x',
    ];
    await documents.write(keys.map((key) => put(key, 1)));
    assert.deepEqual(await keysOf(documents, 'c', 'a/'), ['a/', 'a/1', 'a/2']);
    assert.deepEqual(await keysOf(documents, 'c', 'a'), ['a', 'a/', 'a/1', 'a/2', 'a0', 'ab']);
    assert.deepEqual(await keysOf(documents, 'c', 'é'), ['é', 'é1']);
    assert.deepEqual(await keysOf(documents, 'c', '\u{10FFFF}'), ['\u{10FFFF}', '\u{10FFFF}x']);
    assert.deepEqual(await keysOf(documents, 'c', '\uD7FF'), ['\uD7FF', '\uD7FF1']);
    assert.deepEqual(await keysOf(documents, 'c', 'ac'), []);
    await assert.rejects(keysOf(documents, 'c', '\uD83D'), BadRequest);
    assert.deepEqual(await keysOf(documents, 'c', ''), keys);
  });

  test('documents: a listing is of one moment, and may be left early', async ({ documents }) => {
    const keys = Array.from({ length: 1500 }, (_, i) => `k${String(i).padStart(4, '0')}`);
    await documents.write(keys.map((key) => put(key, 1)));
    const seen: string[] = [];
    for await (const [key] of documents.entries('c')) {
      if (seen.push(key) === 1) await documents.write([remove('k1400'), put('k9999', 1)]);
    }
    assert.deepEqual(seen, keys);
    for await (const [key] of documents.entries('c')) {
      if (key === 'k0003') break;
    }
    assert.equal((await keysOf(documents, 'c')).length, 1500);
  });
}

/** A fixed order that is not the byte order. */
const hash = (key: string) =>
  [...key].reduce((sum, char) => (sum * 31 + (char.codePointAt(0) ?? 0)) % 9973, 7);
