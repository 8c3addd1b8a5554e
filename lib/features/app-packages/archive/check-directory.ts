import { BadRequest } from '../../../model/errors.js';
import { timeSlice } from '../../../runtime/event-loop.js';
import type { Bytes } from './bytes.js';
import type { Entries, ReadEntry } from './check-entries.js';
import { type CentralDirectory, checkEnd, checkZip64End } from './end-records.js';
import type { ArchiveLimits } from './limits.js';
import { type CentralHeader, centralBytes, fixedBytes, parseCentral, quoted, signatures } from './records.js';

/** Every entry that was read must be in it once, and nothing else; resolves where it was. */
export async function readDirectory(
  bytes: Bytes,
  entries: Entries,
  limits: ArchiveLimits,
): Promise<CentralDirectory> {
  const offset = bytes.position;
  const slice = timeSlice();
  let count = 0;
  for (;;) {
    const start = bytes.near(fixedBytes.central) ?? (await bytes.peek(fixedBytes.central));
    if (start.length < 4 || start.readUInt32LE(0) !== signatures.central) break;
    if (start.length < fixedBytes.central) throw cutDirectory();
    const recordBytes = centralBytes(start);
    const record = bytes.near(recordBytes) ?? (await bytes.peek(recordBytes));
    if (record.length < recordBytes) throw cutDirectory();
    matchEntry(entries, parseCentral(record));
    bytes.skip(recordBytes);
    count++;
    if (bytes.position - offset > limits.maxDirectoryBytes) {
      throw new BadRequest(
        'ARCHIVE_LIMIT',
        `The directory of the archive is larger than ${limits.maxDirectoryBytes} bytes`,
      );
    }
    if (slice.isOver()) await slice.next();
  }
  const [unlisted] = entries.values();
  if (unlisted)
    throw new BadRequest(
      'ARCHIVE_DAMAGED',
      `${quoted(unlisted.name)} is not in the directory of the archive`,
    );
  return { entries: count, offset, bytes: bytes.position - offset };
}

const cutDirectory = () =>
  new BadRequest(
    'ARCHIVE_TRUNCATED',
    'The archive ends in the middle of its directory: it is truncated, send it again',
  );

/** Takes the entry out of those that still wait for their place in the directory. */
function matchEntry(entries: Entries, header: CentralHeader): void {
  const { name, offset } = header;
  const entry = entries.get(offset);
  if (!entry) {
    throw new BadRequest(
      'ARCHIVE_DAMAGED',
      `The directory says that ${quoted(name)} begins at ${offset}, where no entry begins or another one was listed: entries overlap or the directory is wrong`,
    );
  }
  entries.delete(offset);
  if (entry.name !== name) {
    throw new BadRequest(
      'ARCHIVE_DAMAGED',
      `${quoted(entry.name)} is called ${quoted(name)} in the directory of the archive`,
    );
  }
  const differs =
    entry.method !== header.method
      ? 'method'
      : entry.crc !== header.crc
        ? 'checksum'
        : entry.size !== header.size || entry.compressedSize !== header.compressedSize
          ? 'size'
          : undefined;
  if (differs) {
    throw new BadRequest(
      'ARCHIVE_DAMAGED',
      `The ${differs} of ${quoted(name)} in the directory of the archive is not that of its data`,
    );
  }
  checkType(header, entry);
}

const unixType = { mask: 0xf000, file: 0x8000, directory: 0x4000, link: 0xa000 };

function checkType({ name, unixMode, isDosDirectory }: CentralHeader, { size }: ReadEntry): void {
  const type = unixMode & unixType.mask;
  const isDirectory = name.endsWith('/');
  if (type === unixType.link) {
    throw new BadRequest(
      'ARCHIVE_ENTRY_REFUSED',
      `${quoted(name)} is a symbolic link; put the file itself into the package`,
    );
  }
  if (type !== 0 && type !== unixType.file && type !== unixType.directory) {
    throw new BadRequest(
      'ARCHIVE_ENTRY_REFUSED',
      `${quoted(name)} is a device, a socket or a pipe, not a file`,
    );
  }
  if (!isDirectory && (type === unixType.directory || isDosDirectory)) {
    throw new BadRequest(
      'ARCHIVE_ENTRY_REFUSED',
      `${quoted(name)} is marked as a directory, but its name does not end in /`,
    );
  }
  if (isDirectory && size > 0)
    throw new BadRequest('ARCHIVE_ENTRY_REFUSED', `${quoted(name)} is a directory, but has content`);
}

/** The end record, with zip64's before it where there is one; and then nothing more. */
export async function readEnd(bytes: Bytes, directory: CentralDirectory): Promise<void> {
  const zip64 = await readZip64(bytes, directory);
  const end = await bytes.take(fixedBytes.end);
  checkEnd(end, directory, zip64);
  const commentBytes = end.readUInt16LE(20);
  const comment = await bytes.take(commentBytes);
  if (comment.length < commentBytes) {
    throw new BadRequest(
      'ARCHIVE_TRUNCATED',
      'The archive ends in the middle of its comment: it is truncated, send it again',
    );
  }
  const signature = Buffer.alloc(4);
  signature.writeUInt32LE(signatures.end);
  if (comment.includes(signature)) {
    throw new BadRequest(
      'ARCHIVE_DAMAGED',
      'The comment of the archive looks like the end of another archive',
    );
  }
  if (await bytes.some(1))
    throw new BadRequest(
      'ARCHIVE_DAMAGED',
      `There is data after the end of the archive (byte ${bytes.position})`,
    );
}

/** Resolves whether the archive has the records of zip64. */
async function readZip64(bytes: Bytes, directory: CentralDirectory): Promise<boolean> {
  const start = await bytes.peek(4);
  if (start.length < 4 || start.readUInt32LE(0) !== signatures.zip64End) return false;
  const offset = bytes.position;
  const records = await bytes.take(fixedBytes.zip64End + fixedBytes.zip64Locator);
  const record = records.subarray(0, fixedBytes.zip64End);
  const locator = records.subarray(fixedBytes.zip64End);
  checkZip64End({ record, locator, offset, directory });
  return true;
}
