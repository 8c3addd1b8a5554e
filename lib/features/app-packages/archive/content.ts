import { constants, crc32, createInflateRaw, type InputType, inflateRaw, inflateRawSync } from 'node:zlib';
import { BadRequest } from '../../../model/errors.js';
import { owned } from '../../../runtime/owned.js';
import type { Bytes } from './bytes.js';
import { quoted } from './records.js';

/** What an entry's data turned out to be. */
export interface Content {
  readonly compressedSize: number;
  readonly size: number;
  readonly crc: number;
}

/** Called with all bytes inflated so far; throws when they are too many. */
export type OnInflated = (bytes: number) => void;

export const truncated = (name: string) =>
  new BadRequest(
    'ARCHIVE_TRUNCATED',
    `The archive ends in the middle of ${quoted(name)}: it is truncated, send it again`,
  );

export const tooMuch = (name: string, size: number) =>
  new BadRequest(
    'ARCHIVE_DAMAGED',
    `${quoted(name)} inflates to more than the ${size} bytes that its header tells`,
  );

const damaged = (name: string, cause: unknown) =>
  new BadRequest(
    'ARCHIVE_DAMAGED',
    `The compressed data of ${quoted(name)} is damaged (${cause instanceof Error ? cause.message : cause})`,
  );

const surplus = (name: string) =>
  new BadRequest(
    'ARCHIVE_DAMAGED',
    `The compressed data of ${quoted(name)} ends before the size that its header tells`,
  );

/** The sum of what passes, and how much it is. */
export function counter(onBytes: OnInflated) {
  return {
    size: 0,
    crc: 0,
    add(chunk: Buffer): void {
      this.size += chunk.length;
      onBytes(this.size);
      this.crc = crc32(chunk, this.crc);
    },
  };
}

export async function readStored(
  bytes: Bytes,
  name: string,
  compressedSize: number,
  onInflated: OnInflated,
): Promise<Content> {
  const count = counter(onInflated);
  while (count.size < compressedSize) {
    const chunk = await bytes.some(compressedSize - count.size);
    if (!chunk) throw truncated(name);
    count.add(chunk);
    bytes.skip(chunk.length);
  }
  return { compressedSize, size: count.size, crc: count.crc };
}

/** Inflating so few bytes costs less on the spot than the way to zlib's threads and back: 0.2 ms of work. */
const smallBytes = 64 * 1024;
const smallInflatedBytes = 4 * smallBytes;

export const isSmall = ({ compressedSize, size }: Omit<Content, 'crc'>): boolean =>
  compressedSize <= smallBytes && size <= smallInflatedBytes;

/** Of data that is stored as it is. */
export function summed(data: Buffer, onInflated: OnInflated): Content {
  const count = counter(onInflated);
  count.add(data);
  return { compressedSize: data.length, size: count.size, crc: count.crc };
}

type Claimed = Omit<Content, 'crc'> & { readonly name: string };

/** Of data that `isSmall`, all of it. */
export function inflateSmall(data: Buffer, { name, compressedSize, size }: Claimed): Content {
  const content = inflateAtOnce(name, data, size);
  return { compressedSize, size: content.length, crc: crc32(content) };
}

/** Data that is whole in memory, and should inflate to `size` bytes; stops at the first one more. */
export async function inflateWhole(name: string, data: Buffer, size: number): Promise<Buffer> {
  if (isSmall({ compressedSize: data.length, size })) return inflateAtOnce(name, data, size);
  try {
    return checkedWhole(name, data, size, await inflated(data, wholeOptions(size)));
  } catch (error) {
    throw wholeFault(name, size, error);
  }
}

function inflateAtOnce(name: string, data: Buffer, size: number): Buffer {
  try {
    return checkedWhole(name, data, size, inflateRawSync(data, wholeOptions(size)));
  } catch (error) {
    throw wholeFault(name, size, error);
  }
}

/** One byte more: enough to tell that there are more. */
const wholeOptions = (size: number) => inflateOptions(size + 1);

function checkedWhole(name: string, data: Buffer, size: number, result: unknown): Buffer {
  const { content, consumed } = told(result);
  if (content.length > size) throw tooMuch(name, size);
  if (consumed !== data.length) throw surplus(name);
  return content;
}

function wholeFault(name: string, size: number, error: unknown): BadRequest {
  if (error instanceof BadRequest) return error;
  return error instanceof RangeError ? tooMuch(name, size) : damaged(name, error);
}

/** Data that ends where it says so itself, if that is near; else nothing was taken. */
export async function inflateNear(bytes: Bytes, onInflated: OnInflated): Promise<Content | undefined> {
  const near = await bytes.peek(smallBytes);
  let result: Inflated;
  try {
    result = told(inflateRawSync(near, inflateOptions(smallInflatedBytes, smallBytes)));
  } catch {
    // It goes on, or it is damaged: the way of the large ones tells.
    return undefined;
  }
  const { content, consumed } = result;
  onInflated(content.length);
  bytes.skip(consumed);
  return { compressedSize: consumed, size: content.length, crc: crc32(content) };
}

const inflateOptions = (maxOutputLength: number, chunkSize = maxOutputLength) => ({
  maxOutputLength,
  chunkSize: Math.max(chunkSize, constants.Z_MIN_CHUNK),
  info: true,
});

interface Inflated {
  readonly content: Buffer;
  /** How many bytes the compressed data had. */
  readonly consumed: number;
}

/** With `info` zlib answers more than its types say. */
function told(result: unknown): Inflated {
  if (!isTold(result)) throw new TypeError('zlib did not tell how much it read');
  return { content: result.buffer, consumed: result.engine.bytesWritten };
}

const isTold = (value: unknown): value is { buffer: Buffer; engine: { bytesWritten: number } } =>
  typeof value === 'object' && value !== null && 'buffer' in value && 'engine' in value;

const inflated = (data: InputType, options: object): Promise<unknown> =>
  new Promise((resolve, reject) => {
    inflateRaw(data, options, (error, result) => (error ? reject(error) : resolve(result)));
  });

/** Each chunk is a way to zlib's threads and back, and small ones take half as long again. */
const chunkSize = 256 * 1024;

/**
 * In zlib's threads, chunk by chunk, so that no more than one is in memory. Without a compressed size the data ends
 * where it says so itself, and what follows is left in `bytes`.
 */
export async function inflateArriving(
  bytes: Bytes,
  name: string,
  compressedSize: number | undefined,
  onInflated: OnInflated,
): Promise<Content> {
  const inflate = owned(createInflateRaw({ chunkSize }));
  const count = counter(onInflated);
  let failure: { readonly error: unknown } | undefined;
  let settled = () => {};
  const fail = (error: unknown) => {
    failure ??= { error };
    settled();
  };
  inflate.on('error', (error) => fail(damaged(name, error)));
  inflate.on('data', (chunk: Buffer) => {
    try {
      count.add(chunk);
    } catch (error) {
      fail(error);
      // It makes no more of what it was given.
      inflate.destroy();
    }
  });
  /** A failing zlib calls no callback, so its event ends the step too. */
  async function step(run: (done: () => void) => void): Promise<void> {
    await new Promise<void>((resolve) => {
      settled = resolve;
      run(resolve);
    });
    if (failure) throw failure.error;
  }

  const end = compressedSize ?? Number.POSITIVE_INFINITY;
  let fed = 0;
  let unused = 0;
  try {
    while (fed < end && unused === 0) {
      const chunk = await bytes.some(Math.min(chunkSize, end - fed));
      if (!chunk) throw truncated(name);
      fed += chunk.length;
      await step((done) => inflate.write(chunk, done));
      unused = fed - inflate.bytesWritten;
      if (unused > 0 && compressedSize !== undefined) throw surplus(name);
      bytes.skip(chunk.length - unused);
    }
    // Fails when the data wants to go on.
    if (unused === 0) await step((done) => inflate.end(done));
    return { compressedSize: fed - unused, size: count.size, crc: count.crc };
  } finally {
    inflate.destroy();
  }
}
