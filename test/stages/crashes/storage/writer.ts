import { Readable } from 'node:stream';
import { filesystemStorage } from '../../../../packages/level/index.js';
import { blobLanes, blobStep, documentLanes, documentStep } from './script.js';

// Child of the crash test: node writer.js <directory> <steps done, by lane, as JSON>. Acknowledges each step on its
// standard output after the storage did, and goes on until it is killed.

const [directory = '', done = '{}'] = process.argv.slice(2);
const steps: Record<string, number> = JSON.parse(done);
const storage = await filesystemStorage({ directory });

/** Resolves when the pipe has it. The dot at the end tells a whole line from the half of one. */
const acknowledge = (what: string) =>
  new Promise<void>((resolve) => {
    process.stdout.write(`${what} .\n`, () => resolve());
  });

async function writeDocuments(lane: number): Promise<never> {
  for (let n = (steps[`d${lane}`] ?? 0) + 1; ; n++) {
    await storage.documents.write(documentStep(lane, n));
    await acknowledge(`d${lane} ${n}`);
  }
}

async function writeBlobs(lane: number): Promise<never> {
  for (let n = (steps[`b${lane}`] ?? 0) + 1; ; n++) {
    const content = blobStep(lane, n);
    const half = (content?.length ?? 0) >> 1;
    if (content) {
      const parts = [content.subarray(0, half), content.subarray(half)];
      await storage.blobs.write(`blob/${lane}`, Readable.from(parts));
    } else await storage.blobs.delete(`blob/${lane}`);
    await acknowledge(`b${lane} ${n}`);
  }
}

await acknowledge('ready 0');
await Promise.all([
  ...Array.from({ length: documentLanes }, (_, lane) => writeDocuments(lane)),
  ...Array.from({ length: blobLanes }, (_, lane) => writeBlobs(lane)),
]);
