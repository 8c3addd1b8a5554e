import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { PassThrough, Readable } from 'node:stream';
import { BadRequest, type Blob, type BlobStore, NotFound, TooLarge } from 'headgate/driver-kit';
import { bytesOf, collected, oddKeys, type StorageTest, source } from './storage-samples.js';

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

async function contentOf(blobs: BlobStore, key: string): Promise<string> {
  const blob = await blobs.open(key);
  try {
    return (await bytesOf(blob.stream())).toString('latin1');
  } finally {
    await blob.close();
  }
}

export function blobContract(test: StorageTest): void {
  readingTests(test);
  openBlobTests(test);
  nameTests(test);
  writingTests(test);
  brokenWriteTests(test);
}

/** Whole blobs and ranges of them. */
function readingTests(test: StorageTest): void {
  test('blobs: what was written comes back, with size and digest', async ({ blobs }) => {
    for (const size of [0, 1, 65_536, 1_000_003]) {
      const bytes = randomBytes(size);
      const chunks = Array.from({ length: 7 }, (_, i) =>
        bytes.subarray(Math.floor((size * i) / 7), Math.floor((size * (i + 1)) / 7)),
      );
      const info = await blobs.write('b', Readable.from(chunks));
      assert.deepEqual(info, { size, digest: sha256(bytes) });
      const blob = await blobs.open('b');
      assert.deepEqual({ size: blob.size, digest: blob.digest }, info);
      assert.ok((await bytesOf(blob.stream())).equals(bytes));
      await blob.close();
    }
  });

  test('blobs: ranges and reads are cut at the end', async ({ blobs }) => {
    const bytes = randomBytes(200_000);
    await blobs.write('b', source(bytes));
    const blob = await blobs.open('b');
    const ranges: readonly [number | undefined, number | undefined][] = [
      [0, 0],
      [0, 1],
      [1, undefined],
      [undefined, 10],
      [65_530, 131_080],
      [199_999, 200_000],
      [200_000, 200_001],
      [199_990, 1_000_000],
      [500_000, 600_000],
    ];
    for (const [start, end] of ranges) {
      const range = { ...(start === undefined ? {} : { start }), ...(end === undefined ? {} : { end }) };
      const expected = bytes.subarray(start ?? 0, end);
      assert.ok((await bytesOf(blob.stream(range))).equals(expected), `stream ${start} to ${end}`);
      const read = await blob.read(start ?? 0, (end ?? 200_000) - (start ?? 0));
      assert.ok(read.equals(expected), `read ${start} to ${end}`);
    }
    for (const [start, end] of [
      [-1, 5],
      [5, 4],
      [0.5, 5],
      [0, Number.NaN],
    ] as const) {
      assert.throws(() => blob.stream({ start, end }), RangeError);
      await assert.rejects(blob.read(start, end - start), RangeError);
    }
    await blob.close();
  });
}

/** Blobs that others read, close, replace or delete meanwhile. */
function openBlobTests(test: StorageTest): void {
  test('blobs: several readers of one blob do not disturb each other', async ({ blobs }) => {
    const bytes = randomBytes(300_000);
    await blobs.write('b', source(bytes));
    const blob = await blobs.open('b');
    const parts = await Promise.all([
      bytesOf(blob.stream()),
      bytesOf(blob.stream({ start: 100 })),
      blob.read(5, 10),
      bytesOf(blob.stream()),
    ]);
    assert.ok(parts[0]?.equals(bytes) && parts[3]?.equals(bytes));
    assert.ok(parts[1]?.equals(bytes.subarray(100)) && parts[2]?.equals(bytes.subarray(5, 15)));
    await blob.close();
  });

  test('blobs: a stream goes on after its blob was closed; new reads do not', async ({ blobs }) => {
    const bytes = randomBytes(500_000);
    await blobs.write('b', source(bytes));
    const blob = await blobs.open('b');
    const stream = blob.stream();
    await blob.close();
    await blob.close();
    assert.throws(() => blob.stream());
    await assert.rejects(blob.read(0, 1));
    assert.ok((await bytesOf(stream)).equals(bytes));
  });

  test('blobs: a replaced or deleted blob is read to its end by those who opened it before', async ({
    blobs,
  }) => {
    const old = randomBytes(400_000);
    await blobs.write('b', source(old));
    const open: Blob[] = [await blobs.open('b'), await blobs.open('b')];
    const stream = open[0]?.stream();
    await blobs.write('b', source('new'));
    assert.equal(await contentOf(blobs, 'b'), 'new');
    assert.equal(await blobs.delete('b'), true);
    await assert.rejects(blobs.open('b'), NotFound);
    assert.ok(stream && (await bytesOf(stream)).equals(old));
    assert.ok((await open[1]?.read(399_000, 1000))?.equals(old.subarray(399_000)));
    for (const blob of open) await blob.close();
  });
}

function nameTests(test: StorageTest): void {
  test('blobs: absent ones are NotFound, deleting nothing is told', async ({ blobs }) => {
    await assert.rejects(blobs.open('absent'), NotFound);
    assert.equal(await blobs.delete('absent'), false);
    await blobs.write('b', source('x'));
    assert.equal(await blobs.delete('b'), true);
    assert.equal(await blobs.delete('b'), false);
    await assert.rejects(blobs.open('b'), NotFound);
  });

  test('blobs: odd keys stay apart and are listed in byte order', async ({ blobs }) => {
    for (const key of [...oddKeys].reverse()) await blobs.write(key, source(key));
    assert.deepEqual(await collected(blobs.list()), oddKeys);
    for (const key of oddKeys) assert.equal(await contentOf(blobs, key), Buffer.from(key).toString('latin1'));
    assert.deepEqual(await collected(blobs.list('%2')), ['%252F', '%2F']);
    assert.deepEqual(await collected(blobs.list('/')), ['/', '//', '/absolute']);
    assert.deepEqual(await collected(blobs.list('nothing')), []);
    for (const key of ['', 'x'.repeat(513), '\uD83D']) {
      await assert.rejects(blobs.write(key, source('x')), BadRequest);
      await assert.rejects(blobs.open(key), BadRequest);
      await assert.rejects(blobs.delete(key), BadRequest);
    }
  });
}

function writingTests(test: StorageTest): void {
  test('blobs: a digest that the caller has from elsewhere is the one that is told', async ({ blobs }) => {
    let given = 0;
    const content = Readable.from(
      (async function* () {
        yield Buffer.from('12345');
        given = 5;
      })(),
    );
    const digest = () => {
      assert.equal(given, 5, 'it is asked for after the last byte');
      return sha256(Buffer.from('12345'));
    };
    const info = await blobs.write('digested', content, { digest });
    assert.deepEqual(info, { size: 5, digest: sha256(Buffer.from('12345')) });
  });

  test('blobs: the limit lets as many bytes pass and not one more; the source is left to its owner', async ({
    blobs,
  }) => {
    await blobs.write('b', source('12345', '67890'), { maxBytes: 10 });
    const content = source('12345', '67890', '1', 'more');
    await assert.rejects(blobs.write('b', content, { maxBytes: 10 }), TooLarge);
    assert.equal(content.destroyed, false);
    content.destroy();
    assert.equal(await contentOf(blobs, 'b'), '1234567890', 'the old one is still there');
    await assert.rejects(blobs.write('other', source('x'), { maxBytes: 0 }), TooLarge);
    assert.deepEqual(await collected(blobs.list()), ['b']);
  });

  test('blobs: nothing is visible before the write is done', async ({ blobs }) => {
    const content = new PassThrough();
    content.write('half');
    const write = blobs.write('b', content);
    await new Promise(setImmediate);
    await assert.rejects(blobs.open('b'), NotFound);
    assert.deepEqual(await collected(blobs.list()), []);
    content.end(' and half');
    await write;
    assert.equal(await contentOf(blobs, 'b'), 'half and half');
  });

  test('blobs: of many writers of one key one whole content stays', async ({ blobs }) => {
    const contents = Array.from({ length: 10 }, (_, i) => String(i).repeat(100_000 + i));
    await Promise.all(contents.map((content) => blobs.write('b', source(content))));
    assert.ok(contents.includes(await contentOf(blobs, 'b')));
    assert.deepEqual(await collected(blobs.list()), ['b']);
  });
}

/** Writes that end before their content does leave nothing behind. */
function brokenWriteTests(test: StorageTest): void {
  test('blobs: an abort ends a write that waits for content, and leaves nothing', async ({ blobs }) => {
    const aborting = new AbortController();
    const content = new PassThrough();
    content.write('first part');
    const write = blobs.write('b', content, { signal: aborting.signal });
    const reason = new Error('the client hung up');
    setImmediate(() => aborting.abort(reason));
    await assert.rejects(write, reason);
    assert.ok(content.destroyed);

    const early = source('x');
    await assert.rejects(blobs.write('b', early, { signal: aborting.signal }), reason);
    assert.deepEqual(await collected(blobs.list()), []);

    const unused = new AbortController();
    await blobs.write('b', source('x'), { signal: unused.signal });
    unused.abort();
    assert.equal(await contentOf(blobs, 'b'), 'x');
  });

  test('blobs: a source that fails or breaks off leaves nothing', async ({ blobs }) => {
    await blobs.write('b', source('old'));
    const failing = Readable.from(
      (async function* () {
        yield Buffer.from('part');
        throw new Error('the source failed');
      })(),
    );
    await assert.rejects(blobs.write('b', failing), /the source failed/);
    const broken = new PassThrough();
    broken.write('part');
    const write = blobs.write('b', broken);
    setImmediate(() => broken.destroy());
    await assert.rejects(write);
    const drained = source('x');
    await bytesOf(drained);
    await assert.rejects(blobs.write('b', drained), 'an emptied stream is a mistake, not an empty blob');
    await assert.rejects(blobs.write('b', Readable.from([{ not: 'bytes' }])), TypeError);
    assert.equal(await contentOf(blobs, 'b'), 'old');
    assert.deepEqual(await collected(blobs.list()), ['b']);
  });

  test('storage: close gives up a blob that still comes in', async (storage) => {
    const content = new PassThrough();
    content.write('half');
    const write = storage.blobs.write('b', content);
    const rejected = assert.rejects(write);
    await new Promise(setImmediate);
    await storage.close();
    await rejected;
    assert.ok(content.destroyed);
  });
}
