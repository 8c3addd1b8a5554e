import assert from 'node:assert/strict';
import { checkedDrivers } from 'headgate/driver-answers';
import { NotReady, type Storage } from 'headgate/driver-kit';
import { given, skippable } from './skipping.js';
import { blobContract } from './storage-blobs.js';
import { documentContract } from './storage-documents.js';
import { bytesOf, collected, type StorageTest, source } from './storage-samples.js';
import type { Suite } from './suite.js';
import { type Closing, closingAfter, inTime, refuseAnswer } from './using.js';

export interface StorageUnderTest extends Closing {
  /** A fresh and empty storage for each test; the suite closes it. */
  create(): Promise<Storage>;
  /** For storages that outlive the process: opens again what the closed one kept. */
  reopen?(closed: Storage): Promise<Storage>;
}

/**
 * Everything that `Storage` promises, for authors of drivers; every answer is held against its shape. Registers its tests with the runner; await it where
 * the runner wants subtests to be awaited (node:test).
 */
export async function storageContract(suite: Suite, subject: StorageUnderTest): Promise<void> {
  const registered: unknown[] = [];
  const test: StorageTest = (name, run) => {
    const done = suite.test(
      name,
      skippable(name, async () => {
        const own = await subject.create();
        await closingAfter(
          () => run(checkedDrivers.storage(own, refuseAnswer), own),
          () => inTime('close() of the storage', subject, () => own.close()),
        );
      }),
    );
    registered.push(done);
  };

  documentContract(test);
  blobContract(test);

  test('storage: nothing is wrong with a new one', async (storage) => {
    assert.deepEqual([...storage.problems()], []);
  });

  test('storage: close finishes the writes that were started, and may be called again', async (storage) => {
    const writes = Array.from({ length: 20 }, (_, i) =>
      storage.documents.write([{ op: 'put', collection: 'c', key: `k${i}`, value: i }]),
    );
    const reading = storage.blobs.open('absent').catch((error: unknown) => error);
    await Promise.all([storage.close(), storage.close()]);
    await storage.close();
    await Promise.all(writes);
    assert.ok((await reading) instanceof Error);
  });

  test('storage: a closed one refuses everything with NotReady', async (storage) => {
    await storage.blobs.write('b', source('content'));
    await storage.close();
    await assert.rejects(storage.documents.get('c', 'k'), NotReady);
    await assert.rejects(
      storage.documents.write([{ op: 'put', collection: 'c', key: 'k', value: 1 }]),
      NotReady,
    );
    await assert.rejects(collected(storage.documents.entries('c')), NotReady);
    await assert.rejects(storage.blobs.open('b'), NotReady);
    await assert.rejects(storage.blobs.write('b', source('other')), NotReady);
    await assert.rejects(storage.blobs.delete('b'), NotReady);
    await assert.rejects(collected(storage.blobs.list()), NotReady);
  });

  test('storage: a listing that is under way ends with NotReady when the storage closes', async (storage) => {
    const keys = Array.from({ length: 3000 }, (_, i) => `k${i}`);
    await storage.documents.write(keys.map((key) => ({ op: 'put', collection: 'c', key, value: key })));
    for (const key of ['a', 'b', 'c']) await storage.blobs.write(key, source(key));
    const documents = storage.documents.entries('c')[Symbol.asyncIterator]();
    const blobs = storage.blobs.list()[Symbol.asyncIterator]();
    await documents.next();
    await blobs.next();
    await storage.close();
    for (const listing of [documents, blobs]) {
      const rest = async () => {
        while (!(await listing.next()).done);
      };
      await assert.rejects(rest, NotReady);
    }
  });

  reopenContract(test, subject);
  await Promise.all(registered);
}

function reopenContract(test: StorageTest, subject: StorageUnderTest): void {
  test('storage: what was written is there when it is opened again', async (storage, own) => {
    given('reopen', subject.reopen);
    const [etag] = await storage.documents.write([
      { op: 'put', collection: 'c', key: 'kept', value: { n: 1 } },
      { op: 'put', collection: 'c', key: 'gone', value: 2 },
    ]);
    await storage.documents.write([{ op: 'delete', collection: 'c', key: 'gone' }]);
    const info = await storage.blobs.write('kept', source('content'));
    await storage.blobs.write('gone', source('content'));
    await storage.blobs.delete('gone');
    await storage.close();

    const opened = await subject.reopen?.(own);
    assert.ok(opened);
    const again = checkedDrivers.storage(opened, refuseAnswer);
    try {
      assert.deepEqual(await collected(again.documents.entries('c')), [['kept', { value: { n: 1 }, etag }]]);
      assert.deepEqual(await collected(again.blobs.list()), ['kept']);
      const blob = await again.blobs.open('kept');
      assert.equal((await bytesOf(blob.stream())).toString(), 'content');
      assert.deepEqual({ size: blob.size, digest: blob.digest }, info);
      await blob.close();
      const [next] = await again.documents.write([
        { op: 'put', collection: 'c', key: 'kept', value: { n: 1 } },
      ]);
      assert.notEqual(next, etag, 'etags do not start again');
      assert.deepEqual([...again.problems()], []);
    } finally {
      await again.close();
    }
  });
}
