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
    const start = await bytes.peek(fixedBytes.local);
    const signature = start.length < 4 ? undefined : start.readUInt32LE(0);
    if (signature !== signatures.local) {
      if (signature === signatures.central || isEnd(signature)) return { entries, inflatedBytes };
      throw unexpected(signature, offset, last, start.length);
    }
    if (start.length < fixedBytes.local) throw truncated(last ?? 'the first entry');
    const recordBytes = localBytes(start);
    const record = await bytes.take(recordBytes);
    if (record.length < recordBytes) throw truncated(last ?? 'the first entry');
    const header = parseLocal(record);
    if (entries.size === limits.maxEntries) throw tooManyEntries(limits);
    names.add(header.name);
    const held = names.heldBytes + entries.size * entryBytes;
    if (held > memory.granted) await memory.grow(held);
    const content = await readContent(bytes, header, limits, inflatedBytes);
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

async function readContent(
  bytes: Bytes,
  header: LocalHeader,
  limits: ArchiveLimits,
  inflatedBefore: number,
): Promise<Content> {
  const { name, method, hasDescriptor, compressedSize, size } = header;
  // Sizes may be told twice, in front and behind; zero in front says nothing then.
  const isOpen = hasDescriptor && compressedSize === 0 && size === 0;
  const onInflated = inflatedLimit(header, isOpen, limits, inflatedBefore);
  if (!isOpen) onInflated(size);

  const content =
    method === deflated
      ? await inflateContent(bytes, header, isOpen, onInflated)
      : await readStored(bytes, name, compressedSize, onInflated);
  if (isOpen) checkRatio(name, content, limits);
  else checkContent(header, content);
  if (hasDescriptor) await checkDescriptor(bytes, header, content);
  return content;
}

async function inflateContent(
  bytes: Bytes,
  header: LocalHeader,
  isOpen: boolean,
  onInflated: OnInflated,
): Promise<Content> {
  const { name, compressedSize } = header;
  if (isOpen) {
    return (await inflateNear(bytes, onInflated)) ?? inflateArriving(bytes, name, undefined, onInflated);
  }
  return isSmall(header)
    ? inflateSmall(bytes, header)
    : inflateArriving(bytes, name, compressedSize, onInflated);
}

/** Called with the size that is claimed, and then with what was inflated so far. */
function inflatedLimit(
  { name, compressedSize, size }: LocalHeader,
  isOpen: boolean,
  limits: ArchiveLimits,
  inflatedBefore: number,
): OnInflated {
  const { maxInflatedBytes, maxRatio, ratioFreeBytes } = limits;
  const left = maxInflatedBytes - inflatedBefore;
  const claimed = isOpen ? Number.POSITIVE_INFINITY : size;
  const byRatio = isOpen ? Number.POSITIVE_INFINITY : Math.max(ratioFreeBytes, compressedSize * maxRatio);
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
