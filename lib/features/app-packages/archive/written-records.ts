import {
  type CentralHeader,
  centralParts,
  deflated,
  type End,
  fixedBytes,
  mask16,
  mask32,
  signatures,
  stored,
} from './records.js';

/** Of an entry that comes from no other archive. */
export interface NewRecord {
  /** As it stands before the data. */
  readonly local: Buffer;
  /** What the directory tells of it, but for its place. */
  readonly bytes: Buffer;
  readonly size: number;
  readonly compressedSize: number;
}

export interface NewEntry extends NewRecord {
  readonly data: Buffer;
}

interface NewFile {
  readonly name: string;
  readonly modified: Date;
  readonly size: number;
  readonly compressedSize: number;
  readonly crc: number;
  readonly isDeflated: boolean;
}

const version = { plain: 20, zip64: 45 };
const utf8Flag = 0x0800;
const madeByUnix = 3 << 8;
const regularFile = 0o100644;
const directory = 0o40755;
const dosDirectory = 0x10;

export const newEntry = ({
  data,
  ...file
}: Omit<NewFile, 'compressedSize'> & { readonly data: Buffer }): NewEntry => ({
  ...newRecord({ ...file, compressedSize: data.length }),
  data,
});

export function newRecord({ name, modified, size, compressedSize, crc, isDeflated }: NewFile): NewRecord {
  const nameBytes = Buffer.from(name);
  const shared = Buffer.alloc(26);
  shared.writeUInt16LE(version.plain, 0);
  shared.writeUInt16LE(utf8Flag, 2);
  shared.writeUInt16LE(isDeflated ? deflated : stored, 4);
  shared.writeUInt32LE(dosTime(modified), 6);
  shared.writeUInt32LE(crc, 10);
  shared.writeUInt32LE(compressedSize, 14);
  shared.writeUInt32LE(size, 18);
  shared.writeUInt16LE(nameBytes.length, 22);

  const central = Buffer.alloc(fixedBytes.central);
  central.writeUInt32LE(signatures.central, 0);
  central.writeUInt16LE(madeByUnix | version.plain, 4);
  shared.copy(central, 6);
  const isDirectory = name.endsWith('/');
  central.writeUInt16LE(isDirectory ? dosDirectory : 0, 38);
  central.writeUInt16LE(isDirectory ? directory : regularFile, 40);

  const signature = Buffer.alloc(4);
  signature.writeUInt32LE(signatures.local);
  return {
    local: Buffer.concat([signature, shared, nameBytes]),
    bytes: Buffer.concat([central, nameBytes]),
    size,
    compressedSize,
  };
}

/** Date in the upper half, time in the lower, two seconds exact; 1980 to 2107. */
function dosTime(at: Date): number {
  const year = Math.min(Math.max(at.getUTCFullYear(), 1980), 2107);
  const date = ((year - 1980) << 9) | ((at.getUTCMonth() + 1) << 5) | at.getUTCDate();
  const time = (at.getUTCHours() << 11) | (at.getUTCMinutes() << 5) | (at.getUTCSeconds() >> 1);
  return date * 0x1_0000 + time;
}

/** The record of the directory for an entry that now begins at `offset`; the rest of it as it was. */
export function centralRecord(
  entry: Pick<CentralHeader, 'bytes' | 'size' | 'compressedSize'>,
  offset: number,
): Buffer {
  const { name, extra, comment } = centralParts(entry.bytes);
  const numbers = [entry.size, entry.compressedSize, offset];
  const wide = numbers.filter((number) => number >= mask32);
  const field = wide.length === 0 ? Buffer.alloc(0) : zip64Field(wide);
  const fixed = Buffer.from(entry.bytes.subarray(0, fixedBytes.central));
  if (wide.length > 0) fixed.writeUInt16LE(Math.max(version.zip64, fixed.readUInt16LE(6)), 6);
  fixed.writeUInt32LE(Math.min(entry.compressedSize, mask32), 20);
  fixed.writeUInt32LE(Math.min(entry.size, mask32), 24);
  fixed.writeUInt16LE(field.length + extra.length, 30);
  fixed.writeUInt32LE(Math.min(offset, mask32), 42);
  return Buffer.concat([fixed, name, field, extra, comment]);
}

function zip64Field(numbers: readonly number[]): Buffer {
  const field = Buffer.alloc(4 + 8 * numbers.length);
  field.writeUInt16LE(1, 0);
  field.writeUInt16LE(8 * numbers.length, 2);
  numbers.forEach((number, i) => {
    field.writeBigUInt64LE(BigInt(number), 4 + 8 * i);
  });
  return field;
}

/** What stands behind the directory; with zip64 records where its numbers need them. */
export function endRecords({ entries, directoryOffset, directoryBytes }: End): Buffer {
  const end = Buffer.alloc(fixedBytes.end);
  end.writeUInt32LE(signatures.end, 0);
  end.writeUInt16LE(Math.min(entries, mask16), 8);
  end.writeUInt16LE(Math.min(entries, mask16), 10);
  end.writeUInt32LE(Math.min(directoryBytes, mask32), 12);
  end.writeUInt32LE(Math.min(directoryOffset, mask32), 16);
  const fits = entries < mask16 && directoryBytes < mask32 && directoryOffset < mask32;
  if (fits) return end;

  const record = Buffer.alloc(fixedBytes.zip64End);
  record.writeUInt32LE(signatures.zip64End, 0);
  record.writeBigUInt64LE(BigInt(fixedBytes.zip64End - 12), 4);
  record.writeUInt16LE(madeByUnix | version.zip64, 12);
  record.writeUInt16LE(version.zip64, 14);
  record.writeBigUInt64LE(BigInt(entries), 24);
  record.writeBigUInt64LE(BigInt(entries), 32);
  record.writeBigUInt64LE(BigInt(directoryBytes), 40);
  record.writeBigUInt64LE(BigInt(directoryOffset), 48);
  const locator = Buffer.alloc(fixedBytes.zip64Locator);
  locator.writeUInt32LE(signatures.zip64Locator, 0);
  locator.writeBigUInt64LE(BigInt(directoryOffset + directoryBytes), 8);
  locator.writeUInt32LE(1, 16);
  return Buffer.concat([record, locator, end]);
}
