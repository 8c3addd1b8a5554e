import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { crc32, deflateRaw } from 'node:zlib';
import { BadRequest, TooLarge } from '../../../model/errors.js';
import { timeSlice } from '../../../runtime/event-loop.js';
import { owned } from '../../../runtime/owned.js';
import { withDirectories } from './directories.js';
import { type ArchiveLimits, defaultArchiveLimits } from './limits.js';
import { archiveNames } from './names.js';
import { type ArchivePart, nameOf } from './part.js';
import type { CopyableArchive, CopyableEntry } from './reader.js';
import {
  centralRecord,
  endRecords,
  type NewEntry,
  type NewRecord,
  newEntry,
  newRecord,
} from './written-records.js';

interface WriteOptions {
  readonly limits?: Partial<ArchiveLimits>;
  /** Checked at each part; whoever consumes the stream destroys it on abort. */
  readonly signal?: AbortSignal;
}

/**
 * The bytes of a new archive, made as fast as they are consumed; directories that have no part get an entry. The same parts give the same bytes. Fails with
 * `BadRequest` or `TooLarge` over the limits and where names collide; the archives must have been checked, and stay open meanwhile.
 */
export const writeArchive = (parts: readonly ArchivePart[], options: WriteOptions = {}): Readable =>
  owned(Readable.from(archiveBytes(parts, options), { objectMode: false, highWaterMark: oneChunk }));

/** Read ahead; of more than one chunk a stream makes one buffer again. */
const oneChunk = 1;

async function* archiveBytes(parts: readonly ArchivePart[], options: WriteOptions): AsyncGenerator<Buffer> {
  await checkParts(parts, { ...defaultArchiveLimits, ...options.limits });
  const slice = timeSlice();
  const placed: Placed[] = [];
  let position = 0;
  for (const run of runsOf(await withDirectories(parts))) {
    options.signal?.throwIfAborted();
    if ('content' in run) {
      const entry = await compressed(run);
      placed.push({ entry, offset: position });
      yield entry.local;
      yield entry.data;
      position += entry.local.length + entry.data.length;
    } else if ('stored' in run) {
      const { name, modified, stored } = run;
      const { size, crc } = stored;
      const entry = newRecord({ name, modified, size, crc, compressedSize: size, isDeflated: false });
      placed.push({ entry, offset: position });
      yield entry.local;
      for await (const chunk of stored.open()) yield chunk;
      position += entry.local.length + size;
    } else {
      for (const entry of run.entries) {
        placed.push({ entry, offset: position + entry.offset - run.start });
        if (slice.isOver()) await slice.next();
      }
      for await (const chunk of run.from.raw(run.start, run.end)) yield chunk;
      position += run.end - run.start;
    }
  }
  yield* directoryBytes(placed, position);
}

/** Names as the check takes them, and no more than it takes. */
async function checkParts(parts: readonly ArchivePart[], limits: ArchiveLimits): Promise<void> {
  if (parts.length > limits.maxEntries)
    throw new BadRequest('ARCHIVE_LIMIT', `The archive would have more than ${limits.maxEntries} entries`);
  const names = archiveNames(limits);
  const slice = timeSlice();
  let inflated = 0;
  let bytes = 0;
  for (const part of parts) {
    names.add(nameOf(part));
    inflated += 'entry' in part ? part.entry.size : newBytes(part);
    bytes += 'entry' in part ? recordBytes(part) : newBytes(part);
    if (slice.isOver()) await slice.next();
  }
  if (bytes > limits.maxBytes) throw new TooLarge('The package', limits.maxBytes);
  if (inflated > limits.maxInflatedBytes) {
    throw new BadRequest(
      'ARCHIVE_LIMIT',
      `The archive would inflate to more than ${limits.maxInflatedBytes} bytes`,
    );
  }
}

type NewPart = Exclude<ArchivePart, { entry: unknown }>;
const newBytes = (part: NewPart): number => ('content' in part ? part.content.length : part.stored.size);

const recordBytes = ({ from, entry }: Extract<ArchivePart, { entry: unknown }>): number =>
  from.endOf(entry) - entry.offset + entry.bytes.length;

interface Placed {
  readonly entry: CopyableEntry | NewRecord;
  readonly offset: number;
}

interface Run {
  readonly from: CopyableArchive;
  readonly entries: CopyableEntry[];
  readonly start: number;
  end: number;
}

/** Neighbours in an archive that stay neighbours are copied at once. */
function* runsOf(parts: readonly ArchivePart[]): Generator<Run | NewPart> {
  let run: Run | undefined;
  for (const part of parts) {
    if (!('entry' in part)) {
      if (run) yield run;
      run = undefined;
      yield part;
    } else if (run && run.from === part.from && run.end === part.entry.offset) {
      run.entries.push(part.entry);
      run.end = part.from.endOf(part.entry);
    } else {
      if (run) yield run;
      const { from, entry } = part;
      run = { from, entries: [entry], start: entry.offset, end: from.endOf(entry) };
    }
  }
  if (run) yield run;
}

const deflate = promisify(deflateRaw);

async function compressed(part: Extract<ArchivePart, { content: Buffer }>): Promise<NewEntry> {
  const data = await deflate(part.content);
  const isSmaller = data.length < part.content.length;
  return newEntry({
    name: part.name,
    modified: part.modified,
    size: part.content.length,
    crc: crc32(part.content),
    data: isSmaller ? data : part.content,
    isDeflated: isSmaller,
  });
}

const batchBytes = 64 * 1024;

async function* directoryBytes(placed: readonly Placed[], offset: number): AsyncGenerator<Buffer> {
  const slice = timeSlice();
  let batch: Buffer[] = [];
  let held = 0;
  let written = 0;
  for (const { entry, offset } of placed) {
    const record = centralRecord(entry, offset);
    batch.push(record);
    held += record.length;
    if (slice.isOver()) await slice.next();
    if (held < batchBytes) continue;
    yield Buffer.concat(batch);
    written += held;
    batch = [];
    held = 0;
  }
  batch.push(endRecords({ entries: placed.length, directoryOffset: offset, directoryBytes: written + held }));
  yield Buffer.concat(batch);
}
