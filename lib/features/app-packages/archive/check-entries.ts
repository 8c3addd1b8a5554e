import { BadRequest } from '../../../model/errors.js';
import { timeSlice } from '../../../runtime/event-loop.js';
import type { Bytes } from './bytes.js';
import type { CheckReservation } from './check-capacity.js';
import {
  type Content,
  inflateArriving,
  inflateNear,
  inflateSmall,
  isSmall,
  type OnInflated,
  readStored,
  summed,
  tooMuch,
  truncated,
} from './content.js';
import type { ArchiveLimits } from './limits.js';
import { archiveNames } from './names.js';
import {
  deflated,
  fixedBytes,
  type LocalHeader,
  localBytes,
  parseLocal,
  quoted,
  signatures,
} from './records.js';

/** An entry whose data was read and found to be as its local header told. */
export interface ReadEntry extends Content {
  readonly name: string;
  readonly method: number;
}

/** By the offset of their local headers, in the order of the file. */
export type Entries = Map<number, ReadEntry>;

/** Until something else than an entry begins, which is the directory or a fault. */
export async function checkEntries(
  bytes: Bytes,
  limits: ArchiveLimits,
  memory: CheckReservation,
): Promise<{ entries: Entries; inflatedBytes: number }> {
  const entries: Entries = new Map();
  const names = archiveNames(limits);
  const slice = timeSlice();
  let inflatedBytes = 0;
  let last: string | undefined;
  for (;;) {
    const offset = bytes.position;
    const start = bytes.near(fixedBytes.local) ?? (await bytes.peek(fixedBytes.local));
    const signature = start.length < 4 ? undefined : start.readUInt32LE(0);
    if (signature !== signatures.local) {
      if (signature === signatures.central || isEnd(signature)) return { entries, inflatedBytes };
      throw unexpected(signature, offset, last, start.length);
    }
    if (start.length < fixedBytes.local) throw truncated(last ?? 'the first entry');
    const recordBytes = localBytes(start);
    const record = bytes.near(recordBytes) ?? (await bytes.peek(recordBytes));
    if (record.length < recordBytes) throw truncated(last ?? 'the first entry');
    const header = parseLocal(record);
    bytes.skip(recordBytes);
    if (entries.size === limits.maxEntries) throw tooManyEntries(limits);
    names.add(header.name);
    const held = names.heldBytes + entries.size * entryBytes;
    if (held > memory.granted) await memory.grow(held);
    const onInflated = inflatedLimit(header, limits, inflatedBytes);
    // Most entries are small and there already: they cost no promise.
    const content =
      contentAtHand(bytes, header, onInflated) ?? (await readContent(bytes, header, limits, onInflated));
    inflatedBytes += content.size;
    entries.set(offset, { name: header.name, method: header.method, ...content });
    last = header.name;
    if (slice.isOver()) await slice.next();
  }
}

/** What V8 takes for what is remembered of an entry besides its name. */
const entryBytes = 160;

const isEnd = (signature: number | undefined) =>
  signature === signatures.end || signature === signatures.zip64End;

const tooManyEntries = ({ maxEntries }: ArchiveLimits) =>
  new BadRequest('ARCHIVE_LIMIT', `The archive has more than ${maxEntries} entries`);

function unexpected(
  signature: number | undefined,
  offset: number,
  last: string | undefined,
  available: number,
): BadRequest {
  if (last === undefined) {
    return new BadRequest(
      'NOT_AN_ARCHIVE',
      available === 0 ? 'The body is empty; send a zip archive' : 'This is not a zip archive',
    );
  }
  if (signature === undefined) {
    return new BadRequest(
      'ARCHIVE_TRUNCATED',
      `The archive ends after ${quoted(last)}, without a directory: it is truncated`,
    );
  }
  return new BadRequest(
    'ARCHIVE_DAMAGED',
    `The bytes at ${offset}, after ${quoted(last)}, belong to no entry`,
  );
}

/** Sizes may be told twice, in front and behind; zero in front says nothing then. */
const isOpen = ({ hasDescriptor, compressedSize, size }: LocalHeader): boolean =>
  hasDescriptor && compressedSize === 0 && size === 0;

/** Of an entry that tells its sizes in front and has nothing behind its data; nothing is taken of another one. */
function contentAtHand(bytes: Bytes, header: LocalHeader, onInflated: OnInflated): Content | undefined {
  if (header.hasDescriptor || !isSmall(header)) return undefined;
  const data = bytes.near(header.compressedSize);
  if (!data) return undefined;
  onInflated(header.size);
  const content = header.method === deflated ? inflateSmall(data, header) : summed(data, onInflated);
  bytes.skip(data.length);
  checkContent(header, content);
  return content;
}

async function readContent(
  bytes: Bytes,
  header: LocalHeader,
  limits: ArchiveLimits,
  onInflated: OnInflated,
): Promise<Content> {
  const { name, method, hasDescriptor, compressedSize, size } = header;
  if (!isOpen(header)) onInflated(size);
  const content =
    method === deflated
      ? await inflateContent(bytes, header, onInflated)
      : await readStored(bytes, name, compressedSize, onInflated);
  if (isOpen(header)) checkRatio(name, content, limits);
  else checkContent(header, content);
  if (hasDescriptor) await checkDescriptor(bytes, header, content);
  return content;
}

async function inflateContent(bytes: Bytes, header: LocalHeader, onInflated: OnInflated): Promise<Content> {
  const { name, compressedSize } = header;
  if (isOpen(header)) {
    return (await inflateNear(bytes, onInflated)) ?? inflateArriving(bytes, name, undefined, onInflated);
  }
  if (!isSmall(header)) return inflateArriving(bytes, name, compressedSize, onInflated);
  const data = await bytes.take(compressedSize);
  if (data.length < compressedSize) throw truncated(name);
  return inflateSmall(data, header);
}

/** Called with the size that is claimed, and then with what was inflated so far. */
function inflatedLimit(header: LocalHeader, limits: ArchiveLimits, inflatedBefore: number): OnInflated {
  const { name, compressedSize, size } = header;
  const { maxInflatedBytes, maxRatio, ratioFreeBytes } = limits;
  const left = maxInflatedBytes - inflatedBefore;
  const claimed = isOpen(header) ? Number.POSITIVE_INFINITY : size;
  const byRatio = isOpen(header)
    ? Number.POSITIVE_INFINITY
    : Math.max(ratioFreeBytes, compressedSize * maxRatio);
  return (inflated) => {
    if (inflated > claimed) throw tooMuch(name, claimed);
    if (inflated > byRatio) throw bomb(name, maxRatio);
    if (inflated > left) {
      throw new BadRequest(
        'ARCHIVE_LIMIT',
        `With ${quoted(name)} the archive inflates to more than the limit of ${maxInflatedBytes} bytes`,
      );
    }
  };
}

const bomb = (name: string, maxRatio: number) =>
  new BadRequest('ARCHIVE_LIMIT', `${quoted(name)} inflates to more than ${maxRatio} times its size`);

function checkRatio(name: string, { size, compressedSize }: Content, limits: ArchiveLimits): void {
  if (size > limits.ratioFreeBytes && size > compressedSize * limits.maxRatio)
    throw bomb(name, limits.maxRatio);
}

function checkContent({ name, hasDescriptor, ...claimed }: LocalHeader, content: Content): void {
  if (claimed.size !== content.size || claimed.compressedSize !== content.compressedSize) {
    throw new BadRequest(
      'ARCHIVE_DAMAGED',
      `${quoted(name)} has ${content.compressedSize} bytes that inflate to ${content.size}; its header tells ${claimed.compressedSize} and ${claimed.size}`,
    );
  }
  if (!hasDescriptor || claimed.crc !== 0) checkSum(name, claimed.crc, content.crc);
}

function checkSum(name: string, claimed: number, crc: number): void {
  if (claimed !== crc)
    throw new BadRequest(
      'ARCHIVE_DAMAGED',
      `The checksum (CRC-32) of ${quoted(name)} is wrong: it is damaged`,
    );
}

/** With or without a signature, with sizes of 4 or of 8 bytes: nothing tells which, but that it must fit. */
async function checkDescriptor(bytes: Bytes, { name, method }: LocalHeader, content: Content): Promise<void> {
  const found = await bytes.peek(28);
  const length = descriptorForms(content).find(
    (form) => found.subarray(0, form.length).equals(form) && isRecordAt(found, form.length),
  )?.length;
  if (length !== undefined) return bytes.skip(length);
  if (found.length < 28) throw truncated(name);
  if (found.readUInt32LE(0) === signatures.descriptor) checkSum(name, found.readUInt32LE(4), content.crc);
  throw method === deflated
    ? new BadRequest(
        'ARCHIVE_DAMAGED',
        `The sizes that follow the data of ${quoted(name)} are not those of the data`,
      )
    : new BadRequest(
        'ARCHIVE_NOT_SUPPORTED',
        `${quoted(name)} is stored with its size behind it, so where it ends can't be told; make the archive with sizes in front`,
      );
}

function descriptorForms({ crc, compressedSize, size }: Content): Buffer[] {
  const signature = Buffer.alloc(4);
  signature.writeUInt32LE(signatures.descriptor);
  const sum = Buffer.alloc(4);
  sum.writeUInt32LE(crc);
  const wide = Buffer.alloc(16);
  wide.writeBigUInt64LE(BigInt(compressedSize));
  wide.writeBigUInt64LE(BigInt(size), 8);
  const narrow = Buffer.concat([wide.subarray(0, 4), wide.subarray(8, 12)]);
  const fits = size <= 0xffffffff && compressedSize <= 0xffffffff;
  return [...(fits ? [narrow] : []), wide].flatMap((sizes) => [
    Buffer.concat([signature, sum, sizes]),
    Buffer.concat([sum, sizes]),
  ]);
}

/** All records begin with the same two letters. */
const isRecordAt = (buffer: Buffer, at: number) => buffer[at] === 0x50 && buffer[at + 1] === 0x4b;
