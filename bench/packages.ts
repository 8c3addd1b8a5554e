import { type ChildProcess, execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { copyFile, mkdtemp, rm, stat } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { openPromise } from 'yauzl';
import { ZipFile } from 'yazl';
import { filesystemStorage } from '../adapters/storage/filesystem.js';
import { openArchive } from '../lib/features/app-packages/archive/reader.js';
import { writeArchive } from '../lib/features/app-packages/archive/writer.js';
import { mergedUpload } from '../lib/features/app-packages/merge.js';
import type { Blob, Storage } from '../lib/index.js';
import { makeArchive } from './packages/make.js';
import { median, report } from './report.js';

// node build/bench/packages.js [directory on the disk to measure]
//
// Listing, merging and uploading packages, each beside its peers, in turn; the ratios are medians over the rounds. Then
// the memory that a package of 1 GB takes. `zipmerge` (Debian package of that name) is left out where it is missing.

const run = promisify(execFile);

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

interface Files {
  readonly root: string;
  readonly large: string;
  readonly small: string;
  readonly storage: Storage;
}

const open = async <R>(storage: Storage, key: string, use: (blob: Blob) => Promise<R>): Promise<R> => {
  const blob = await storage.blobs.open(key);
  try {
    return await use(blob);
  } finally {
    await blob.close();
  }
};

async function listing({ large, storage }: Files): Promise<boolean> {
  const ratios: number[] = [];
  const ours: number[] = [];
  const plain: number[] = [];
  for (let round = -2; round < 15; round++) {
    const us = await timed(() => open(storage, 'large', openArchive));
    const them = await timed(async () => {
      const zip = await openPromise(large);
      for await (const entry of zip.eachEntry()) if (entry.fileName === '') throw new Error('no name');
    });
    if (round < 0) continue;
    ours.push(us);
    plain.push(them);
    ratios.push(us / them);
  }
  return report('list 5,000 entries of 200 MB', [
    { what: 'yauzl, plain', figure: median(plain), unit: 'ms' },
    { what: 'Headgate', figure: median(ours), unit: 'ms' },
    { what: '14: Headgate / yauzl', figure: median(ratios), goal: { atMost: 0.2 } },
  ]);
}

/** Inflates and deflates everything again, as one must with yazl. */
async function recompress(files: readonly string[], target: string): Promise<void> {
  const zip = new ZipFile();
  const sources = await Promise.all(files.map((file) => openPromise(file, { autoClose: false })));
  for (const source of sources) {
    for await (const entry of source.eachEntry()) {
      zip.addReadStreamLazy(entry.fileName, {}, (give) => source.openReadStream(entry, give));
    }
  }
  zip.end();
  await pipeline(zip.outputStream, createWriteStream(target));
  for (const source of sources) source.close();
}

async function merging(files: Files): Promise<boolean> {
  const { root, large, small, storage } = files;
  const target = join(root, 'merged.zip');
  const merged = <R>(use: (content: ReturnType<typeof writeArchive>) => Promise<R>) =>
    open(storage, 'large', (existing) =>
      open(storage, 'small', async (uploaded) =>
        use(
          writeArchive(await mergedUpload(await openArchive(existing), await openArchive(uploaded), 'ours')),
        ),
      ),
    );
  const hasZipmerge = await run('zipmerge', ['-V']).then(
    () => true,
    () => false,
  );
  const results = { file: [] as number[], store: [] as number[], zipmerge: [] as number[] };
  const again: number[] = [];
  for (let round = -1; round < 7; round++) {
    const file = await timed(() => merged((content) => pipeline(content, createWriteStream(target))));
    const store = await timed(() => merged((content) => storage.blobs.write('merged', content)));
    await copyFile(large, target);
    const zipmerge = hasZipmerge ? await timed(() => run('zipmerge', [target, small])) : Number.NaN;
    // It takes long: three times must do.
    if (round % 3 === 0) again.push((await timed(() => recompress([large, small], target))) / file);
    if (round < 0) continue;
    results.file.push(file);
    results.store.push(store);
    results.zipmerge.push(zipmerge / file);
  }
  if (!hasZipmerge) console.log('zipmerge is not installed (Debian: apt-get install zipmerge); left out');
  return report('merge 10 MB into 200 MB, 5,793 entries', [
    { what: 'Headgate, to a file', figure: median(results.file), unit: 'ms' },
    { what: 'Headgate, into the store (digest, fsync)', figure: median(results.store), unit: 'ms' },
    { what: '15: speed, to a file / recompressing', figure: median(again), goal: { atLeast: 7 } },
    ...(hasZipmerge
      ? [{ what: '15: speed / zipmerge', figure: median(results.zipmerge), goal: { atLeast: 0.8 } }]
      : []),
  ]);
}

async function send(port: number, path: string, file: string): Promise<void> {
  const { size } = await stat(file);
  const sending = request({ port, path, method: 'POST', headers: { 'content-length': size } });
  const answered = once(sending, 'response');
  await pipeline(createReadStream(file, { highWaterMark: 256 * 1024 }), sending);
  const [response] = await answered;
  response.resume();
  if (response.statusCode !== 200) throw new Error(`${path} answered ${response.statusCode}`);
}

const watched = async (server: ChildProcess, work: () => Promise<unknown>): Promise<number> => {
  server.send('start');
  await once(server, 'message');
  await work();
  server.send('stop');
  const [longest] = await once(server, 'message');
  return Number(longest);
};

async function uploading(root: string, title: string, file: string): Promise<boolean> {
  const server = fork(new URL('./packages/server.js', import.meta.url), [root]);
  const [{ port }] = await once(server, 'message');
  const { size } = await stat(file);
  const rates = { bare: [] as number[], synced: [] as number[], ours: [] as number[] };
  for (let round = -1; round < 9; round++) {
    const bare = await timed(() => send(port, '/bare', file));
    const synced = await timed(() => send(port, '/bare-sync', file));
    const ours = await timed(() => send(port, '/ours', file));
    if (round < 0) continue;
    rates.bare.push(bare);
    rates.synced.push(synced);
    rates.ours.push(ours);
  }
  const four = (path: string) =>
    watched(server, () => Promise.all([1, 2, 3, 4].map(() => send(port, path, file))));
  const bareLongest = await four('/bare-sync');
  const longest = await four('/ours');
  server.disconnect();
  await once(server, 'exit');
  const ratio = (peer: readonly number[]) => median(rates.ours.map((ours, i) => (peer[i] ?? 0) / ours));
  const rate = (times: readonly number[]) => size / 1e3 / median(times);
  return report(title, [
    { what: 'bare http to a file', figure: rate(rates.bare), unit: 'MB/s' },
    { what: 'bare http to a file, fsync', figure: rate(rates.synced), unit: 'MB/s' },
    { what: 'Headgate: checked, digest, fsync', figure: rate(rates.ours), unit: 'MB/s' },
    { what: '17: Headgate / bare', figure: ratio(rates.bare), goal: { atLeast: 0.7 } },
    { what: 'Headgate / bare with fsync', figure: ratio(rates.synced) },
    { what: '4 at once: loop stood at the longest, bare', figure: bareLongest, unit: 'ms' },
    { what: '4 at once: loop stood at the longest', figure: longest, unit: 'ms', goal: { atMost: 50 } },
  ]);
}

async function memory({ root, small }: Files): Promise<boolean> {
  const huge = join(root, 'huge.zip');
  await makeArchive({ path: huge, folder: 'lib', entries: 500, meanBytes: 3_000_000 });
  const child = fork(new URL('./packages/life.js', import.meta.url), [root, huge, small]);
  const [steps] = await once(child, 'message');
  const [{ whole }] = await once(child, 'message');
  await once(child, 'exit');
  const { size } = await stat(huge);
  return report(`16: growth with a package of ${(size / 1e9).toFixed(2)} GB`, [
    { what: 'upload with check', figure: steps.upload, unit: 'MB' },
    { what: 'list', figure: steps.list, unit: 'MB' },
    { what: 'merge', figure: steps.merge, unit: 'MB' },
    { what: 'download', figure: steps.download, unit: 'MB' },
    { what: 'all together', figure: whole, unit: 'MB', goal: { atMost: 64 } },
  ]);
}

const root = await mkdtemp(join(process.argv[2] ?? tmpdir(), 'headgate-packages-'));
try {
  const large = join(root, 'large.zip');
  const small = join(root, 'small.zip');
  await makeArchive({ path: large, folder: 'lib', entries: 5000, meanBytes: 60_000 });
  await makeArchive({ path: small, folder: 'resources', entries: 793, meanBytes: 17_000 });
  const storage = await filesystemStorage({ directory: join(root, 'storage') });
  await storage.blobs.write('large', createReadStream(large));
  await storage.blobs.write('small', createReadStream(small));
  const files = { root, large, small, storage };
  const held = [await listing(files), await merging(files)];
  await storage.close();
  const jars = join(root, 'jars.zip');
  await makeArchive({ path: jars, folder: 'lib', entries: 150, meanBytes: 2_000_000 });
  held.push(await uploading(root, 'upload 200 MB: 150 jars', jars));
  held.push(await uploading(root, 'upload 200 MB: 5,000 small entries', large));
  held.push(await memory(files));
  process.exitCode = held.every(Boolean) ? 0 : 1;
} finally {
  await rm(root, { recursive: true });
}
