import assert from 'node:assert/strict';
import { BadRequest, PreconditionFailed } from 'headgate/driver-kit';
import { collected, keysOf, put, putEtag, remove, type StorageTest } from './storage-samples.js';

/** Batches, etags, what `ifMatch` asks for, and writers that meet. */
export function documentWriteContract(test: StorageTest): void {
  batchTests(test);
  conditionTests(test);
  concurrencyTests(test);
}

function batchTests(test: StorageTest): void {
  test('documents: a batch is written whole or not at all', async ({ documents }) => {
    const etag = await putEtag(documents, put('there', 1));
    assert.deepEqual(await documents.write([]), []);
    const etags = await documents.write([
      put('x', 1),
      remove('there', etag),
      remove('absent'),
      put('y', 2, null),
    ]);
    assert.deepEqual(
      etags.map((e) => typeof e),
      ['string', 'undefined', 'undefined', 'string'],
    );
    assert.deepEqual(await keysOf(documents, 'c'), ['x', 'y']);
    await assert.rejects(documents.write([put('z', 1), remove('x'), put('y', 3, null)]), {
      name: 'PreconditionFailed',
      message: /"y"/,
    });
    await assert.rejects(documents.write([put('z', 1), put('', 1)]), BadRequest);
    await assert.rejects(documents.write([put('z', 1), put('z', 2)]), BadRequest);
    assert.deepEqual(await keysOf(documents, 'c'), ['x', 'y']);
    assert.equal((await documents.get('c', 'y'))?.value, 2);
  });

  test('documents: an etag changes with every write and never returns', async ({ documents }) => {
    const seen = new Set<string>();
    for (let i = 0; i < 50; i++) {
      seen.add(await putEtag(documents, put('k', 'the same value')));
      if (i % 10 === 9) await documents.write([remove('k')]);
    }
    assert.equal(seen.size, 50);
    const etag = await putEtag(documents, put('k', 1));
    assert.equal((await documents.get('c', 'k'))?.etag, etag);
    assert.deepEqual(await collected(documents.entries('c')), [['k', { value: 1, etag }]]);
  });
}

const conditions: readonly [
  what: string,
  ifMatch: 'right' | 'old' | '*' | null,
  there: boolean,
  holds: boolean,
][] = [
  ['the right etag', 'right', true, true],
  ['an old etag', 'old', true, false],
  ['an etag of a document that is gone', 'right', false, false],
  ['any document, one is there', '*', true, true],
  ['any document, none is there', '*', false, false],
  ['no document, one is there', null, true, false],
  ['no document, none is there', null, false, true],
];

function conditionTests(test: StorageTest): void {
  for (const [what, ifMatch, there, holds] of conditions) {
    test(`documents: ifMatch asks for ${what}`, async ({ documents }) => {
      for (const op of ['put', 'delete'] as const) {
        const old = await putEtag(documents, put(op, 'old'));
        const right = await putEtag(documents, put(op, 'right'));
        if (!there) await documents.write([remove(op)]);
        const before = await documents.get('c', op);
        const etag = ifMatch === 'right' ? right : ifMatch === 'old' ? old : ifMatch;
        const write = op === 'put' || etag === null ? put(op, 'new', etag) : remove(op, etag);
        const written = documents.write([write]);
        if (holds) await written;
        else await assert.rejects(written, PreconditionFailed);
        const after = await documents.get('c', op);
        if (holds) assert.equal(after?.value, write.op === 'put' ? 'new' : undefined);
        else assert.deepEqual(after, before);
      }
    });
  }
}

function concurrencyTests(test: StorageTest): void {
  test('documents: of many writers that ask for the same etag exactly one wins', async ({ documents }) => {
    let etag: string | null = null;
    for (let round = 0; round < 10; round++) {
      const results: PromiseSettledResult<readonly (string | undefined)[]>[] = await Promise.allSettled(
        Array.from({ length: 20 }, (_, i) => documents.write([put('k', i, etag), put(`mark${i}`, round)])),
      );
      const won = results.flatMap((result, i) =>
        result.status === 'fulfilled' ? [{ i, etags: result.value }] : [],
      );
      assert.equal(won.length, 1);
      for (const result of results) {
        if (result.status === 'rejected')
          assert.ok(result.reason instanceof PreconditionFailed, String(result.reason));
      }
      const stored = await documents.get('c', 'k');
      assert.equal(stored?.value, won[0]?.i);
      assert.equal(stored?.etag, won[0]?.etags[0]);
      const marks = (await collected(documents.entries('c', { prefix: 'mark' }))).filter(
        ([, mark]) => mark.value === round,
      );
      assert.deepEqual(
        marks.map(([key]) => key),
        [`mark${won[0]?.i}`],
        'only the winner wrote its batch',
      );
      etag = stored?.etag ?? null;
    }
  });

  test('documents: concurrent writers lose nothing, and later calls win', async ({ documents }) => {
    await Promise.all(
      Array.from({ length: 200 }, (_, i) => documents.write([put(`own${i}`, i), put('shared', i)])),
    );
    assert.equal((await keysOf(documents, 'c', 'own')).length, 200);
    assert.equal((await documents.get('c', 'shared'))?.value, 199);
  });
}
