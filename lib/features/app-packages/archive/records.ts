import { isUtf8 } from 'node:buffer';
import { crc32 } from 'node:zlib';
import { BadRequest } from '../../../model/errors.js';

// The records of a zip file (APPNOTE.TXT 4.3), read from whole buffers. One parser for everything: the check, the reader
// and the writer see the same archive. Numbers are little-endian.

export const signatures = {
  local: 0x04034b50,
  descriptor: 0x08074b50,
  central: 0x02014b50,
  zip64End: 0x06064b50,
  zip64Locator: 0x07064b50,
  end: 0x06054b50,
} as const;

/** Bytes of the records without what varies. */
export const fixedBytes = { local: 30, central: 46, zip64End: 56, zip64Locator: 20, end: 22 } as const;

export const stored = 0;
export const deflated = 8;

/** Stands in a 32-bit field for "look into the zip64 field". */
export const mask32 = 0xffffffff;
export const mask16 = 0xffff;
const zip64Field = 0x0001;
const unicodePathField = 0x7075;

const flagBits = { encrypted: 0x2041, descriptor: 0x0008, patch: 0x0020 };

/** What both headers of an entry tell. */
interface Header {
  readonly name: string;
  readonly method: number;
  readonly crc: number;
  readonly compressedSize: number;
  readonly size: number;
}

export interface LocalHeader extends Header {
  /** Checksum and sizes may follow the data, and then be zero here. */
  readonly hasDescriptor: boolean;
}

export interface CentralHeader extends Header {
  /** Where the local header begins. */
  readonly offset: number;
  /** File type and permission bits as Unix has them; 0 when the archive was made without. */
  readonly unixMode: number;
  readonly isDosDirectory: boolean;
  /** The record as it is in the file. */
  readonly bytes: Buffer;
}

/** Bytes of a local header with its name and its extra fields. */
export const localBytes = (fixed: Buffer): number =>
  fixedBytes.local + fixed.readUInt16LE(26) + fixed.readUInt16LE(28);

/** Bytes of a record of the central directory with all that varies. */
export const centralBytes = (buffer: Buffer, at = 0): number =>
  fixedBytes.central +
  buffer.readUInt16LE(at + 28) +
  buffer.readUInt16LE(at + 30) +
  buffer.readUInt16LE(at + 32);

export function parseLocal(record: Buffer): LocalHeader {
  const nameEnd = fixedBytes.local + record.readUInt16LE(26);
  const name = decodeName(record.subarray(fixedBytes.local, nameEnd));
  const flags = checkedFlags(record.readUInt16LE(6), name);
  const method = checkedMethod(record.readUInt16LE(8), name);
  let compressedSize = record.readUInt32LE(18);
  let size = record.readUInt32LE(22);
  if (record.length > nameEnd) {
    const fields = record.subarray(nameEnd);
    checkUnicodePath(fields, record.subarray(fixedBytes.local, nameEnd), name);
    const wide = wideNumbers(fields, [size === mask32, compressedSize === mask32], name);
    size = wide[0] ?? size;
    compressedSize = wide[1] ?? compressedSize;
  } else if (size === mask32 || compressedSize === mask32) throw missingZip64(name);
  const crc = record.readUInt32LE(14);
  return { name, method, crc, compressedSize, size, hasDescriptor: (flags & flagBits.descriptor) !== 0 };
}

/** The record that begins at `at`; `buffer` must hold it whole. */
export function parseCentral(buffer: Buffer, at = 0): CentralHeader {
  const bytes = buffer.subarray(at, at + centralBytes(buffer, at));
  const nameEnd = fixedBytes.central + bytes.readUInt16LE(28);
  const extraEnd = nameEnd + bytes.readUInt16LE(30);
  const name = decodeName(bytes.subarray(fixedBytes.central, nameEnd));
  checkedFlags(bytes.readUInt16LE(8), name);
  const method = checkedMethod(bytes.readUInt16LE(10), name);
  let compressedSize = bytes.readUInt32LE(20);
  let size = bytes.readUInt32LE(24);
  let offset = bytes.readUInt32LE(42);
  const disk = bytes.readUInt16LE(34);
  if (disk !== 0 && disk !== mask16)
    throw new BadRequest('ARCHIVE_NOT_SUPPORTED', `${quoted(name)} is on another volume of the archive`);
  if (extraEnd > nameEnd) {
    const fields = bytes.subarray(nameEnd, extraEnd);
    checkUnicodePath(fields, bytes.subarray(fixedBytes.central, nameEnd), name);
    const wide = wideNumbers(fields, [size === mask32, compressedSize === mask32, offset === mask32], name);
    size = wide[0] ?? size;
    compressedSize = wide[1] ?? compressedSize;
    offset = wide[2] ?? offset;
  } else if (size === mask32 || compressedSize === mask32 || offset === mask32) throw missingZip64(name);
  return {
    name,
    method,
    crc: bytes.readUInt32LE(16),
    compressedSize,
    size,
    offset,
    unixMode: bytes.readUInt16LE(40),
    isDosDirectory: (bytes.readUInt8(38) & 0x10) !== 0,
    bytes,
  };
}

/** The record of a central header without its zip64 field: the parts around what a writer puts there anew. */
export function centralParts(bytes: Buffer): { name: Buffer; extra: Buffer; comment: Buffer } {
  const nameEnd = fixedBytes.central + bytes.readUInt16LE(28);
  const extraEnd = nameEnd + bytes.readUInt16LE(30);
  const kept: Buffer[] = [];
  for (const { id, start, end } of extraFields(bytes.subarray(nameEnd, extraEnd))) {
    if (id !== zip64Field) kept.push(bytes.subarray(nameEnd + start - 4, nameEnd + end));
  }
  return {
    name: bytes.subarray(fixedBytes.central, nameEnd),
    extra: kept.length === 0 ? nothing : Buffer.concat(kept),
    comment: bytes.subarray(extraEnd),
  };
}

const nothing = Buffer.alloc(0);

/** Where the central directory is, as the records at the end of the file tell. */
export interface End {
  readonly entries: number;
  readonly directoryBytes: number;
  readonly directoryOffset: number;
}

interface Zip64End extends End {
  readonly recordBytes: number;
}

export const parseEnd = (record: Buffer): End & { commentBytes: number; disks: number } => ({
  disks: record.readUInt16LE(4) | record.readUInt16LE(6),
  entries: record.readUInt16LE(10),
  directoryBytes: record.readUInt32LE(12),
  directoryOffset: record.readUInt32LE(16),
  commentBytes: record.readUInt16LE(20),
});

export function parseZip64End(record: Buffer): Zip64End {
  return {
    recordBytes: readSize(record, 4) + 12,
    entries: readSize(record, 32),
    directoryBytes: readSize(record, 40),
    directoryOffset: readSize(record, 48),
  };
}

/** Of a zip64 locator: where the zip64 end record begins. */
export const zip64EndOffset = (locator: Buffer): number => readSize(locator, 8);

/** Numbers beyond 2^53 are no honest sizes; they come out as infinite and match nothing. */
function readSize(buffer: Buffer, at: number): number {
  const high = buffer.readUInt32LE(at + 4);
  return high > 0x1fffff ? Number.POSITIVE_INFINITY : high * 0x1_0000_0000 + buffer.readUInt32LE(at);
}

/** For messages: as JSON writes it, so that control characters show. */
export const quoted = (name: string): string => JSON.stringify(name);

/** Whether the flag for UTF-8 is set or not: many writers forget it, and all others agree on ASCII. */
function decodeName(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString();
  throw new BadRequest(
    'ARCHIVE_ENTRY_REFUSED',
    `The name ${quoted(bytes.toString('latin1'))} is not UTF-8; make the archive with a tool that writes UTF-8 names`,
  );
}

function checkedFlags(flags: number, name: string): number {
  if (flags & flagBits.encrypted)
    throw new BadRequest('ARCHIVE_NOT_SUPPORTED', `${quoted(name)} is encrypted; packages must be readable`);
  if (flags & flagBits.patch)
    throw new BadRequest('ARCHIVE_NOT_SUPPORTED', `${quoted(name)} is a patch of another file, not a file`);
  return flags;
}

function checkedMethod(method: number, name: string): number {
  if (method === stored || method === deflated) return method;
  throw new BadRequest(
    'ARCHIVE_NOT_SUPPORTED',
    method === 99
      ? `${quoted(name)} is encrypted; packages must be readable`
      : `${quoted(name)} is compressed by method ${method}; only stored (0) and deflated (8) entries can be read`,
  );
}

interface ExtraField {
  readonly id: number;
  /** Of its data, without the four bytes of id and length. */
  readonly start: number;
  readonly end: number;
}

function extraFields(buffer: Buffer): ExtraField[] {
  const fields: ExtraField[] = [];
  // What is too short for a field is padding, as alignment tools leave it.
  for (let at = 0; at + 4 <= buffer.length; ) {
    const start = at + 4;
    const end = start + buffer.readUInt16LE(at + 2);
    if (end > buffer.length) break;
    fields.push({ id: buffer.readUInt16LE(at), start, end });
    at = end;
  }
  return fields;
}

const missingZip64 = (name: string) =>
  new BadRequest('ARCHIVE_DAMAGED', `${quoted(name)} lacks the zip64 sizes that its header points to`);

/** The numbers of the zip64 field, for those that are `wanted`; it holds no others (APPNOTE 4.5.3). */
function wideNumbers(
  extra: Buffer,
  wanted: readonly boolean[],
  name: string,
): readonly (number | undefined)[] {
  if (!wanted.includes(true)) return [];
  const [field, second] = extraFields(extra).filter(({ id }) => id === zip64Field);
  if (!field) throw missingZip64(name);
  if (second) throw new BadRequest('ARCHIVE_DAMAGED', `${quoted(name)} has two zip64 fields`);
  let at = field.start;
  return wanted.map((is) => {
    if (!is) return undefined;
    if (at + 8 > field.end) throw missingZip64(name);
    at += 8;
    return readSize(extra, at - 8);
  });
}

/** Some readers take the name from this field (Info-ZIP), so it must not be another one. */
function checkUnicodePath(extra: Buffer, rawName: Buffer, name: string): void {
  for (const { id, start, end } of extraFields(extra)) {
    if (id !== unicodePathField) continue;
    const field = extra.subarray(start, end);
    const applies = field.length > 5 && field[0] === 1 && field.readUInt32LE(1) === crc32(rawName);
    if (applies && !field.subarray(5).equals(rawName)) {
      throw new BadRequest(
        'ARCHIVE_ENTRY_REFUSED',
        `${quoted(name)} has a second name, ${quoted(field.toString('utf8', 5))}`,
      );
    }
  }
}
