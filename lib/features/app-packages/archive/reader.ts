import { pipeline, Readable } from 'node:stream';
import { createInflateRaw } from 'node:zlib';
import { BadRequest, DamagedDocument, TooLarge } from '../../../core/errors.js';
import { pace } from '../../../core/pace.js';
import type { Blob } from '../../../interfaces/storage.js';
import { counter, inflateWhole, tooMuch } from './content.js';
import {
  type CentralHeader,
  centralBytes,
  deflated,
  fixedBytes,
  localBytes,
  mask16,
  mask32,
  parseCentral,
  parseEnd,
  parseZip64End,
  quoted,
  signatures,
  zip64EndOffset,
} from './records.js';

export interface ArchiveEntry extends CentralHeader {
  /** Where the next record of the file begins: all of this entry is in between. */
  readonly end: number;
}

/** An archive that was checked, read at any place. Only its directory is in memory. The blob is its opener's to close. */
export interface Archive {
  /** In the order of the directory; those of directories end in `/`. */
  readonly entries: readonly ArchiveEntry[];
  /** By its exact name. */
  entry(name: string): ArchiveEntry | undefined;
  /** The content, inflated in zlib's threads. Fails with `DamagedDocument` when it is not what was checked. */
  open(entry: ArchiveEntry, options?: { signal?: AbortSignal }): Readable;
  /** The whole content. Rejects with `TooLarge` when it has more than `maxBytes`, else as `open` fails. */
  read(entry: ArchiveEntry, maxBytes: number): Promise<Buffer>;
  /** The bytes of the file from `start` up to `end`: records of entries as they are. */
  raw(start: number, end: number): Readable;
}

/** Where the bytes of an archive are. */
export type ArchiveSource = Pick<Blob, 'size' | 'read' | 'stream'>;

/** Reads the directory at once and nothing else. Rejects with `DamagedDocument` when there is none. */
export async function openArchive(blob: ArchiveSource): Promise<Archive> {
  const { entries, byName } = await readDirectory(blob)
    .then(readEntries)
    .catch((error) => {
      throw asDamage('The directory of the package', error);
    });

  /** Where the data of the entry begins; what lies there is given too, as far as `ahead` reaches. */
  async function locate(entry: ArchiveEntry, ahead: number): Promise<{ start: number; bytes: Buffer }> {
    const bytes = await blob.read(entry.offset, Math.min(entry.end - entry.offset, fixedBytes.local + ahead));
    const isLocal = bytes.length >= fixedBytes.local && bytes.readUInt32LE(0) === signatures.local;
    if (!isLocal) throw new BadRequest(`There is no header of ${quoted(entry.name)} at byte ${entry.offset}`);
    const start = entry.offset + localBytes(bytes);
    if (start + entry.compressedSize > entry.end) {
      throw new BadRequest(`${quoted(entry.name)} reaches into what follows it`);
    }
    return { start, bytes };
  }

  async function wholeOf(entry: ArchiveEntry): Promise<Buffer> {
    const { name, method, size, compressedSize } = entry;
    const { start, bytes } = await locate(entry, usualHeaderBytes + compressedSize);
    const from = start - entry.offset;
    const data =
      bytes.length >= from + compressedSize
        ? bytes.subarray(from, from + compressedSize)
        : await blob.read(start, compressedSize);
    const content = method === deflated ? await inflateWhole(name, data, size) : data;
    const count = checkedCounter(entry);
    count.add(content);
    count.end();
    return content;
  }

  async function read(entry: ArchiveEntry, maxBytes: number): Promise<Buffer> {
    if (entry.size > maxBytes) throw new TooLarge(quoted(entry.name), maxBytes);
    try {
      return await wholeOf(entry);
    } catch (error) {
      throw asDamage(quoted(entry.name), error);
    }
  }

  async function* contentOf(entry: ArchiveEntry): AsyncGenerator<Buffer> {
    try {
      const { start } = await locate(entry, usualHeaderBytes);
      const data = blob.stream({ start, end: start + entry.compressedSize });
      const content =
        entry.method === deflated ? pipeline(data, createInflateRaw({ chunkSize }), ignore) : data;
      const count = checkedCounter(entry);
      for await (const chunk of content) {
        count.add(chunk);
        yield chunk;
      }
      count.end();
    } catch (error) {
      throw asDamage(quoted(entry.name), error);
    }
  }

  return {
    entries,
    entry: (name) => byName.get(name),
    open: (entry, { signal } = {}) =>
      Readable.from(contentOf(entry), { objectMode: false, ...(signal ? { signal } : {}) }),
    read,
    raw: (start, end) => blob.stream({ start, end }),
  };
}

/** It was whole when it was checked, so a fault in it now is not the client's. Other errors stay what they are. */
function asDamage(what: string, error: unknown): unknown {
  const isFault = error instanceof BadRequest || (error instanceof Error && /^Z_/.test(codeOf(error)));
  return isFault ? new DamagedDocument(what, error) : error;
}

const codeOf = (error: Error): string => ('code' in error ? String(error.code) : '');

const chunkSize = 64 * 1024;

/** The iteration tells it. */
const ignore = () => {};

/** A local header with a long name and some extra fields: then reading a small entry takes one read. */
const usualHeaderBytes = 512;

function checkedCounter({ name, size, crc }: ArchiveEntry) {
  const count = counter((total) => {
    if (total > size) throw tooMuch(name, size);
  });
  return {
    add: (chunk: Buffer) => count.add(chunk),
    end() {
      if (count.size !== size || count.crc !== crc) {
        throw new BadRequest(`The content of ${quoted(name)} is not what its header tells: it is damaged`);
      }
    },
  };
}

interface FoundDirectory {
  readonly directory: Buffer;
  readonly count: number;
  readonly offset: number;
}

async function readEntries({ directory, count, offset }: FoundDirectory) {
  const slices = pace();
  const headers: CentralHeader[] = [];
  for (let at = 0; headers.length < count; ) {
    const header = holdsRecord(directory, at) ? parseCentral(directory, at) : undefined;
    if (!header) throw new BadRequest('The directory of the archive is damaged');
    headers.push(header);
    at += header.bytes.length;
    if (slices.due()) await slices.rest();
  }
  // Records of entries lie without a gap one behind the other, the directory after the last.
  const inFile = [...headers].sort((a, b) => a.offset - b.offset);
  const ends = new Map<CentralHeader, number>();
  for (const [i, header] of inFile.entries()) {
    ends.set(header, inFile[i + 1]?.offset ?? offset);
    if (slices.due()) await slices.rest();
  }
  const entries: ArchiveEntry[] = [];
  const byName = new Map<string, ArchiveEntry>();
  for (const header of headers) {
    const entry = { ...header, end: ends.get(header) ?? offset };
    entries.push(entry);
    byName.set(entry.name, entry);
    if (slices.due()) await slices.rest();
  }
  return { entries, byName };
}

const holdsRecord = (directory: Buffer, at: number): boolean =>
  at + fixedBytes.central <= directory.length &&
  directory.readUInt32LE(at) === signatures.central &&
  at + centralBytes(directory, at) <= directory.length;

async function readDirectory(blob: ArchiveSource): Promise<FoundDirectory> {
  const tailBytes = Math.min(blob.size, fixedBytes.end + mask16 + fixedBytes.zip64Locator);
  const tailOffset = blob.size - tailBytes;
  const tail = await blob.read(tailOffset, tailBytes);
  const at = endRecordAt(tail);
  const end = parseEnd(tail.subarray(at));
  const isMasked = end.entries === mask16 || end.directoryBytes === mask32 || end.directoryOffset === mask32;
  const locatorAt = at - fixedBytes.zip64Locator;
  const hasLocator = isMasked && locatorAt >= 0 && tail.readUInt32LE(locatorAt) === signatures.zip64Locator;
  const { entries, directoryBytes, directoryOffset } = hasLocator
    ? parseZip64End(await blob.read(zip64EndOffset(tail.subarray(locatorAt)), fixedBytes.zip64End))
    : end;
  if (directoryOffset + directoryBytes > blob.size)
    throw new BadRequest('The archive ends before its directory');
  // Mostly it is in memory already.
  const directory =
    directoryOffset >= tailOffset
      ? tail.subarray(directoryOffset - tailOffset, directoryOffset - tailOffset + directoryBytes)
      : await blob.read(directoryOffset, directoryBytes);
  return { directory, count: entries, offset: directoryOffset };
}

/** The only place where an end record with a comment reaches exactly to the end of the file. */
function endRecordAt(tail: Buffer): number {
  for (let at = tail.length - fixedBytes.end; at >= 0; at--) {
    if (tail.readUInt32LE(at) !== signatures.end) continue;
    if (at + fixedBytes.end + tail.readUInt16LE(at + 20) === tail.length) return at;
  }
  throw new BadRequest('This is not a zip archive, or it is truncated: it has no end record');
}
