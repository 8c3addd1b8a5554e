import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { bytesOf } from '../../../packages/contracts/storage-samples.js';
import { filesystemStorage } from '../../../packages/level/index.js';
import type { KeeperAnswer, KeeperOrder } from '../kept-storage.js';

// Child of the tests of failing disks: node keeper.js <directory>. Does what it is told, a JSON line each, and answers.

const [directory = ''] = process.argv.slice(2);

async function carryOut(order: KeeperOrder): Promise<unknown> {
  switch (order.op) {
    case 'write':
      return storage.documents.write(
        order.writes.map(([key, value]) =>
          value === null
            ? { op: 'delete', collection: 'c', key }
            : { op: 'put', collection: 'c', key, value },
        ),
      );
    case 'writeBlob': {
      const bytes = Buffer.alloc(order.size, order.fill);
      const half = order.size >> 1;
      return storage.blobs.write(order.key, Readable.from([bytes.subarray(0, half), bytes.subarray(half)]));
    }
    case 'deleteBlob':
      return storage.blobs.delete(order.key);
    case 'read':
      return (await storage.documents.get('c', order.key))?.value ?? null;
    case 'readBlob': {
      const blob = await storage.blobs.open(order.key);
      const bytes = await bytesOf(blob.stream());
      await blob.close();
      return bytes.length;
    }
    case 'problems':
      return storage.problems();
    case 'close':
      return storage.close();
  }
}

const answer = (told: KeeperAnswer) => process.stdout.write(`${JSON.stringify(told)}\n`);
const told = (n: number, error: unknown) =>
  answer(
    error instanceof Error
      ? { n, error: { name: error.name, message: error.message } }
      : { n, error: { name: 'Thrown', message: String(error) } },
  );

const opened = filesystemStorage({ directory });
opened.catch((error: unknown) => told(-1, error));
const storage = await opened;
answer({ n: -1 });
for await (const line of createInterface(process.stdin)) {
  const { n, order }: { n: number; order: KeeperOrder } = JSON.parse(line);
  carryOut(order).then(
    (value) => answer({ n, value }),
    (error: unknown) => told(n, error),
  );
}
