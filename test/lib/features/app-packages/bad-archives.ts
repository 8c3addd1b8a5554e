import { createCipheriv } from 'node:crypto';
import { crc32, deflateRawSync } from 'node:zlib';
import type { ArchiveLimits } from '../../../../lib/features/app-packages/archive/limits.js';
import type { BadRequestReason } from '../../../../lib/model/reasons.js';
import {
  type EntrySpec,
  extraField,
  type ZipSpec,
  zip64Extra,
  zipBytes,
} from '../../../helpers/zip-bytes.js';

// Archives that no package may be, and what is said about each.

const file: EntrySpec = { name: 'app/first.json', content: '{"operators":[]}' };
export const one = (entry: EntrySpec, spec: Partial<ZipSpec> = {}) =>
  zipBytes({ entries: [file, entry], ...spec });

export interface BadArchive {
  readonly what: string;
  readonly bytes: Buffer;
  readonly code: BadRequestReason;
  readonly says: RegExp;
  readonly limits?: Partial<ArchiveLimits>;
}

export const good = zipBytes({
  entries: [file, { name: 'lib/second.jar', content: Buffer.alloc(5000, 'jar'), method: 0 }],
});
const zeros = Buffer.alloc(2_000_000);
export const text = Buffer.from('some text that goes into an entry, and some more of it');
const wrongByte = (bytes: Buffer, at: number) => {
  const changed = Buffer.from(bytes);
  changed[at] = (changed[at] ?? 0) ^ 0xff;
  return changed;
};
export const named = (name: string | Buffer) => one({ name, content: text });
export const mask = 0xffffffff;

export const badArchives: readonly BadArchive[] = [
  { what: 'nothing', bytes: Buffer.alloc(0), code: 'NOT_AN_ARCHIVE', says: /empty; send a zip/ },
  {
    what: 'not a zip',
    bytes: Buffer.from('<html>Not a package</html>'.repeat(9)),
    code: 'NOT_AN_ARCHIVE',
    says: /not a zip archive/,
  },
  { what: 'three bytes', bytes: Buffer.from('PK\x03'), code: 'NOT_AN_ARCHIVE', says: /not a zip archive/ },
  {
    what: 'something before it',
    bytes: Buffer.concat([Buffer.from('#!/bin/sh\n'), good]),
    code: 'NOT_AN_ARCHIVE',
    says: /not a zip archive/,
  },
  { what: 'cut in a header', bytes: good.subarray(0, 75), code: 'ARCHIVE_TRUNCATED', says: /truncated/ },
  {
    what: 'cut in an entry',
    bytes: good.subarray(0, 900),
    code: 'ARCHIVE_TRUNCATED',
    says: /middle of "lib\/second\.jar".*truncated/,
  },
  {
    what: 'cut in the directory',
    bytes: good.subarray(0, -60),
    code: 'ARCHIVE_TRUNCATED',
    says: /truncated/,
  },
  {
    what: 'cut in the end record',
    bytes: good.subarray(0, -3),
    code: 'ARCHIVE_TRUNCATED',
    says: /truncated/,
  },
  {
    what: 'cut before the directory',
    bytes: one({ name: 'a' }).subarray(0, 96),
    code: 'ARCHIVE_TRUNCATED',
    says: /truncated/,
  },
  {
    what: 'cut in its comment',
    bytes: one({ name: 'a' }, { comment: Buffer.from('a comment') }).subarray(0, -2),
    code: 'ARCHIVE_TRUNCATED',
    says: /comment: it is truncated/,
  },

  {
    what: 'encrypted',
    bytes: one({ name: 'x', local: { flags: 1 }, central: { flags: 1 } }),
    code: 'ARCHIVE_NOT_SUPPORTED',
    says: /"x" is encrypted/,
  },
  {
    what: 'strongly encrypted',
    bytes: one({ name: 'x', local: { flags: 0x41 } }),
    code: 'ARCHIVE_NOT_SUPPORTED',
    says: /"x" is encrypted/,
  },
  {
    what: 'encrypted by AES',
    bytes: one({ name: 'x', method: 99 }),
    code: 'ARCHIVE_NOT_SUPPORTED',
    says: /"x" is encrypted/,
  },
  {
    what: 'encrypted says the directory',
    bytes: one({ name: 'x', central: { flags: 1 } }),
    code: 'ARCHIVE_NOT_SUPPORTED',
    says: /"x" is encrypted/,
  },
  {
    what: 'another method',
    bytes: one({ name: 'x', method: 12, content: text }),
    code: 'ARCHIVE_NOT_SUPPORTED',
    says: /"x".*method 12; only/,
  },

  {
    what: 'name ..',
    bytes: named('../etc/passwd'),
    code: 'ARCHIVE_ENTRY_REFUSED',
    says: /"\.\.\/etc\/passwd".*segment "\.\."/,
  },
  {
    what: 'name .. inside',
    bytes: named('app/../../x'),
    code: 'ARCHIVE_ENTRY_REFUSED',
    says: /segment "\.\."/,
  },
  { what: 'name . inside', bytes: named('app/./x'), code: 'ARCHIVE_ENTRY_REFUSED', says: /segment "\."/ },
  { what: 'empty segment', bytes: named('app//x'), code: 'ARCHIVE_ENTRY_REFUSED', says: /empty segment/ },
  {
    what: 'absolute name',
    bytes: named('/etc/passwd'),
    code: 'ARCHIVE_ENTRY_REFUSED',
    says: /"\/etc\/passwd".*absolute/,
  },
  { what: 'backslash', bytes: named('app\\x'), code: 'ARCHIVE_ENTRY_REFUSED', says: /backslash/ },
  { what: 'drive letter', bytes: named('C:/x'), code: 'ARCHIVE_ENTRY_REFUSED', says: /drive letter/ },
  {
    what: 'NUL',
    bytes: named('app/x\0.json'),
    code: 'ARCHIVE_ENTRY_REFUSED',
    says: /"app\/x\\u0000\.json".*NUL/,
  },
  {
    what: 'control character',
    bytes: named('app/\n'),
    code: 'ARCHIVE_ENTRY_REFUSED',
    says: /control character/,
  },
  { what: 'empty name', bytes: named(''), code: 'ARCHIVE_ENTRY_REFUSED', says: /is empty/ },
  {
    what: 'long name',
    bytes: named('x'.repeat(513)),
    code: 'ARCHIVE_ENTRY_REFUSED',
    says: /longer than 512 bytes/,
  },
  {
    what: 'deep name',
    bytes: named(`${'x/'.repeat(32)}x`),
    code: 'ARCHIVE_ENTRY_REFUSED',
    says: /more than 32 levels/,
  },
  {
    what: 'not UTF-8',
    bytes: named(Buffer.from([0x61, 0xff])),
    code: 'ARCHIVE_ENTRY_REFUSED',
    says: /not UTF-8/,
  },
  {
    what: 'a second name',
    bytes: one({
      name: 'app/x',
      central: { extra: extraField(0x7075, secondName('app/x', 'lib/y')) },
    }),
    code: 'ARCHIVE_ENTRY_REFUSED',
    says: /"app\/x" has a second name, "lib\/y"/,
  },
  {
    what: 'twice',
    bytes: one(file),
    code: 'ARCHIVE_ENTRY_REFUSED',
    says: /"app\/first\.json" is in the archive twice/,
  },
  {
    what: 'equal but for case',
    bytes: named('App/First.JSON'),
    code: 'ARCHIVE_ENTRY_REFUSED',
    says: /"app\/first\.json" and "App\/First\.JSON" differ only by case/,
  },
  {
    what: 'directories equal but for case',
    bytes: named('App/other.json'),
    code: 'ARCHIVE_ENTRY_REFUSED',
    says: /"app" and "App" differ only by case/,
  },
  {
    what: 'equal but for form',
    bytes: zipBytes({ entries: [{ name: 'caf\u00e9' }, { name: 'cafe\u0301' }] }),
    code: 'ARCHIVE_ENTRY_REFUSED',
    says: /differ only by case or form/,
  },
  {
    what: 'a file as directory',
    bytes: named('app/first.json/x'),
    code: 'ARCHIVE_ENTRY_REFUSED',
    says: /"app\/first\.json" is a file and a directory/,
  },
  {
    what: 'a directory as file',
    bytes: named('app'),
    code: 'ARCHIVE_ENTRY_REFUSED',
    says: /"app" is a file and a directory/,
  },
  {
    what: 'a directory with content',
    bytes: named('docs/'),
    code: 'ARCHIVE_ENTRY_REFUSED',
    says: /"docs\/" is a directory, but has content/,
  },
  {
    what: 'a file marked as directory',
    bytes: one({ name: 'x', central: { attributes: 0x10 } }),
    code: 'ARCHIVE_ENTRY_REFUSED',
    says: /"x" is marked as a directory/,
  },
  {
    what: 'a file of directory mode',
    bytes: one({ name: 'x', central: { attributes: (0o040755 << 16) >>> 0 } }),
    code: 'ARCHIVE_ENTRY_REFUSED',
    says: /"x" is marked as a directory/,
  },
  {
    what: 'symbolic link',
    bytes: one({ name: 'x', content: '/etc/passwd', central: { attributes: (0o120777 << 16) >>> 0 } }),
    code: 'ARCHIVE_ENTRY_REFUSED',
    says: /"x" is a symbolic link/,
  },
  {
    what: 'device',
    bytes: one({ name: 'x', central: { attributes: (0o060777 << 16) >>> 0 } }),
    code: 'ARCHIVE_ENTRY_REFUSED',
    says: /"x" is a device/,
  },

  {
    what: 'another name in the directory',
    bytes: one({ name: 'x', central: { name: 'y' } }),
    code: 'ARCHIVE_DAMAGED',
    says: /"x" is called "y"/,
  },
  {
    what: 'another checksum in the directory',
    bytes: one({ name: 'x', content: text, central: { crc: 7 } }),
    code: 'ARCHIVE_DAMAGED',
    says: /checksum of "x" in the directory/,
  },
  {
    what: 'another size in the directory',
    bytes: one({ name: 'x', content: text, central: { size: 7 } }),
    code: 'ARCHIVE_DAMAGED',
    says: /size of "x" in the directory/,
  },
  {
    what: 'another compressed size there',
    bytes: one({ name: 'x', content: text, central: { compressedSize: 7 } }),
    code: 'ARCHIVE_DAMAGED',
    says: /size of "x" in the directory/,
  },
  {
    what: 'another method there',
    bytes: one({ name: 'x', method: 0, content: text, central: { method: 8 } }),
    code: 'ARCHIVE_DAMAGED',
    says: /method of "x"/,
  },
  {
    what: 'another volume',
    bytes: one({ name: 'x', central: { disk: 3 } }),
    code: 'ARCHIVE_NOT_SUPPORTED',
    says: /"x" is on another volume/,
  },
  {
    what: 'not in the directory',
    bytes: one({ name: 'x', unlisted: true }),
    code: 'ARCHIVE_DAMAGED',
    says: /"x" is not in the directory/,
  },
  {
    what: 'only in the directory',
    bytes: one({ name: 'x', absent: true }),
    code: 'ARCHIVE_DAMAGED',
    says: /"x" begins at \d+, where no entry begins/,
  },
  {
    what: 'overlapping entries',
    bytes: one({ name: 'x', absent: true, central: { offset: 0 } }),
    code: 'ARCHIVE_DAMAGED',
    says: /"x" begins at 0.*overlap/,
  },
  {
    what: 'an entry inside another',
    bytes: zipBytes({
      entries: [
        { name: 'outer', method: 0, content: zipBytes({ entries: [{ name: 'inner', content: text }] }) },
        { name: 'inner', content: text, absent: true, central: { offset: 35 } },
      ],
    }),
    code: 'ARCHIVE_DAMAGED',
    says: /"inner" begins at 35, where no entry begins/,
  },

  {
    what: 'a wrong checksum',
    bytes: one({ name: 'x', content: text, local: { crc: 7 }, central: { crc: 7 } }),
    code: 'ARCHIVE_DAMAGED',
    says: /checksum \(CRC-32\) of "x" is wrong/,
  },
  {
    what: 'a changed byte of stored data',
    bytes: wrongByte(good, 1000),
    code: 'ARCHIVE_DAMAGED',
    says: /checksum \(CRC-32\) of "lib\/second\.jar"/,
  },
  {
    what: 'damaged deflate',
    bytes: one({ name: 'x', content: text, data: Buffer.alloc(40, 0xff) }),
    code: 'ARCHIVE_DAMAGED',
    says: /compressed data of "x" is damaged/,
  },
  {
    what: 'deflate that does not end',
    bytes: one({ name: 'x', content: text, data: deflateRawSync(text).subarray(0, -4) }),
    code: 'ARCHIVE_DAMAGED',
    says: /compressed data of "x" is damaged/,
  },
  {
    what: 'damaged deflate of a large one',
    bytes: large(damagedBehind),
    code: 'ARCHIVE_DAMAGED',
    says: /compressed data of "x" is damaged/,
  },
  {
    what: 'damaged deflate of a large one, sizes behind',
    bytes: large(damagedBehind, { descriptor: 'signed' }),
    code: 'ARCHIVE_DAMAGED',
    says: /compressed data of "x" is damaged/,
  },
  {
    what: 'bytes behind a large deflated one',
    bytes: large((data) => Buffer.concat([data, text])),
    code: 'ARCHIVE_DAMAGED',
    says: /compressed data of "x" ends before the size/,
  },
  {
    what: 'a large one cut off',
    bytes: large((data) => data).subarray(0, 900_000),
    code: 'ARCHIVE_TRUNCATED',
    says: /middle of "x": it is truncated/,
  },
  {
    what: 'a large one cut off, sizes behind',
    bytes: large((data) => data, { descriptor: 'signed' }).subarray(0, 900_000),
    code: 'ARCHIVE_TRUNCATED',
    says: /middle of "x": it is truncated/,
  },
  {
    what: 'bytes behind the deflated ones',
    bytes: one({ name: 'x', content: text, data: Buffer.concat([deflateRawSync(text), text]) }),
    code: 'ARCHIVE_DAMAGED',
    says: /compressed data of "x" ends before the size/,
  },
  {
    what: 'more than the header tells',
    bytes: one({ name: 'x', content: text, local: { size: 9 }, central: { size: 9 } }),
    code: 'ARCHIVE_DAMAGED',
    says: /"x" inflates to more than the 9 bytes/,
  },
  {
    what: 'less than the header tells',
    bytes: one({ name: 'x', content: text, local: { size: 99 }, central: { size: 99 } }),
    code: 'ARCHIVE_DAMAGED',
    says: /"x" has \d+ bytes that inflate to 54; its header tells \d+ and 99/,
  },
  {
    what: 'stored in another size',
    bytes: one({ name: 'x', method: 0, content: text, local: { size: 9 }, central: { size: 9 } }),
    code: 'ARCHIVE_DAMAGED',
    says: /"x"/,
  },
  {
    what: 'sizes behind that lie',
    bytes: one({ name: 'x', content: text, descriptor: Buffer.alloc(16, 1) }),
    code: 'ARCHIVE_DAMAGED',
    says: /sizes that follow the data of "x"/,
  },
  {
    what: 'a checksum behind that lies',
    bytes: one({
      name: 'x',
      content: text,
      descriptor: Buffer.from('504b0708070000000000000000000000', 'hex'),
    }),
    code: 'ARCHIVE_DAMAGED',
    says: /checksum \(CRC-32\) of "x"/,
  },
  {
    what: 'stored with sizes behind',
    bytes: one({ name: 'x', method: 0, content: text, descriptor: 'signed' }),
    code: 'ARCHIVE_NOT_SUPPORTED',
    says: /"x" is stored with its size behind/,
  },

  {
    what: 'a bomb by ratio',
    bytes: one({ name: 'x', content: zeros }),
    code: 'ARCHIVE_LIMIT',
    says: /"x" inflates to more than 200 times/,
  },
  {
    what: 'a bomb by ratio, sizes behind',
    bytes: one({ name: 'x', content: zeros, descriptor: 'signed' }),
    code: 'ARCHIVE_LIMIT',
    says: /"x" inflates to more than 200 times/,
  },
  {
    what: 'a bomb by ratio that lies',
    bytes: one({ name: 'x', content: zeros, local: { size: 1000 } }),
    code: 'ARCHIVE_DAMAGED',
    says: /"x" inflates to more than the 1000 bytes/,
  },
  {
    what: 'a large bomb that lies',
    bytes: one({ name: 'x', content: randomThenZeros(), local: { size: 1_300_000 } }),
    code: 'ARCHIVE_DAMAGED',
    says: /"x" inflates to more than the 1300000 bytes/,
  },
  {
    what: 'too much in all',
    bytes: one({ name: 'x', content: zeros }),
    code: 'ARCHIVE_LIMIT',
    says: /With "x" the archive inflates to more/,
    limits: { maxInflatedBytes: 1_000_000, maxRatio: 5000 },
  },
  {
    what: 'too much in all, sizes behind',
    bytes: one({ name: 'x', content: zeros, descriptor: 'wide' }),
    code: 'ARCHIVE_LIMIT',
    says: /With "x" the archive inflates to more/,
    limits: { maxInflatedBytes: 1_000_000, maxRatio: 5000 },
  },
  {
    what: 'too many entries',
    bytes: good,
    code: 'ARCHIVE_LIMIT',
    says: /more than 1 entries/,
    limits: { maxEntries: 1 },
  },
  {
    what: 'a large directory',
    bytes: good,
    code: 'ARCHIVE_LIMIT',
    says: /directory of the archive is larger than 80 bytes/,
    limits: { maxDirectoryBytes: 80 },
  },

  {
    what: 'data behind it',
    bytes: Buffer.concat([good, Buffer.from('\n')]),
    code: 'ARCHIVE_DAMAGED',
    says: /data after the end of the archive/,
  },
  {
    what: 'a second archive behind it',
    bytes: Buffer.concat([good, good]),
    code: 'ARCHIVE_DAMAGED',
    says: /data after the end of the archive/,
  },
  {
    what: 'data between',
    bytes: one({ name: 'x' }, { between: text }),
    code: 'ARCHIVE_DAMAGED',
    says: /after "x", belong to no entry/,
  },
  {
    what: 'an end in the comment',
    bytes: one({ name: 'x' }, { comment: zipBytes({ entries: [] }) }),
    code: 'ARCHIVE_DAMAGED',
    says: /comment of the archive looks like/,
  },
  {
    what: 'a wrong count',
    bytes: one({ name: 'x' }, { end: { entries: 1 } }),
    code: 'ARCHIVE_DAMAGED',
    says: /end record tells of 1 entries.*there are 2/,
  },
  {
    what: 'a wrong place of the directory',
    bytes: one({ name: 'x' }, { end: { directoryOffset: 5 } }),
    code: 'ARCHIVE_DAMAGED',
    says: /end record tells/,
  },
  {
    what: 'a wrong size of the directory',
    bytes: one({ name: 'x' }, { end: { directoryBytes: 5 } }),
    code: 'ARCHIVE_DAMAGED',
    says: /end record tells/,
  },
  {
    what: 'several volumes',
    bytes: one({ name: 'x' }, { end: { disk: 1 } }),
    code: 'ARCHIVE_NOT_SUPPORTED',
    says: /several volumes/,
  },
  {
    what: 'zip64 marks without a record',
    bytes: one({ name: 'x' }, { end: { directoryOffset: mask } }),
    code: 'ARCHIVE_DAMAGED',
    says: /end record tells/,
  },

  {
    what: 'zip64: another count',
    bytes: one({ name: 'x' }, { zip64: { entries: 9 } }),
    code: 'ARCHIVE_DAMAGED',
    says: /zip64 end record tells of 9/,
  },
  {
    what: 'zip64: another place',
    bytes: one({ name: 'x' }, { zip64: { directoryOffset: 0 } }),
    code: 'ARCHIVE_DAMAGED',
    says: /zip64 end record tells/,
  },
  {
    what: 'zip64: record elsewhere',
    bytes: one({ name: 'x' }, { zip64: { recordOffset: 0 } }),
    code: 'ARCHIVE_DAMAGED',
    says: /zip64 locator.*points to byte 0/,
  },
  {
    what: 'zip64: another length',
    bytes: one({ name: 'x' }, { zip64: { recordBytes: 60 } }),
    code: 'ARCHIVE_DAMAGED',
    says: /zip64 end record.*not as long/,
  },
  {
    what: 'zip64: volumes',
    bytes: one({ name: 'x' }, { zip64: { disk: 1 } }),
    code: 'ARCHIVE_NOT_SUPPORTED',
    says: /several volumes/,
  },
  {
    what: 'zip64: no field',
    bytes: one({ name: 'x', content: text, local: { size: mask } }),
    code: 'ARCHIVE_DAMAGED',
    says: /"x" lacks the zip64 sizes/,
  },
  {
    what: 'zip64: short field',
    bytes: one({
      name: 'x',
      content: text,
      local: { size: mask, compressedSize: mask, extra: zip64Extra(54) },
    }),
    code: 'ARCHIVE_DAMAGED',
    says: /"x" lacks the zip64 sizes/,
  },
  {
    what: 'zip64: two fields',
    bytes: one({
      name: 'x',
      content: text,
      local: { size: mask, extra: Buffer.concat([zip64Extra(54), zip64Extra(55)]) },
    }),
    code: 'ARCHIVE_DAMAGED',
    says: /"x" has two zip64 fields/,
  },
  {
    what: 'zip64: sizes that lie',
    bytes: one({
      name: 'x',
      content: text,
      local: { size: mask, compressedSize: mask, extra: zip64Extra(2 ** 40, 20) },
    }),
    code: 'ARCHIVE_LIMIT',
    says: /"x" inflates to more than|With "x" the archive inflates to more/,
  },
  {
    what: 'zip64: sizes that no file has',
    bytes: one({
      name: 'x',
      method: 0,
      content: text,
      local: { size: mask, compressedSize: mask, extra: extraField(1, Buffer.alloc(16, 0xff)) },
    }),
    code: 'ARCHIVE_LIMIT',
    says: /"x"/,
  },
  {
    what: 'zip64: another offset in the directory',
    bytes: one({ name: 'x', content: text, central: { offset: mask, extra: zip64Extra(12345) } }),
    code: 'ARCHIVE_DAMAGED',
    says: /"x" begins at 12345/,
  },
];

/** Its data changed by `change`; over a megabyte, so that it is inflated as a stream. */
export function large(change: (data: Buffer) => Buffer, entry: Partial<EntrySpec> = {}): Buffer {
  const content = randomThenZeros();
  return one({ name: 'x', content, data: change(deflateRawSync(content)), ...entry });
}

export function damagedBehind(data: Buffer): Buffer {
  return Buffer.concat([data.subarray(0, 1_100_000), Buffer.alloc(200_000, 0xff)]);
}

export function secondName(name: string, other: string): Buffer {
  const sum = Buffer.alloc(4);
  sum.writeUInt32LE(crc32(name));
  return Buffer.concat([Buffer.from([1]), sum, Buffer.from(other)]);
}

/** Over a megabyte compressed, so that it is inflated as a stream; the same every time. */
function randomThenZeros(): Buffer {
  const noise = createCipheriv('aes-128-ctr', Buffer.alloc(16), Buffer.alloc(16)).update(
    Buffer.alloc(1_200_000),
  );
  return Buffer.concat([noise, zeros]);
}
