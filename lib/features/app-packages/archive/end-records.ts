import { BadRequest } from '../../../model/errors.js';
import {
  type End,
  fixedBytes,
  mask16,
  mask32,
  parseEnd,
  parseZip64End,
  signatures,
  zip64EndOffset,
} from './records.js';

/** The directory as it was found in the file. */
export interface CentralDirectory {
  readonly entries: number;
  readonly offset: number;
  readonly bytes: number;
}

const cutOff = () =>
  new BadRequest(
    'ARCHIVE_TRUNCATED',
    'The archive ends without its end record: it is truncated, send it again',
  );

/** Throws `BadRequest` unless the last record tells of the directory what was found. */
export function checkEnd(record: Buffer, directory: CentralDirectory, hasZip64: boolean): void {
  if (record.length < fixedBytes.end) throw cutOff();
  if (record.readUInt32LE(0) !== signatures.end) {
    throw new BadRequest(
      'ARCHIVE_DAMAGED',
      'After the directory of the archive there is something else than its end',
    );
  }
  const end = parseEnd(record);
  // A field whose bits are all set points to the zip64 record, which was checked.
  const says = (told: number, found: number, mask: number) => told === found || (hasZip64 && told === mask);
  if (end.disks !== 0 && !(hasZip64 && end.disks === mask16)) {
    throw new BadRequest('ARCHIVE_NOT_SUPPORTED', 'The archive is in several volumes; send it in one');
  }
  const holds =
    says(end.entries, directory.entries, mask16) &&
    says(record.readUInt16LE(8), directory.entries, mask16) &&
    says(end.directoryBytes, directory.bytes, mask32) &&
    says(end.directoryOffset, directory.offset, mask32);
  if (!holds) throw lie('end', end, directory);
}

export function checkZip64End(found: {
  readonly record: Buffer;
  readonly locator: Buffer;
  /** Where the record begins. */
  readonly offset: number;
  readonly directory: CentralDirectory;
}): void {
  const { record, locator, offset, directory } = found;
  if (record.length < fixedBytes.zip64End || locator.length < fixedBytes.zip64Locator) throw cutOff();
  const end = parseZip64End(record);
  if (end.recordBytes !== fixedBytes.zip64End || locator.readUInt32LE(0) !== signatures.zip64Locator) {
    throw new BadRequest('ARCHIVE_DAMAGED', 'The zip64 end record of the archive is not as long as it says');
  }
  if (record.readUInt32LE(16) !== 0 || record.readUInt32LE(20) !== 0 || locator.readUInt32LE(4) !== 0) {
    throw new BadRequest('ARCHIVE_NOT_SUPPORTED', 'The archive is in several volumes; send it in one');
  }
  if (zip64EndOffset(locator) !== offset) {
    throw new BadRequest(
      'ARCHIVE_DAMAGED',
      `The zip64 locator of the archive points to byte ${zip64EndOffset(locator)}, but its record is at ${offset}`,
    );
  }
  const holds =
    end.entries === directory.entries &&
    record.readUInt32LE(24) === record.readUInt32LE(32) &&
    record.readUInt32LE(28) === record.readUInt32LE(36) &&
    end.directoryBytes === directory.bytes &&
    end.directoryOffset === directory.offset;
  if (!holds) throw lie('zip64 end', end, directory);
}

const lie = (which: string, told: End, found: CentralDirectory) =>
  new BadRequest(
    'ARCHIVE_DAMAGED',
    `The ${which} record tells of ${told.entries} entries in ${told.directoryBytes} bytes at ${told.directoryOffset}; there are ${found.entries} in ${found.bytes} at ${found.offset}`,
  );
