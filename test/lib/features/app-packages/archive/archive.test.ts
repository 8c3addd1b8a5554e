import { once } from 'node:events';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import fc from 'fast-check';
import t, { type Test } from 'tap';
import yauzl from 'yauzl';
import { memoryStorage } from '../../../../../adapters/storage/memory.js';
import { checkArchive } from '../../../../../lib/features/app-packages/archive/check.js';
import type { ArchivePart } from '../../../../../lib/features/app-packages/archive/part.js';
import { type CopyableArchive, openToCopy } from '../../../../../lib/features/app-packages/archive/reader.js';
import { archiveShelf } from '../../../../../lib/features/app-packages/archive/shelf.js';
import { unpackable } from '../../../../../lib/features/app-packages/archive/unpackable.js';
import { writeArchive } from '../../../../../lib/features/app-packages/archive/writer.js';
import { edited, mergedInto, mergedUpload } from '../../../../../lib/features/app-packages/merge.js';
import type { Storage } from '../../../../../lib/interfaces/storage.js';
import { filesystemStorage } from '../../../../../packages/level/index.js';
import { testFolder } from '../../../../helpers/folder.js';
import { zip64Extra, zipBytes } from '../../../../helpers/zip-bytes.js';

const modified = new Date('2026-03-04T05:06:08Z');

async function opened(
  t: Test,
  storage: Storage,
  key: string,
  bytes: Buffer | Readable,
): Promise<CopyableArchive> {
  await storage.blobs.write(key, bytes instanceof Readable ? bytes : Readable.from([bytes]));
  const blob = await storage.blobs.open(key);
  t.teardown(() => blob.close());
  return openToCopy(blob);
}

/** Names and contents as another reader sees them; it checks sizes itself, sums are checked by ours. */
async function byYauzl(bytes: Buffer): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  const zip = await yauzl.fromBufferPromise(bytes, { strictFileNames: true });
  for await (const entry of zip.eachEntry()) {
    const isDirectory = entry.fileName.endsWith('/');
    found.set(
      entry.fileName,
      isDirectory ? '' : (await buffer(await zip.openReadStreamPromise(entry))).toString('latin1'),
    );
  }
  return found;
}

async function byOurs(archive: CopyableArchive): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const entry of archive.entries) {
    found.set(entry.name, (await buffer(archive.open(entry))).toString('latin1'));
  }
  return found;
}

const filesIn = (found: ReadonlyMap<string, string>) =>
  new Map([...found].filter(([name]) => !name.endsWith('/')));

const filesOf = (files: Record<string, string | Buffer>) =>
  Object.entries(files).map(([name, content]) => ({ name, content: Buffer.from(content), modified }));

const names = (archive: CopyableArchive) => archive.entries.map(({ name }) => name);
const fileNames = (archive: CopyableArchive) => names(archive).filter((name) => !name.endsWith('/'));

const shelf = archiveShelf();

t.test('entries are listed and read at any place', async (t) => {
  const storage = await filesystemStorage({ directory: testFolder(t) });
  t.teardown(() => storage.close());
  const large = Buffer.from('large '.repeat(100_000));
  const archive = await opened(
    t,
    storage,
    'p',
    zipBytes({
      entries: [
        { name: 'app/', method: 0 },
        { name: 'app/a.json', content: '{"a":1}', descriptor: 'signed' },
        { name: 'lib/large.txt', content: large },
        { name: 'lib/stored.jar', content: large, method: 0 },
        { name: 'empty', content: '' },
      ],
      comment: Buffer.from('a comment'),
    }),
  );
  t.strictSame(names(archive), ['app/', 'app/a.json', 'lib/large.txt', 'lib/stored.jar', 'empty']);
  const entry = (name: string) => {
    const found = archive.entry(name);
    if (!found) throw new Error(`${name} is missing`);
    return found;
  };
  t.equal(archive.entry('none'), undefined);
  t.equal(String(await archive.read(entry('app/a.json'), 100)), '{"a":1}');
  t.ok(large.equals(await archive.read(entry('lib/large.txt'), 1e6)));
  t.ok(large.equals(await buffer(archive.open(entry('lib/large.txt')))));
  t.ok(large.equals(await buffer(archive.open(entry('lib/stored.jar')))));
  t.equal((await archive.read(entry('empty'), 0)).length, 0);
  await t.rejects(archive.read(entry('lib/large.txt'), 1000), {
    message: /larger than the limit of 1000 bytes/,
  });

  const stop = new AbortController();
  const reading = archive.open(entry('lib/large.txt'), { signal: stop.signal });
  await once(reading, 'readable');
  stop.abort();
  await t.rejects(buffer(reading), { name: 'AbortError' });
});

t.test('content that rotted since it was checked fails instead of being handed out', async (t) => {
  const storage = memoryStorage();
  const bytes = zipBytes({ entries: [{ name: 'x', content: 'some content', method: 0 }] });
  bytes[33] = 0;
  const archive = await opened(t, storage, 'p', bytes);
  const [entry] = archive.entries;
  if (!entry) return t.fail('no entry');
  const damage = { code: 'DAMAGED', message: /"x" is damaged/ };
  await t.rejects(archive.read(entry, 100), damage);
  await t.rejects(buffer(archive.open(entry)), damage);
  const deflated = zipBytes({ entries: [{ name: 'x', content: 'some content' }] }).fill(0xff, 31, 40);
  const broken = await opened(t, storage, 'q', deflated);
  const [rotten] = broken.entries;
  if (!rotten) return t.fail('no entry');
  await t.rejects(broken.read(rotten, 100), damage);
  await t.rejects(buffer(broken.open(rotten)), damage);
  const none = opened(t, storage, 'r', Buffer.from('no archive'));
  await t.rejects(none, { code: 'DAMAGED', message: /directory of the package is damaged/ });
});

t.test('what is written is read back, by ours and by another reader', async (t) => {
  const storage = memoryStorage();
  const segment = fc.stringMatching(/^[a-z0-9_-]{1,8}$/);
  const file = fc.record({
    path: fc.array(segment, { minLength: 1, maxLength: 3 }),
    content: fc.oneof(
      fc.uint8Array({ maxLength: 300 }),
      fc.nat(200_000).map((length) => new Uint8Array(length)),
    ),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(file, { maxLength: 12 }), fc.nat(12), async (files, cut) => {
      // An ending apart from all segments: no file is the directory of another.
      const contents = new Map(
        files.map(({ path, content }) => [`${path.join('/')}.é`, Buffer.from(content)] as const),
      );
      const parts = [...contents].map(([name, content]) => ({ name, content, modified }));
      const first = await opened(t, storage, 'first', writeArchive(parts.slice(0, cut)));
      const carried: ArchivePart[] = first.entries.map((entry) => ({ from: first, entry }));
      const bytes = await buffer(writeArchive([...parts.slice(cut), ...carried.reverse()]));
      const again = await buffer(writeArchive([...parts.slice(cut), ...carried]));
      const summary = await checkArchive(Readable.from([bytes]));
      const wanted = new Map([...contents].map(([name, content]) => [name, content.toString('latin1')]));
      const ours = await byOurs(await opened(t, storage, 'second', bytes));
      return (
        summary.entries === ours.size &&
        bytes.equals(again) &&
        [filesIn(ours), filesIn(await byYauzl(bytes))].every(
          (found) =>
            found.size === wanted.size && [...wanted].every(([name, text]) => found.get(name) === text),
        )
      );
    }),
    { numRuns: 60 },
  );
});

t.test('entries are carried over as they are: bytes, times, modes, sizes behind the data', async (t) => {
  const storage = memoryStorage();
  const text = 'text '.repeat(1000);
  const mask = 0xffffffff;
  const archive = await opened(
    t,
    storage,
    'p',
    zipBytes({
      entries: [
        { name: 'gone', content: text },
        { name: 'behind', content: text, descriptor: 'signed' },
        { name: 'wide', content: text, descriptor: 'wide', central: { comment: Buffer.from('why') } },
        { name: 'run.sh', content: text, central: { attributes: (0o100755 << 16) >>> 0 } },
        {
          name: 'zip64',
          content: text,
          method: 0,
          local: { size: mask, compressedSize: mask, extra: zip64Extra(5000, 5000) },
          central: { size: mask, compressedSize: mask, extra: zip64Extra(5000, 5000) },
        },
      ],
    }),
  );
  const kept = archive.entries.filter(({ name }) => name !== 'gone');
  const bytes = await buffer(writeArchive(kept.map((entry) => ({ from: archive, entry }))));
  await checkArchive(Readable.from([bytes]));
  const copy = await opened(t, storage, 'q', bytes);
  t.strictSame(names(copy), ['behind', 'wide', 'run.sh', 'zip64']);
  t.strictSame(await byOurs(copy), await byYauzl(bytes));
  t.equal(copy.entry('run.sh')?.unixMode, 0o100755);
  t.equal(copy.entry('behind')?.bytes.readUInt32LE(12), 0x5a215a21, 'time and date');
  t.match(String(copy.entry('wide')?.bytes), /why$/, 'comment');
  t.equal(copy.entry('zip64')?.bytes.readUInt32LE(24), 5000, 'a zip64 size that is not needed is none');
});

t.test('directories get entries, before what is in them', async (t) => {
  const storage = memoryStorage();
  const order = (bytes: Buffer) =>
    opened(t, storage, 'ordered', bytes).then((archive) =>
      [...archive.entries].sort((a, b) => a.offset - b.offset).map(({ name }) => name),
    );
  const table: [name: string, given: string[], wanted: string[]][] = [
    ['none is missing', ['lib/', 'lib/a', 'b'], ['lib/', 'lib/a', 'b']],
    [
      'all are',
      ['META-INF/M', 'lib/x/a', 'lib/b'],
      ['META-INF/', 'META-INF/M', 'lib/', 'lib/x/', 'lib/x/a', 'lib/b'],
    ],
    ['one comes too late', ['app/a', 'app/', 'app/b'], ['app/', 'app/a', 'app/b']],
    ['an empty one', ['lib/x/', 'lib/'], ['lib/', 'lib/x/']],
  ];
  for (const [what, given, wanted] of table) {
    const entries = given.map((name) => (name.endsWith('/') ? { name, method: 0 } : { name, content: name }));
    const bytes = zipBytes({ entries });
    await storage.blobs.write('given', Readable.from([bytes]));
    const blob = await storage.blobs.open('given');
    const complete = await buffer(unpackable(shelf, blob, given.join()));
    await checkArchive(Readable.from([complete]));
    t.strictSame(await order(complete), wanted, what);
    t.equal(complete.equals(bytes), given.join() === wanted.join(), 'what is whole stays as it is');
    const files = given.filter((name) => !name.endsWith('/'));
    t.strictSame(
      [...(await byYauzl(complete))].filter(([, text]) => text !== ''),
      files.map((name) => [name, name]),
    );
  }
  const [made] = (await opened(t, storage, 'made', writeArchive(filesOf({ 'app/a': 'x' })))).entries;
  t.match(made, { name: 'app/', unixMode: 0o40755, isDosDirectory: true, size: 0 });
});

t.test('over 65,535 entries the directory is told by zip64 records', async (t) => {
  const storage = memoryStorage();
  const entries = Array.from({ length: 66_000 }, (_, i) => ({ name: `${i}`, method: 0 }));
  const archive = await opened(t, storage, 'p', zipBytes({ entries, end: { entries: 0xffff }, zip64: {} }));
  t.equal(archive.entries.length, 66_000);
  const parts = [...archive.entries.map((entry) => ({ from: archive, entry })), ...filesOf({ 'a/b': 'new' })];
  // With one for the directory.
  const bytes = await buffer(writeArchive(parts));
  t.equal((await checkArchive(Readable.from([bytes]))).entries, 66_002);
  const yauzled = await yauzl.fromBufferPromise(bytes);
  t.equal(yauzled.entryCount, 66_002);
  const copy = await opened(t, storage, 'q', bytes);
  t.equal(copy.entry('a/b')?.size, 3);
});

t.test('what the check would refuse is not written', async (t) => {
  const written = (files: ReturnType<typeof filesOf>, limits = {}) => buffer(writeArchive(files, { limits }));
  await t.rejects(written(filesOf({ '../x': '' })), { message: /segment/ });
  await t.rejects(written(filesOf({ a: '', A: '' })), { message: /differ only by case/ });
  await t.rejects(written(filesOf({ a: '', 'a/b': '' })), { message: /is a file and a directory/ });
  await t.rejects(written(filesOf({ a: '', b: '' }), { maxEntries: 1 }), { message: /more than 1 entries/ });
  await t.rejects(written(filesOf({ a: 'abc' }), { maxInflatedBytes: 2 }), { message: /more than 2 bytes/ });
});

t.test('an aborted merge leaves the old package', async (t) => {
  const storage = await filesystemStorage({ directory: testFolder(t) });
  t.teardown(() => storage.close());
  const big = { name: 'big', content: Buffer.alloc(3_000_000, 'x'), method: 0 };
  const archive = await opened(t, storage, 'p', zipBytes({ entries: [big, { name: 'other' }] }));
  const before = (await storage.blobs.open('p')).digest;
  const stop = new AbortController();
  const content = writeArchive(
    await edited(archive, { name: 'other', content: Buffer.from('new'), modified }),
  );
  content.once('data', () => stop.abort(new Error('enough')));
  content.pause();
  await t.rejects(storage.blobs.write('p', content, { signal: stop.signal }), { message: /enough/ });
  const blob = await storage.blobs.open('p');
  t.equal(blob.digest, before);
  await blob.close();
});

t.test('merging', async (t) => {
  const storage = memoryStorage();
  const archiveOf = (key: string, files: Record<string, string>) =>
    opened(t, storage, key, writeArchive(filesOf(files)));
  const old = await archiveOf('old', {
    'META-INF/MANIFEST.MF': 'old',
    'app/a.json': 'old',
    'app/x.jar': 'old',
    'conf/c.xml': 'old',
    'lib/l.jar': 'old',
  });
  const fresh = await archiveOf('fresh', {
    'META-INF/MANIFEST.MF': 'new',
    'app/a.json': 'new',
    'app/b.json': 'new',
    'app/x.jar': 'new',
    'app/y.jar': 'new',
    'app/deep/z.json': 'new',
    'conf/c.xml': 'new',
    'conf/d.xml': 'new',
    'lib/m.jar': 'new',
    'resources/ui/u.json': 'new',
  });
  const table: readonly [string, ArchivePart[], Record<string, string>][] = [
    [
      'ours: files of the new package win',
      await mergedUpload(old, fresh, 'ours'),
      { 'lib/l.jar': 'old', ...Object.fromEntries(fileNames(fresh).map((name) => [name, 'new'])) },
    ],
    [
      'theirs: files of the existing package win',
      await mergedUpload(old, fresh, 'theirs'),
      {
        ...Object.fromEntries(fileNames(fresh).map((name) => [name, 'new'])),
        ...Object.fromEntries(fileNames(old).map((name) => [name, 'old'])),
      },
    ],
    [
      'into: configurations, JSON applications and resources that are missing',
      await mergedInto(old, fresh, false),
      {
        ...Object.fromEntries(fileNames(old).map((name) => [name, 'old'])),
        'app/b.json': 'new',
        'conf/d.xml': 'new',
        'resources/ui/u.json': 'new',
      },
    ],
    [
      'into, replacing: all of app, conf and resources',
      await mergedInto(old, fresh, true),
      {
        'META-INF/MANIFEST.MF': 'old',
        'lib/l.jar': 'old',
        'app/a.json': 'new',
        'app/b.json': 'new',
        'app/x.jar': 'new',
        'app/y.jar': 'new',
        'app/deep/z.json': 'new',
        'conf/c.xml': 'new',
        'conf/d.xml': 'new',
        'resources/ui/u.json': 'new',
      },
    ],
    [
      'one file put in',
      await edited(old, { name: 'app/a.json', content: Buffer.from('put'), modified }),
      { ...Object.fromEntries(fileNames(old).map((name) => [name, 'old'])), 'app/a.json': 'put' },
    ],
    [
      'one file taken out',
      await edited(fresh, { name: 'app/a.json', modified }),
      Object.fromEntries(
        fileNames(fresh)
          .filter((name) => name !== 'app/a.json')
          .map((name) => [name, 'new']),
      ),
    ],
  ];
  for (const [what, parts, wanted] of table) {
    const bytes = await buffer(writeArchive(parts));
    await checkArchive(Readable.from([bytes]));
    t.same(Object.fromEntries(filesIn(await byYauzl(bytes))), wanted, what);
  }
});
