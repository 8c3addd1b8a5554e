import type { Blob } from '../../../interfaces/storage.js';
import { BadRequest } from '../../../model/errors.js';
import { timeSlice } from '../../../runtime/event-loop.js';
import {
  type CentralHeader,
  centralBytes,
  fixedBytes,
  mask16,
  mask32,
  parseCentral,
  parseEnd,
  parseZip64End,
  signatures,
  zip64EndOffset,
} from './records.js';

/** Where the bytes of an archive are. */
export type ArchiveSource = Pick<Blob, 'size' | 'read' | 'stream'>;

/** Where the directory of an archive is, by its end records. */
export interface FoundDirectory {
  readonly count: number;
  readonly offset: number;
  readonly bytes: number;
  /** The end of the archive, which may hold the directory already, from this offset on. */
  readonly tail: { readonly bytes: Buffer; readonly offset: number };
}

/** What is kept of an entry: without its record it can be read, with it it can also be copied. */
export type ArchiveEntry = Omit<CentralHeader, 'bytes'>;
export type CopyableEntry = CentralHeader;

/** The entries of an archive, or those of them that were wanted. */
export interface EntryList<E extends ArchiveEntry = ArchiveEntry> {
  /** In the order of the directory; those of directories end in `/`. */
  readonly entries: readonly E[];
  /** By its exact name. */
  entry(name: string): E | undefined;
  /** Where the next record of the file begins: all of this entry is in between. */
  endOf(entry: ArchiveEntry): number;
}

export interface DirectoryLimits {
  /** Bytes. Default: as many as the archive has. */
  readonly maxDirectoryBytes?: number;
  /** Entries, wanted or not. Default: as many as there are. */
  readonly maxEntries?: number;
  /** Entries that are wanted. Default: as many as there are. */
  readonly maxWanted?: number;
}

/** Reads the end of the archive and nothing else. Rejects with `BadRequest` when it is none. */
export async function findDirectory(
  source: ArchiveSource,
  limits: DirectoryLimits = {},
): Promise<FoundDirectory> {
  const tailBytes = Math.min(source.size, fixedBytes.end + mask16 + fixedBytes.zip64Locator);
  const tailOffset = source.size - tailBytes;
  const tail = await source.read(tailOffset, tailBytes);
  const at = endRecordAt(tail);
  const end = parseEnd(tail.subarray(at));
  const isMasked = end.entries === mask16 || end.directoryBytes === mask32 || end.directoryOffset === mask32;
  const locatorAt = at - fixedBytes.zip64Locator;
  const hasLocator = isMasked && locatorAt >= 0 && tail.readUInt32LE(locatorAt) === signatures.zip64Locator;
  const { entries, directoryBytes, directoryOffset } = hasLocator
    ? parseZip64End(await source.read(zip64EndOffset(tail.subarray(locatorAt)), fixedBytes.zip64End))
    : end;
  const { maxDirectoryBytes = source.size, maxEntries = entries } = limits;
  if (directoryOffset + directoryBytes > source.size)
    throw new BadRequest('ARCHIVE_TRUNCATED', 'The archive ends before its directory');
  if (directoryBytes > maxDirectoryBytes) throw new BadRequest('ARCHIVE_LIMIT', 'Its directory is too large');
  if (entries > maxEntries) throw new BadRequest('ARCHIVE_LIMIT', `It has more than ${maxEntries} entries`);
  if (entries * fixedBytes.central > directoryBytes) throw damaged();
  return {
    count: entries,
    offset: directoryOffset,
    bytes: directoryBytes,
    tail: { bytes: tail, offset: tailOffset },
  };
}

/** The only place where an end record with a comment reaches exactly to the end of the file. */
function endRecordAt(tail: Buffer): number {
  for (let at = tail.length - fixedBytes.end; at >= 0; at--) {
    if (tail.readUInt32LE(at) !== signatures.end) continue;
    if (at + fixedBytes.end + tail.readUInt16LE(at + 20) === tail.length) return at;
  }
  throw new BadRequest(
    'NOT_AN_ARCHIVE',
    'This is not a zip archive, or it is truncated: it has no end record',
  );
}

/** The archive is good; only what is asked for is too much. */
export class TooManyWanted extends BadRequest {}

const damaged = () => new BadRequest('ARCHIVE_DAMAGED', 'The directory of the archive is damaged');

/** More than the longest record has, so each is whole in a piece. */
const pieceBytes = 256 * 1024;

/**
 * Reads a directory piece by piece, so that no more of it is in memory than what `kept` makes of its entries; nothing of
 * an entry for which that is `undefined`. Rejects with `BadRequest` when it is damaged.
 */
export async function readEntries<E extends ArchiveEntry>(
  source: ArchiveSource,
  { count, offset, bytes, tail }: FoundDirectory,
  kept: (header: CentralHeader) => E | undefined,
  { maxWanted = count, signal }: Pick<DirectoryLimits, 'maxWanted'> & { signal?: AbortSignal } = {},
): Promise<EntryList<E>> {
  const slice = timeSlice();
  const starts = new Float64Array(count);
  let areSorted = true;
  const entries: E[] = [];
  const byName = new Map<string, E>();
  let piece = offset < tail.offset ? { bytes: nothing, offset } : tail;
  let at = offset;
  for (let seen = 0; seen < count; seen++) {
    if (!holdsRecord(piece.bytes, at - piece.offset)) {
      signal?.throwIfAborted();
      piece = { bytes: await source.read(at, Math.min(pieceBytes, offset + bytes - at)), offset: at };
      if (!holdsRecord(piece.bytes, 0)) throw damaged();
    }
    const header = parseCentral(piece.bytes, at - piece.offset);
    at += header.bytes.length;
    areSorted &&= seen === 0 || header.offset >= (starts[seen - 1] ?? 0);
    starts[seen] = header.offset;
    const entry = kept(header);
    if (entry) {
      if (entries.length === maxWanted)
        throw new TooManyWanted(
          'PACKAGE_LIMIT',
          `The package has more than ${maxWanted} files that a gateway reads`,
        );
      entries.push(entry);
      byName.set(entry.name, entry);
    }
    if (slice.isOver()) await slice.next();
  }
  if (!areSorted) starts.sort();
  return {
    entries,
    entry: (name) => byName.get(name),
    endOf: (entry) => firstAfter(starts, entry.offset) ?? offset,
  };
}

const nothing: Buffer = Buffer.alloc(0);

const holdsRecord = (directory: Buffer, at: number): boolean =>
  at + fixedBytes.central <= directory.length &&
  directory.readUInt32LE(at) === signatures.central &&
  at + centralBytes(directory, at) <= directory.length;

/** Records of entries lie without a gap one behind the other, the directory after the last. */
function firstAfter(starts: Float64Array, start: number): number | undefined {
  let [low, high] = [0, starts.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((starts[middle] ?? 0) > start) high = middle;
    else low = middle + 1;
  }
  return starts[low];
}
