import { createHash } from 'node:crypto';
import { parentPort } from 'node:worker_threads';
import { crc32, inflateRawSync } from 'node:zlib';
import type { FloorTask } from './floor.js';

// Digests what arrives, and inflates and sums each entry once it is whole; see floor.ts.

const local = { signature: 0x04034b50, bytes: 30 };
const deflated = 8;

/** Where the entry ends that begins at `at`, once it was inflated and summed; `undefined` before it is whole. */
function readEntry(bytes: Buffer, at: number): number | undefined {
  if (at + local.bytes > bytes.length || bytes.readUInt32LE(at) !== local.signature) return undefined;
  const start = at + local.bytes + bytes.readUInt16LE(at + 26) + bytes.readUInt16LE(at + 28);
  const end = start + bytes.readUInt32LE(at + 18);
  if (end > bytes.length) return undefined;
  const size = bytes.readUInt32LE(at + 22);
  const data = bytes.subarray(start, end);
  const content =
    bytes.readUInt16LE(at + 8) === deflated
      ? inflateRawSync(data, { maxOutputLength: size + 1, chunkSize: Math.max(size + 1, 64) })
      : data;
  if (content.length !== size || crc32(content) !== bytes.readUInt32LE(at + 14)) throw new Error('damaged');
  return end;
}

parentPort?.on('message', ({ memory, progress, size }: FloorTask) => {
  const arrived = new Int32Array(progress);
  const hash = createHash('sha256');
  let position = 0;
  for (let hashed = 0; hashed < size; ) {
    Atomics.wait(arrived, 0, hashed);
    const there = Atomics.load(arrived, 0);
    const bytes = Buffer.from(memory, 0, there);
    hash.update(bytes.subarray(hashed));
    hashed = there;
    for (let end = readEntry(bytes, position); end !== undefined; end = readEntry(bytes, position))
      position = end;
  }
  parentPort?.postMessage(hash.digest('hex'));
});
