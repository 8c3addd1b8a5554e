import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import t from 'tap';
import type { DocumentWrite, Storage } from '../../../lib/interfaces/storage.js';
import { NotReady, StorageInUse, TooLarge } from '../../../lib/model/errors.js';
import { storageContract } from '../../../packages/contracts/index.js';
import { collected } from '../../../packages/contracts/storage-samples.js';
import { filesystemStorage } from '../../../packages/level/index.js';

const root = await mkdtemp(join(tmpdir(), 'headgate-storage-'));
t.teardown(() => rm(root, { recursive: true }));
const fresh = () => mkdtemp(join(root, 'd-'));

const places = new WeakMap<Storage, string>();
async function openAt(directory: string): Promise<Storage> {
  const storage = await filesystemStorage({ directory });
  places.set(storage, directory);
  return storage;
}
await storageContract(t, {
  create: async () => openAt(await fresh()),
  reopen: async (closed) => openAt(places.get(closed) ?? ''),
});

const put = (key: string, value: unknown): DocumentWrite => ({ op: 'put', collection: 'c', key, value });
const filesOf = async (directory: string) => ({
  blobs: (await readdir(join(directory, 'blobs'))).length,
  staging: (await readdir(join(directory, 'staging'))).length,
});

/** A process that holds the directory, or an error why it doesn't. */
async function holderOf(directory: string): Promise<ChildProcess> {
  const script = fileURLToPath(new URL('./holder.js', import.meta.url));
  const child = spawn(process.execPath, [script, directory], { stdio: ['pipe', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  return child;
}

t.test('a directory is made with its parents, for the owner only', async (t) => {
  const directory = join(await fresh(), 'deep/er');
  const storage = await filesystemStorage({ directory });
  await storage.blobs.write('b', Readable.from(['secret']));
  for (const path of [directory, join(directory, 'documents'), join(directory, 'blobs')]) {
    t.equal((await stat(path)).mode & 0o777, 0o700, path);
  }
  for (const file of await readdir(join(directory, 'blobs'))) {
    t.equal((await stat(join(directory, 'blobs', file))).mode & 0o777, 0o600);
  }
  await storage.close();
});

t.test('a path that can not be a directory is named', async (t) => {
  const file = join(await fresh(), 'file');
  await writeFile(file, '');
  await t.rejects(filesystemStorage({ directory: file }), { message: new RegExp(file) });
});

t.test(
  'a directory that another process holds: the error tells its pid, and it goes on undisturbed',
  async (t) => {
    const directory = await fresh();
    const child = await holderOf(directory);
    const held = filesystemStorage({ directory });
    await t.rejects(held, StorageInUse);
    await t.rejects(held, {
      message: new RegExp(`${directory} is in use by process ${child.pid}; `),
      details: { directory, pid: child.pid },
    });
    child.stdin?.end();
    t.strictSame(await once(child, 'exit'), [0, null]);
    const storage = await filesystemStorage({ directory });
    await storage.close();
    t.notOk((await readdir(directory)).includes('holder.json'));
  },
);

t.test('the note of a killed process is no lock', async (t) => {
  const directory = await fresh();
  const child = await holderOf(directory);
  child.kill('SIGKILL');
  await once(child, 'exit');
  t.ok((await readdir(directory)).includes('holder.json'));
  const storage = await filesystemStorage({ directory });
  await storage.close();
});

t.test('a note that does not tell the holder of the lock is not believed', async (t) => {
  const directory = await fresh();
  const child = await holderOf(directory);
  const ended = spawn(process.execPath, ['-e', '']);
  await once(ended, 'exit');
  const note = join(directory, 'holder.json');
  const text = await readFile(note, 'utf8');
  await writeFile(note, JSON.stringify({ ...JSON.parse(text), pid: ended.pid }));
  await t.rejects(filesystemStorage({ directory }), { message: /another process that left no note/ });
  await writeFile(note, JSON.stringify({ ...JSON.parse(text), host: 'elsewhere' }));
  await t.rejects(filesystemStorage({ directory }), {
    message: new RegExp(`process ${child.pid} on elsewhere`),
  });
  await writeFile(note, 'half a no');
  const late = filesystemStorage({ directory });
  await writeFile(note, text);
  await t.rejects(late, { message: new RegExp(`process ${child.pid};`) });
  child.stdin?.end();
  await once(child, 'exit');
});

t.test('two gateways of one process do not share a directory', async (t) => {
  const directory = await fresh();
  const first = await filesystemStorage({ directory });
  await t.rejects(filesystemStorage({ directory }), {
    name: 'StorageInUse',
    message: /another gateway in this process/,
    details: { pid: process.pid },
  });
  await first.documents.write([put('k', 1)]);
  await first.close();
  const [one, two] = await Promise.allSettled([
    filesystemStorage({ directory }),
    filesystemStorage({ directory }),
  ]);
  t.same([one.status, two.status].sort(), ['fulfilled', 'rejected'], 'also when they start together');
  for (const result of [one, two]) if (result.status === 'fulfilled') await result.value.close();
});

t.test('what a killed process left is swept at start, and nothing else', async (t) => {
  const directory = await fresh();
  const storage = await filesystemStorage({ directory });
  await storage.blobs.write('kept', Readable.from(['content']));
  await storage.close();
  await writeFile(join(directory, 'staging', 'a'.repeat(32)), 'half');
  await writeFile(join(directory, 'blobs', 'b'.repeat(32)), 'renamed, but never committed');
  await mkdir(join(directory, 'staging', 'left'));
  const again = await filesystemStorage({ directory });
  t.strictSame(await filesOf(directory), { blobs: 1, staging: 0 });
  t.strictSame(await collected(again.blobs.list()), ['kept']);
  await again.close();
});

t.test('no file outlives its blob, nor a write that failed', async (t) => {
  const directory = await fresh();
  const storage = await filesystemStorage({ directory });
  for (const content of ['1', '22', '333']) await storage.blobs.write('b', Readable.from([content]));
  t.strictSame(await filesOf(directory), { blobs: 1, staging: 0 });
  await t.rejects(storage.blobs.write('b', Readable.from(['12345']), { maxBytes: 4 }), TooLarge);
  const aborting = new AbortController();
  const content = new PassThrough();
  content.write('part');
  const write = storage.blobs.write('other', content, { signal: aborting.signal });
  aborting.abort();
  await t.rejects(write, { name: 'AbortError' });
  t.strictSame(await filesOf(directory), { blobs: 1, staging: 0 });
  await storage.blobs.delete('b');
  t.strictSame(await filesOf(directory), { blobs: 0, staging: 0 });
  await storage.close();
});

t.test('close ends what reads and writes, and leaves no handle', async (t) => {
  const directory = await fresh();
  const storage = await filesystemStorage({ directory });
  await storage.blobs.write('b', Readable.from([Buffer.alloc(1_000_000)]));
  const descriptors = async () =>
    process.platform === 'linux' ? (await readdir('/proc/self/fd')).length : undefined;
  const blob = await storage.blobs.open('b');
  const unread = blob.stream();
  const forgotten = await storage.blobs.open('b');
  const paused = forgotten.stream();
  await once(paused, 'readable');
  const ends = once(paused, 'close');
  await storage.close();
  await ends;
  t.ok(unread.destroyed && paused.destroyed);
  await t.rejects(blob.read(0, 1), NotReady);
  await blob.close();
  const before = await descriptors();
  const second = await filesystemStorage({ directory });
  const reader = await second.blobs.open('b');
  reader.stream();
  await second.close();
  t.equal(await descriptors(), before);
});

t.test('more than the limit does not wait for the disk', async (t) => {
  const storage = await filesystemStorage({
    directory: await fresh(),
    maxPendingBytes: 10_000,
    maxDocumentBytes: 8000,
  });
  await t.rejects(storage.documents.write([put('k', 'x'.repeat(8000))]), TooLarge);
  await storage.documents.write([put('k', 'x'.repeat(7998))]);
  const writes = await Promise.allSettled(
    Array.from({ length: 20 }, (_, i) => storage.documents.write([put(`k${i}`, 'x'.repeat(2000))])),
  );
  const refused = writes.flatMap((write) => (write.status === 'rejected' ? [write.reason] : []));
  t.equal(refused.length, 16);
  t.ok(refused.every((error) => error instanceof NotReady));
  await storage.documents.write([put('after', 1)]);
  t.equal((await collected(storage.documents.entries('c'))).length, 6);
  await storage.close();
});

t.test('a disk that takes no more: a clear error, and what was acknowledged is there', async (t) => {
  if (process.platform === 'win32') return t.comment('no limit of the size of files here');
  const directory = await fresh();
  const script = fileURLToPath(new URL('./filler.js', import.meta.url));
  // Blocks of 512 bytes. `env -i` keeps the test runner's hooks out: they end a program on the signal of a full file.
  const limited = ['-c', 'ulimit -f 512; exec env -i "$0" "$@"', process.execPath, script, directory];
  const { stdout } = await promisify(execFile)('sh', limited);
  const told = JSON.parse(stdout);
  t.ok(told.written > 10 && told.written < 10_000, `${told.written} documents were written`);
  t.match(told.document, /StorageFailed: The disk refused a write/);
  t.match(told.blob, /EFBIG/);
  t.match(told.problem, { kind: 'store', message: /refuses writes/ });
  const storage = await filesystemStorage({ directory });
  const kept = (await collected(storage.documents.entries('c'))).length;
  t.ok(kept >= told.written && kept <= told.written + 1, `${kept} of ${told.written} are there`);
  t.strictSame(await filesOf(directory), { blobs: 0, staging: 0 });
  t.strictSame(await collected(storage.blobs.list()), []);
  await storage.close();
});
