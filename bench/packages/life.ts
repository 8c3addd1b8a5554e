import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { filesystemStorage } from '../../adapters/storage/filesystem.js';
import { arrivingArchives } from '../../lib/features/app-packages/archive/arriving.js';
import { openArchive } from '../../lib/features/app-packages/archive/reader.js';
import { writeArchive } from '../../lib/features/app-packages/archive/writer.js';
import { mergedUpload } from '../../lib/features/app-packages/merge.js';

const { checkedWhileArriving } = arrivingArchives();

// A process of its own: uploads a package, lists it, merges another into it, and downloads it; tells how far its
// memory grew in each step, in MB.

const [directory = '', large = '', small = ''] = process.argv.slice(2);
const storage = await filesystemStorage({ directory: join(directory, 'life') });
const upload = (key: string, file: string) =>
  storage.blobs.write(
    key,
    checkedWhileArriving(createReadStream(file, { highWaterMark: 64 * 1024 })).content,
  );
await upload('small', small);

async function growth(step: () => Promise<unknown>): Promise<number> {
  const base = process.memoryUsage().rss;
  let peak = base;
  const sampling = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage().rss);
  }, 10);
  await step();
  peak = Math.max(peak, process.memoryUsage().rss);
  clearInterval(sampling);
  return (peak - base) / 1e6;
}

const whole = await growth(async () => {
  const steps = {
    upload: await growth(() => upload('large', large)),
    list: await growth(async () => {
      const blob = await storage.blobs.open('large');
      await openArchive(blob);
      await blob.close();
    }),
    merge: await growth(async () => {
      const blobs = [await storage.blobs.open('large'), await storage.blobs.open('small')] as const;
      const [existing, uploaded] = [await openArchive(blobs[0]), await openArchive(blobs[1])];
      await storage.blobs.write('large', writeArchive(await mergedUpload(existing, uploaded, 'ours')));
      for (const blob of blobs) await blob.close();
    }),
    download: await growth(async () => {
      const blob = await storage.blobs.open('large');
      const nowhere = new Writable({ write: (_chunk, _encoding, done) => setImmediate(done) });
      await pipeline(Readable.from(blob.stream()), nowhere);
      await blob.close();
    }),
  };
  process.send?.(steps);
});
process.send?.({ whole });
await storage.close();
