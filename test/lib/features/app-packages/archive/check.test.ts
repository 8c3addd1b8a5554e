import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { deflateRawSync } from 'node:zlib';
import t from 'tap';
import { arrivingArchives } from '../../../../../lib/features/app-packages/archive/arriving.js';
import { checkArchive } from '../../../../../lib/features/app-packages/archive/check.js';
import type { Storage } from '../../../../../lib/interfaces/storage.js';
import { GatewayError } from '../../../../../lib/model/errors.js';
import { filesystemStorage } from '../../../../../packages/level/index.js';
import { testFolder } from '../../../../helpers/folder.js';
import { extraField, zip64Extra, zipBytes } from '../../../../helpers/zip-bytes.js';
import {
  badArchives,
  damagedBehind,
  good,
  large,
  mask,
  named,
  one,
  secondName,
  text,
} from '../bad-archives.js';

const { checkedWhileArriving } = arrivingArchives();

/** In pieces of that many bytes; one alone puts every boundary everywhere. */
async function* pieces(bytes: Buffer, length: number) {
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length);
}

async function leftovers(directory: string, storage: Storage): Promise<string[]> {
  const found: string[] = [];
  for await (const key of storage.blobs.list()) found.push(key);
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    if (entry.isFile() && /staging|blobs/.test(entry.parentPath))
      found.push(join(entry.parentPath, entry.name));
  }
  return found;
}

t.test('each bad archive is a 400 that says what is wrong, and nothing is kept', async (t) => {
  const directory = testFolder(t);
  const storage = await filesystemStorage({ directory });
  t.teardown(() => storage.close());
  for (const { what, bytes, says, limits = {} } of badArchives) {
    for (const length of bytes.length < 20_000 ? [1, 7, 65536] : [65536]) {
      const source = Readable.from(pieces(bytes, length));
      const { content } = checkedWhileArriving(source, { limits });
      const error = await storage.blobs.write('package', content).catch((error: unknown) => error);
      t.ok(error instanceof GatewayError && error.status === 400, `${what}: 400 (${error})`);
      t.match(error instanceof Error && error.message, says, what);
      source.destroy();
    }
  }
  t.strictSame(await leftovers(directory, storage), []);
});

t.test('what is honest passes, wherever the chunks end', async (t) => {
  const honest: Record<string, Buffer> = {
    plain: good,
    empty: zipBytes({ entries: [] }),
    'a comment': one({ name: 'x' }, { comment: Buffer.from('made by hand') }),
    directories: one({ name: 'lib/', method: 0 }, {}),
    'a directory with a mode': one({
      name: 'lib/',
      method: 0,
      central: { attributes: (0o040755 << 16) >>> 0 },
    }),
    'names beyond ASCII': named('app/日本語.json'),
    'sizes behind, signed': one({ name: 'x', content: text, descriptor: 'signed' }),
    'sizes behind, bare': one({ name: 'x', content: text, descriptor: 'bare' }),
    'sizes behind, wide': one({ name: 'x', content: text, descriptor: 'wide' }),
    'sizes behind, wide and bare': one({ name: 'x', content: text, descriptor: 'wide-bare' }),
    'sizes behind and in front': one({
      name: 'x',
      content: text,
      descriptor: 'signed',
      local: { size: 54, compressedSize: deflateRawSync(text).length },
    }),
    'empty, stored, sizes behind': one({ name: 'x', method: 0, descriptor: 'signed' }),
    'a large one': large((data) => data),
    'a large one, sizes behind': large((data) => data, { descriptor: 'wide' }),
    'zip64 records': one({ name: 'x' }, { zip64: {} }),
    'zip64 records and marks': one(
      { name: 'x' },
      { zip64: {}, end: { entries: 0xffff, directoryBytes: mask, directoryOffset: mask } },
    ),
    'zip64 sizes': one({
      name: 'x',
      method: 0,
      content: text,
      local: { size: mask, compressedSize: mask, extra: zip64Extra(54, 54) },
      central: { size: mask, compressedSize: mask, extra: zip64Extra(54, 54) },
    }),
    'a name field that agrees': one({
      name: 'x',
      central: { extra: extraField(0x7075, secondName('x', 'x')) },
    }),
    'padding as alignment tools leave it': one({ name: 'x', local: { extra: Buffer.alloc(3) } }),
    'a high ratio of a little': one({ name: 'x', content: Buffer.alloc(1_000_000) }),
  };
  for (const [what, bytes] of Object.entries(honest)) {
    for (const length of bytes.length < 20_000 ? [1, 5, 65536] : [65536]) {
      const summary = await checkArchive(pieces(bytes, length));
      t.equal(summary.bytes, bytes.length, what);
    }
  }
});

t.test('a body over the limit is a 413', async (t) => {
  await t.rejects(checkArchive(pieces(good, 100), { limits: { maxBytes: 500 } }), {
    message: /package is larger than the limit of 500 bytes/,
  });
});

t.test('an upload that stops at any byte leaves nothing', async (t) => {
  const directory = testFolder(t);
  const storage = await filesystemStorage({ directory });
  t.teardown(() => storage.close());
  const small = one({ name: 'x', content: text, descriptor: 'signed' });
  for (let length = 0; length < small.length; length++) {
    // The client hangs up: the request fails with what Node says then.
    const cut = async function* () {
      yield small.subarray(0, length);
      throw Object.assign(new Error('aborted'), { code: 'ECONNRESET' });
    };
    const { content } = checkedWhileArriving(Readable.from(cut()));
    await t.rejects(storage.blobs.write('package', content), { message: /aborted|empty|zip archive/ });
  }
  for (let length = 0; length < small.length; length += 7) {
    const stop = new AbortController();
    // It neither ends nor fails: nothing comes any more.
    const source = new Readable({ read() {} });
    source.push(small.subarray(0, length));
    const { content } = checkedWhileArriving(source, { signal: stop.signal });
    const written = storage.blobs.write('package', content, { signal: stop.signal });
    setImmediate(() => stop.abort(new Error('the client went away')));
    await t.rejects(written, { message: /the client went away/ });
    t.ok(source.destroyed);
  }
  t.strictSame(await leftovers(directory, storage), []);
});

t.test('a client that hangs up leaves nothing', async (t) => {
  const directory = testFolder(t);
  const storage = await filesystemStorage({ directory });
  t.teardown(() => storage.close());
  const server = createServer();
  t.teardown(() => server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const bytes = large((data) => data);
  for (const length of [0, 20, 70_000, 1_000_000]) {
    const client = request({ port, method: 'POST', headers: { 'content-length': bytes.length } });
    client.on('error', () => {});
    const requested = once(server, 'request');
    client.flushHeaders();
    const [incoming] = await requested;
    const written = storage.blobs.write('package', checkedWhileArriving(incoming).content);
    client.write(bytes.subarray(0, length), () => client.destroy());
    await t.rejects(written, { code: 'ECONNRESET' }, `after ${length} bytes`);
  }
  t.strictSame(await leftovers(directory, storage), []);
});

t.test(
  'a bad entry stops the upload before it has arrived whole, and the request stays for the answer',
  async (t) => {
    const storage = await filesystemStorage({ directory: testFolder(t) });
    t.teardown(() => storage.close());
    let given = 0;
    async function* endless() {
      yield one({ name: '../x', content: text });
      for (; given < 1000; given++) yield Buffer.alloc(65536);
    }
    const source = Readable.from(endless());
    await t.rejects(storage.blobs.write('package', checkedWhileArriving(source).content), {
      message: /segment/,
    });
    t.ok(given < 100, `${given} chunks were taken`);
    t.notOk(source.destroyed);
    source.destroy();
  },
);

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

t.test('large archives at once are checked each by itself', async (t) => {
  const whole = large((data) => data);
  const bad = large(damagedBehind, { name: 'bad' });
  const stop = new AbortController();
  const endless = new Readable({ read() {} });
  for await (const piece of pieces(whole.subarray(0, whole.length - 100), 65536)) endless.push(piece);
  const givenUp = checkedWhileArriving(endless, { signal: stop.signal });
  const uploads = [whole, bad, whole].map((bytes) =>
    checkedWhileArriving(Readable.from(pieces(bytes, 65536))),
  );
  const [first, second, third] = await Promise.allSettled(uploads.map(({ content }) => buffer(content)));
  t.same(first, { status: 'fulfilled', value: whole });
  t.match(second, { status: 'rejected', reason: { status: 400, message: /"bad"/ } });
  t.same(third, { status: 'fulfilled', value: whole });
  t.same(
    uploads.map((upload) => upload.summary()?.bytes),
    [whole.length, undefined, whole.length],
  );
  t.equal(uploads[0]?.digest(), sha256(whole));
  t.throws(() => uploads[1]?.digest(), /has not come in whole/);
  const reading = buffer(givenUp.content);
  setImmediate(() => stop.abort(new Error('the client went away')));
  await t.rejects(reading);
});

t.test('an archive many times larger than what is read ahead is checked in order', async (t) => {
  const entries = Array.from({ length: 120 }, (_, i) => {
    const content = randomBytes(i % 6 === 0 ? 700_000 : 3001 + i);
    return { name: `lib/${i}.bin`, content, method: i % 2 === 0 ? 0 : 8 };
  });
  const whole = zipBytes({ entries });
  const damaged = Buffer.from(whole);
  damaged.writeUInt8(damaged.readUInt8(whole.length - 200_000) ^ 1, whole.length - 200_000);
  for (const length of [65_521, 5_000_000]) {
    const arriving = checkedWhileArriving(Readable.from(pieces(whole, length)));
    t.ok((await buffer(arriving.content)).equals(whole), `${length} at once: the same bytes`);
    t.equal(arriving.digest(), sha256(whole));
    t.equal(arriving.summary()?.entries, entries.length);
    const bad = checkedWhileArriving(Readable.from(pieces(damaged, length)));
    await t.rejects(buffer(bad.content), { status: 400, message: /is damaged/ });
  }
});

t.test('directories that nobody listed are counted too', async (t) => {
  const entries = Array.from({ length: 10 }, (_, i) => ({ name: `${i}/a/b/c`, method: 0 }));
  const bytes = zipBytes({ entries });
  await checkArchive(pieces(bytes, bytes.length), { limits: { maxEntries: 20 } });
  await t.rejects(checkArchive(pieces(bytes, bytes.length), { limits: { maxEntries: 19 } }), {
    status: 400,
    message: /more than 38 files and directories/,
  });
});

t.test('many entries leave the event loop its turns', async (t) => {
  const entries = Array.from({ length: 20_000 }, (_, i) => ({ name: `conf/${i}.xml`, method: 0 }));
  const bytes = zipBytes({ entries });
  let turns = 0;
  const turning = setInterval(() => turns++, 1);
  await checkArchive(pieces(bytes, bytes.length));
  clearInterval(turning);
  t.ok(turns > 2, `${turns} turns in between`);
});

t.test('a million entries are refused at the limit', async (t) => {
  const header = zipBytes({ entries: [{ name: 'e0000000', method: 0, unlisted: true }] }).subarray(0, 38);
  let made = 0;
  async function* million() {
    while (made < 1_000_000) {
      const batch = Array.from({ length: 1000 }, () => {
        const entry = Buffer.from(header);
        entry.write(`e${String(made++).padStart(7, '0')}`, 30);
        return entry;
      });
      yield Buffer.concat(batch);
    }
  }
  await t.rejects(checkArchive(million()), { message: /more than 100000 entries/ });
  t.equal(made, 101_000, 'and no further');
});
