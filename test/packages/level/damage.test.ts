import { mkdtemp, open, readdir, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { ClassicLevel } from 'classic-level';
import t from 'tap';
import type { DocumentWrite, Storage } from '../../../lib/interfaces/storage.js';
import { DamagedDocument, PreconditionFailed, StorageFailed } from '../../../lib/model/errors.js';
import { bytesOf, collected } from '../../../packages/contracts/storage-samples.js';
import { filesystemStorage } from '../../../packages/level/index.js';
import { blobRecord, documentRecord, formatRecord, sealed } from '../../../packages/level/records.js';

const root = await mkdtemp(join(tmpdir(), 'headgate-damage-'));
t.teardown(() => rm(root, { recursive: true }));

const put = (key: string, value: unknown, ifMatch?: string | null): DocumentWrite => ({
  op: 'put',
  collection: 'c',
  key,
  value,
  ...(ifMatch === undefined ? {} : { ifMatch }),
});
const keysOf = async (storage: Storage) =>
  (await collected(storage.documents.entries('c'))).map(([key]) => key);

/** A directory with what `fill` writes. */
async function filled(fill: (storage: Storage) => Promise<unknown>): Promise<string> {
  const directory = await mkdtemp(join(root, 'd-'));
  const storage = await filesystemStorage({ directory });
  await fill(storage);
  await storage.close();
  return directory;
}

async function inLevel(directory: string, change: (db: ClassicLevel) => Promise<unknown>) {
  const db = new ClassicLevel(join(directory, 'documents'));
  await change(db);
  await db.close();
}

/** Changes one byte of the text in whichever file holds it; tells whether one did. */
async function scratch(folder: string, files: RegExp, text: string): Promise<boolean> {
  for (const name of (await readdir(folder)).filter((file) => files.test(file))) {
    const path = join(folder, name);
    const at = (await readFile(path)).indexOf(text);
    if (at === -1) continue;
    const file = await open(path, 'r+');
    await file.write('#', at);
    await file.close();
    return true;
  }
  return false;
}

const threeDocuments = (storage: Storage) =>
  storage.documents.write([put('ada', 'about Ada'), put('bob', 'about Bob'), put('cyd', 'about Cyd')]);

const bob = documentRecord('c', 'bob');
const damages: readonly [what: string, value: string][] = [
  ['nothing', ''],
  ['no record', 'garbage'],
  ['a cut record', sealed(bob, 'etag "about Bob"').slice(0, -1)],
  ['JSON that does not parse', sealed(bob, 'etag {"about"')],
  ['the record of another document', sealed(documentRecord('c', 'ada'), 'etag "about Ada"')],
];
for (const [what, value] of damages) {
  t.test(`a document that holds ${what} is an error with its name, and costs nothing else`, async (t) => {
    const directory = await filled(threeDocuments);
    await inLevel(directory, (db) => db.put(bob, value));
    const storage = await filesystemStorage({ directory });
    t.strictSame(await keysOf(storage), ['ada', 'cyd']);
    t.match(storage.problems(), [{ kind: 'document', collection: 'c', key: 'bob', message: /"bob".*"c"/ }]);
    const read = storage.documents.get('c', 'bob');
    await t.rejects(read, DamagedDocument);
    await t.rejects(read, { message: /"bob" of the collection "c" is damaged/ });
    t.equal((await storage.documents.get('c', 'ada'))?.value, 'about Ada');

    await t.rejects(storage.documents.write([put('bob', 'new', null)]), PreconditionFailed);
    await t.rejects(storage.documents.write([put('bob', 'new', 'etag'), put('eve', 1)]), DamagedDocument);
    t.strictSame(await keysOf(storage), ['ada', 'cyd']);
    await storage.documents.write([put('bob', 'new', '*')]);
    t.equal((await storage.documents.get('c', 'bob'))?.value, 'new');
    t.strictSame(storage.problems(), [], 'a new write mends it');
    await storage.close();
  });
}

t.test('a byte that the disk changed hurts one document', async (t) => {
  const directory = await filled(threeDocuments);
  // The journal becomes a table when the database is opened again.
  await (await filesystemStorage({ directory })).close();
  t.ok(await scratch(join(directory, 'documents'), /\.ldb$/, 'about Bob'));
  const storage = await filesystemStorage({ directory });
  t.strictSame(await keysOf(storage), ['ada', 'cyd']);
  await t.rejects(storage.documents.get('c', 'bob'), DamagedDocument);
  await storage.documents.write([{ op: 'delete', collection: 'c', key: 'bob' }]);
  t.equal(await storage.documents.get('c', 'bob'), undefined);
  t.strictSame(storage.problems(), []);
  await storage.close();
});

t.test('writes that a damaged journal lost are told', async (t) => {
  const directory = await filled(async (storage) => {
    for (const key of ['ada', 'bob', 'cyd']) await storage.documents.write([put(key, `about ${key}`)]);
    await storage.blobs.write('b', Readable.from(['content']));
  });
  t.ok(await scratch(join(directory, 'documents'), /\.log$/, 'about bob'));
  await writeFile(join(directory, 'blobs', 'f'.repeat(32)), 'whose record may be lost');
  const storage = await filesystemStorage({ directory });
  t.strictSame(await keysOf(storage), ['ada']);
  t.match(storage.problems()[0], { kind: 'store', message: /Writes were lost.*dropping \d+ bytes/ });
  t.equal((await readdir(join(directory, 'blobs'))).length, 2, 'no content is thrown away on such a day');
  await storage.documents.write([put('bob', 'new')]);
  await storage.close();
});

t.test('documents that can not be opened: a clear error, and repair keeps what can be read', async (t) => {
  const directory = await filled(async (storage) => {
    await threeDocuments(storage);
    await storage.blobs.write('b', Readable.from(['content']));
  });
  const documents = join(directory, 'documents');
  const manifest = (await readdir(documents)).find((name) => name.startsWith('MANIFEST')) ?? '';
  await truncate(join(documents, manifest), 10);
  const refused = filesystemStorage({ directory });
  await t.rejects(refused, StorageFailed);
  await t.rejects(refused, { message: new RegExp(`${documents}.*repair`) });
  const storage = await filesystemStorage({ directory, repair: true });
  t.strictSame(await keysOf(storage), ['ada', 'bob', 'cyd']);
  t.strictSame(await collected(storage.blobs.list()), ['b']);
  t.match(storage.problems(), [{ kind: 'store', message: /repaired/ }]);
  await storage.close();
  const again = await filesystemStorage({ directory });
  t.strictSame(again.problems(), []);
  await again.close();
});

t.test('tables without their index are not overwritten', async (t) => {
  const directory = await filled(threeDocuments);
  await rm(join(directory, 'documents', 'CURRENT'));
  await t.rejects(filesystemStorage({ directory }), { name: 'StorageFailed', message: /CURRENT/ });
  const storage = await filesystemStorage({ directory, repair: true });
  t.strictSame(await keysOf(storage), ['ada', 'bob', 'cyd']);
  await storage.close();
});

t.test('blobs without documents are not swept', async (t) => {
  const directory = await filled((storage) => storage.blobs.write('b', Readable.from(['content'])));
  await rename(join(directory, 'documents'), join(directory, 'elsewhere'));
  await t.rejects(filesystemStorage({ directory }), { name: 'StorageFailed', message: /restore.*or delete/ });
  await rm(join(directory, 'documents'), { recursive: true });
  await rename(join(directory, 'elsewhere'), join(directory, 'documents'));
  const storage = await filesystemStorage({ directory });
  t.strictSame(await collected(storage.blobs.list()), ['b']);
  await storage.close();
});

t.test('a format of a newer version is left alone', async (t) => {
  const directory = await filled(threeDocuments);
  await inLevel(directory, (db) => db.put(formatRecord, '2'));
  await t.rejects(filesystemStorage({ directory }), { name: 'StorageFailed', message: /format 2/ });
});

/** Two blobs of one megabyte, `hurt` and `whole`; `path` is the file of the first. */
async function twoBlobs(): Promise<{ directory: string; path: string }> {
  const directory = await filled(async (storage) => {
    await storage.blobs.write('hurt', Readable.from([Buffer.alloc(1_000_000, 'h')]));
    await storage.blobs.write('whole', Readable.from([Buffer.alloc(1_000_000, 'w')]));
  });
  const blobs = join(directory, 'blobs');
  for (const name of await readdir(blobs)) {
    if ((await readFile(join(blobs, name), 'latin1')).startsWith('h'))
      return { directory, path: join(blobs, name) };
  }
  throw new Error('no file of the blob');
}

const blobDamages: readonly [
  what: string,
  hurt: (path: string, directory: string) => Promise<unknown>,
  why: RegExp,
][] = [
  ['whose file is missing', (path) => rm(path), /file is missing/],
  ['whose file is too short', (path) => truncate(path, 999_999), /999999 bytes instead of 1000000/],
  ['whose file is too long', (path) => writeFile(path, 'more', { flag: 'a' }), /1000004 bytes/],
  [
    'whose record is damaged',
    (_, directory) => inLevel(directory, (db) => db.put(blobRecord('hurt'), 'garbage')),
    /record of it/,
  ],
];
for (const [what, hurt, why] of blobDamages) {
  t.test(
    `a blob ${what} is an error with its name, known from the start, and costs nothing else`,
    async (t) => {
      const { directory, path } = await twoBlobs();
      await hurt(path, directory);
      const storage = await filesystemStorage({ directory });
      t.match(storage.problems(), [{ kind: 'blob', key: 'hurt', message: why }]);
      const opened = storage.blobs.open('hurt');
      await t.rejects(opened, DamagedDocument);
      await t.rejects(opened, { message: /The blob "hurt" is damaged/ });
      const whole = await storage.blobs.open('whole');
      t.equal((await bytesOf(whole.stream())).length, 1_000_000);
      await whole.close();
      t.strictSame(await collected(storage.blobs.list()), ['hurt', 'whole']);
      if (/record/.test(what))
        t.equal((await readdir(join(directory, 'blobs'))).length, 2, 'its content is kept');
      t.equal(await storage.blobs.delete('hurt'), true);
      t.strictSame(storage.problems(), []);
      await storage.close();
    },
  );
}

t.test('a blob with a changed byte never looks whole', async (t) => {
  const { directory, path } = await twoBlobs();
  const file = await open(path, 'r+');
  await file.write('#', 400_000);
  await file.close();
  const storage = await filesystemStorage({ directory });
  const blob = await storage.blobs.open('hurt');
  const chunks: Buffer[] = [];
  const reading = async () => {
    for await (const chunk of blob.stream()) chunks.push(chunk);
  };
  await t.rejects(reading(), { name: 'DamagedDocument', message: /The blob "hurt"/ });
  t.ok(Buffer.concat(chunks).length < 1_000_000, 'the last bytes were held back');
  t.match(storage.problems(), [{ kind: 'blob', key: 'hurt', message: /not what was written/ }]);
  await storage.blobs.write('hurt', Readable.from(['new']));
  t.strictSame(storage.problems(), []);
  await blob.close();
  await storage.close();
});

t.test('a blob that shrinks under its reader is damaged, not shorter', async (t) => {
  const { directory, path } = await twoBlobs();
  const storage = await filesystemStorage({ directory });
  const blob = await storage.blobs.open('hurt');
  await truncate(path, 500_000);
  await t.rejects(blob.read(499_990, 20), DamagedDocument);
  await t.rejects(bytesOf(blob.stream({ start: 1000 })), DamagedDocument);
  t.equal((await blob.read(0, 10)).toString(), 'h'.repeat(10));
  await blob.close();
  await storage.close();
});
