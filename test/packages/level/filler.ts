import { writeSync } from 'node:fs';
import { Readable } from 'node:stream';
import { filesystemStorage } from '../../../packages/level/index.js';

// Child of the test of a full disk: node filler.js <directory>, under a limit of the size of files. Writes until
// that fails, and tells how: one JSON line.

const [directory = ''] = process.argv.slice(2);
const storage = await filesystemStorage({ directory });
const blobError: unknown = await storage.blobs
  .write('large', Readable.from([Buffer.alloc(1_000_000)]))
  .catch((error: unknown) => error);

let written = 0;
let documentError: unknown;
while (documentError === undefined && written < 10_000) {
  try {
    await storage.documents.write([
      { op: 'put', collection: 'c', key: `k${written}`, value: 'x'.repeat(1000) },
    ]);
    written++;
  } catch (error) {
    documentError = error;
  }
}
const text = (error: unknown) => (error instanceof Error ? `${error.name}: ${error.message}` : undefined);
const [problem] = storage.problems();
await storage.close();
writeSync(
  1,
  `${JSON.stringify({ written, document: text(documentError), blob: text(blobError), problem })}\n`,
);
