import { createHash } from 'node:crypto';
import { addAbortSignal, type Readable } from 'node:stream';
import type { BlobInfo, BlobWriteOptions } from '../interfaces/storage.js';
import { TooLarge } from '../model/errors.js';
import { blobName } from './storage-keys.js';

/** The bytes of a blob on their way in: counted, limited and digested as they pass. */
export interface BlobIntake extends AsyncIterable<Buffer> {
  /** Of what has passed so far. */
  info(): BlobInfo;
}

/**
 * Rejects with `TooLarge` at the limit and with the signal's reason when it aborts. An abort destroys `content`;
 * otherwise it is left to its owner, so that a request that is too large can still be answered.
 */
export function blobIntake(key: string, content: Readable, options: BlobWriteOptions = {}): BlobIntake {
  const { signal, maxBytes = Number.POSITIVE_INFINITY } = options;
  const hash = options.digest ? undefined : createHash('sha256');
  let size = 0;
  let digest: string | undefined;
  // At once, not when the first chunk is asked for: until then the source may fail, and somebody must listen.
  content.on('error', ignore);
  if (signal) addAbortSignal(signal, content);

  async function* chunks() {
    signal?.throwIfAborted();
    if (content.readableEnded) throw new TypeError(`${blobName(key)}: the stream was read to its end before`);
    try {
      for await (const chunk of content.iterator({ destroyOnReturn: false })) {
        const bytes = asBytes(chunk);
        size += bytes.byteLength;
        if (size > maxBytes) throw new TooLarge(blobName(key), maxBytes);
        hash?.update(bytes);
        yield bytes;
      }
    } catch (error) {
      throw signal?.aborted ? signal.reason : error;
    } finally {
      content.off('error', ignore);
    }
    signal?.throwIfAborted();
  }

  return {
    [Symbol.asyncIterator]: chunks,
    info() {
      digest ??= options.digest?.() ?? hash?.digest('hex') ?? '';
      return { size, digest };
    },
  };
}

/** The iteration tells the error; this only keeps it from ending the process. */
const ignore = () => {};

function asBytes(chunk: unknown): Buffer {
  if (Buffer.isBuffer(chunk)) return chunk;
  if (typeof chunk === 'string') return Buffer.from(chunk);
  if (chunk instanceof Uint8Array) return Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  throw new TypeError('A blob is written from a stream of bytes or text');
}
