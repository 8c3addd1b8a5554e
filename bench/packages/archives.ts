import { execFile } from 'node:child_process';
import { createReadStream, createWriteStream } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { openPromise } from 'yauzl';
import { ZipFile } from 'yazl';
import type { Blob, Storage } from '../../lib/driver-kit.js';
import { openToCopy } from '../../lib/features/app-packages/archive/reader.js';
import { writeArchive } from '../../lib/features/app-packages/archive/writer.js';
import { mergedUpload } from '../../lib/features/app-packages/merge.js';
import { filesystemStorage } from '../../packages/level/index.js';
import { median, report } from '../report.js';
import { timed } from './client.js';

// Listing and merging beside their peers, in turn. `zipmerge` (Debian package of that name) is left out where it is
// missing.

export interface Files {
  readonly root: string;
  readonly large: string;
  /** For what takes long. */
  readonly medium: string;
  readonly small: string;
}

const run = promisify(execFile);

const open = async <R>(storage: Storage, key: string, use: (blob: Blob) => Promise<R>): Promise<R> => {
  const blob = await storage.blobs.open(key);
  try {
    return await use(blob);
  } finally {
    await blob.close();
  }
};

async function listing({ large }: Files, storage: Storage): Promise<boolean> {
  const ratios: number[] = [];
  const ours: number[] = [];
  const plain: number[] = [];
  for (let round = -2; round < 15; round++) {
    const us = await timed(() => open(storage, 'large', openToCopy));
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
    { what: '14: Headgate / yauzl', figure: median(ratios), peer: 'yauzl', goal: { atMost: 0.2 } },
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

async function merging({ root, large, medium, small }: Files, storage: Storage): Promise<boolean> {
  const target = join(root, 'merged.zip');
  const merged = <R>(into: string, use: (content: ReturnType<typeof writeArchive>) => Promise<R>) =>
    open(storage, into, (existing) =>
      open(storage, 'small', async (uploaded) =>
        use(writeArchive(await mergedUpload(await openToCopy(existing), await openToCopy(uploaded), 'ours'))),
      ),
    );
  const hasZipmerge = await run('zipmerge', ['-V']).then(
    () => true,
    () => false,
  );
  const results = { file: [] as number[], store: [] as number[], zipmerge: [] as number[] };
  for (let round = -1; round < 7; round++) {
    const file = await timed(() =>
      merged('large', (content) => pipeline(content, createWriteStream(target))),
    );
    const store = await timed(() => merged('large', (content) => storage.blobs.write('merged', content)));
    await copyFile(large, target);
    const zipmerge = hasZipmerge ? await timed(() => run('zipmerge', [target, small])) : Number.NaN;
    if (round < 0) continue;
    results.file.push(file);
    results.store.push(store);
    results.zipmerge.push(zipmerge / file);
  }
  const again: number[] = [];
  for (let round = 0; round < 3; round++) {
    const file = await timed(() =>
      merged('medium', (content) => pipeline(content, createWriteStream(target))),
    );
    again.push((await timed(() => recompress([medium, small], target))) / file);
  }
  if (!hasZipmerge) console.log('zipmerge is not installed (Debian: apt-get install zipmerge); left out');
  return report('merge 10 MB into 200 MB, 5,793 entries', [
    { what: 'Headgate, to a file', figure: median(results.file), unit: 'ms' },
    { what: 'Headgate, into the store (digest, fsync)', figure: median(results.store), unit: 'ms' },
    {
      what: '15: speed / recompressing (10 MB into 40 MB)',
      figure: median(again),
      peer: 'recompressing',
      goal: { atLeast: 7 },
    },
    ...(hasZipmerge
      ? [
          {
            what: '15: speed / zipmerge',
            figure: median(results.zipmerge),
            peer: 'zipmerge',
            goal: { atLeast: 0.8 },
          },
        ]
      : []),
  ]);
}

export async function archives(files: Files): Promise<boolean> {
  const storage = await filesystemStorage({ directory: join(files.root, 'archives') });
  try {
    await storage.blobs.write('large', createReadStream(files.large));
    await storage.blobs.write('medium', createReadStream(files.medium));
    await storage.blobs.write('small', createReadStream(files.small));
    const isListed = await listing(files, storage);
    return (await merging(files, storage)) && isListed;
  } finally {
    await storage.close();
  }
}
