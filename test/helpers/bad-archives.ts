import { createCipheriv } from 'node:crypto';
import { crc32, deflateRawSync } from 'node:zlib';
import type { ArchiveLimits } from '../../lib/features/app-packages/archive/limits.js';
import { type EntrySpec, extraField, type ZipSpec, zip64Extra, zipBytes } from './zip-bytes.js';

// Archives that no package may be, and what is said about each.

const file: EntrySpec = { name: 'app/first.json', content: '{"operators":[]}' };
export const one = (entry: EntrySpec, spec: Partial<ZipSpec> = {}) =>
  zipBytes({ entries: [file, entry], ...spec });

export interface BadArchive {
  readonly what: string;
  readonly bytes: Buffer;
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
  { what: 'nothing', bytes: Buffer.alloc(0), says: /empty; send a zip/ },
  {
    what: 'not a zip',
    bytes: Buffer.from('<html>Not a package</html>'.repeat(9)),
    says: /not a zip archive/,
  },
  { what: 'three bytes', bytes: Buffer.from('PK\x03'), says: /not a zip archive/ },
  {
    what: 'something before it',
    bytes: Buffer.concat([Buffer.from('#!/bin/sh\n'), good]),
    says: /not a zip archive/,
  },
  { what: 'cut in a header', bytes: good.subarray(0, 75), says: /truncated/ },
  { what: 'cut in an entry', bytes: good.subarray(0, 900), says: /middle of "lib\/second\.jar".*truncated/ },
  { what: 'cut in the directory', bytes: good.subarray(0, -60), says: /truncated/ },
  { what: 'cut in the end record', bytes: good.subarray(0, -3), says: /truncated/ },
  { what: 'cut before the directory', bytes: one({ name: 'a' }).subarray(0, 96), says: /truncated/ },
  {
    what: 'cut in its comment',
    bytes: one({ name: 'a' }, { comment: Buffer.from('a comment') }).subarray(0, -2),
    says: /comment: it is truncated/,
  },

  {
    what: 'encrypted',
    bytes: one({ name: 'x', local: { flags: 1 }, central: { flags: 1 } }),
    says: /"x" is encrypted/,
  },
  { what: 'strongly encrypted', bytes: one({ name: 'x', local: { flags: 0x41 } }), says: /"x" is encrypted/ },
  { what: 'encrypted by AES', bytes: one({ name: 'x', method: 99 }), says: /"x" is encrypted/ },
  {
    what: 'encrypted says the directory',
    bytes: one({ name: 'x', central: { flags: 1 } }),
    says: /"x" is encrypted/,
  },
  {
    what: 'another method',
    bytes: one({ name: 'x', method: 12, content: text }),
    says: /"x".*method 12; only/,
  },

  { what: 'name ..', bytes: named('../etc/passwd'), says: /"\.\.\/etc\/passwd".*segment "\.\."/ },
  { what: 'name .. inside', bytes: named('app/../../x'), says: /segment "\.\."/ },
  { what: 'name . inside', bytes: named('app/./x'), says: /segment "\."/ },
  { what: 'empty segment', bytes: named('app//x'), says: /empty segment/ },
  { what: 'absolute name', bytes: named('/etc/passwd'), says: /"\/etc\/passwd".*absolute/ },
  { what: 'backslash', bytes: named('app\\x'), says: /backslash/ },
  { what: 'drive letter', bytes: named('C:/x'), says: /drive letter/ },
  { what: 'NUL', bytes: named('app/x\0.json'), says: /"app\/x\\u0000\.json".*NUL/ },
  { what: 'control character', bytes: named('app/\n'), says: /control character/ },
  { what: 'empty name', bytes: named(''), says: /is empty/ },
  { what: 'long name', bytes: named('x'.repeat(513)), says: /longer than 512 bytes/ },
  { what: 'deep name', bytes: named(`${'x/'.repeat(32)}x`), says: /more than 32 levels/ },
  { what: 'not UTF-8', bytes: named(Buffer.from([0x61, 0xff])), says: /not UTF-8/ },
  {
    what: 'a second name',
    bytes: one({
      name: 'app/x',
      central: { extra: extraField(0x7075, secondName('app/x', 'lib/y')) },
    }),
    says: /"app\/x" has a second name, "lib\/y"/,
  },
  { what: 'twice', bytes: one(file), says: /"app\/first\.json" is in the archive twice/ },
  {
    what: 'equal but for case',
    bytes: named('App/First.JSON'),
    says: /"app\/first\.json" and "App\/First\.JSON" differ only by case/,
  },
  {
    what: 'directories equal but for case',
    bytes: named('App/other.json'),
    says: /"app" and "App" differ only by case/,
  },
  {
    what: 'equal but for form',
    bytes: zipBytes({ entries: [{ name: 'caf\u00e9' }, { name: 'cafe\u0301' }] }),
    says: /differ only by case or form/,
  },
  {
    what: 'a file as directory',
    bytes: named('app/first.json/x'),
    says: /"app\/first\.json" is a file and a directory/,
  },
  { what: 'a directory as file', bytes: named('app'), says: /"app" is a file and a directory/ },
  {
    what: 'a directory with content',
    bytes: named('docs/'),
    says: /"docs\/" is a directory, but has content/,
  },
  {
    what: 'a file marked as directory',
    bytes: one({ name: 'x', central: { attributes: 0x10 } }),
    says: /"x" is marked as a directory/,
  },
  {
    what: 'a file of directory mode',
    bytes: one({ name: 'x', central: { attributes: (0o040755 << 16) >>> 0 } }),
    says: /"x" is marked as a directory/,
  },
  {
    what: 'symbolic link',
    bytes: one({ name: 'x', content: '/etc/passwd', central: { attributes: (0o120777 << 16) >>> 0 } }),
    says: /"x" is a symbolic link/,
  },
  {
    what: 'device',
    bytes: one({ name: 'x', central: { attributes: (0o060777 << 16) >>> 0 } }),
    says: /"x" is a device/,
  },

  {
    what: 'another name in the directory',
    bytes: one({ name: 'x', central: { name: 'y' } }),
    says: /"x" is called "y"/,
  },
  {
    what: 'another checksum in the directory',
    bytes: one({ name: 'x', content: text, central: { crc: 7 } }),
    says: /checksum of "x" in the directory/,
  },
  {
    what: 'another size in the directory',
    bytes: one({ name: 'x', content: text, central: { size: 7 } }),
    says: /size of "x" in the directory/,
  },
  {
    what: 'another compressed size there',
    bytes: one({ name: 'x', content: text, central: { compressedSize: 7 } }),
    says: /size of "x" in the directory/,
  },
  {
    what: 'another method there',
    bytes: one({ name: 'x', method: 0, content: text, central: { method: 8 } }),
    says: /method of "x"/,
  },
  {
    what: 'another volume',
    bytes: one({ name: 'x', central: { disk: 3 } }),
    says: /"x" is on another volume/,
  },
  {
    what: 'not in the directory',
    bytes: one({ name: 'x', unlisted: true }),
    says: /"x" is not in the directory/,
  },
  {
    what: 'only in the directory',
    bytes: one({ name: 'x', absent: true }),
    says: /"x" begins at \d+, where no entry begins/,
  },
  {
    what: 'overlapping entries',
    bytes: one({ name: 'x', absent: true, central: { offset: 0 } }),
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
    says: /"inner" begins at 35, where no entry begins/,
  },

  {
    what: 'a wrong checksum',
    bytes: one({ name: 'x', content: text, local: { crc: 7 }, central: { crc: 7 } }),
    says: /checksum \(CRC-32\) of "x" is wrong/,
  },
  {
    what: 'a changed byte of stored data',
    bytes: wrongByte(good, 1000),
    says: /checksum \(CRC-32\) of "lib\/second\.jar"/,
  },
  {
    what: 'damaged deflate',
    bytes: one({ name: 'x', content: text, data: Buffer.alloc(40, 0xff) }),
    says: /compressed data of "x" is damaged/,
  },
  {
    what: 'deflate that does not end',
    bytes: one({ name: 'x', content: text, data: deflateRawSync(text).subarray(0, -4) }),
    says: /compressed data of "x" is damaged/,
  },
  {
    what: 'damaged deflate of a large one',
    bytes: large(damagedBehind),
    says: /compressed data of "x" is damaged/,
  },
  {
    what: 'damaged deflate of a large one, sizes behind',
    bytes: large(damagedBehind, { descriptor: 'signed' }),
    says: /compressed data of "x" is damaged/,
  },
  {
    what: 'bytes behind a large deflated one',
    bytes: large((data) => Buffer.concat([data, text])),
    says: /compressed data of "x" ends before the size/,
  },
  {
    what: 'a large one cut off',
    bytes: large((data) => data).subarray(0, 900_000),
    says: /middle of "x": it is truncated/,
  },
  {
    what: 'a large one cut off, sizes behind',
    bytes: large((data) => data, { descriptor: 'signed' }).subarray(0, 900_000),
    says: /middle of "x": it is truncated/,
  },
  {
    what: 'bytes behind the deflated ones',
    bytes: one({ name: 'x', content: text, data: Buffer.concat([deflateRawSync(text), text]) }),
    says: /compressed data of "x" ends before the size/,
  },
  {
    what: 'more than the header tells',
    bytes: one({ name: 'x', content: text, local: { size: 9 }, central: { size: 9 } }),
    says: /"x" inflates to more than the 9 bytes/,
  },
  {
    what: 'less than the header tells',
    bytes: one({ name: 'x', content: text, local: { size: 99 }, central: { size: 99 } }),
    says: /"x" has \d+ bytes that inflate to 54; its header tells \d+ and 99/,
  },
  {
    what: 'stored in another size',
    bytes: one({ name: 'x', method: 0, content: text, local: { size: 9 }, central: { size: 9 } }),
    says: /"x"/,
  },
  {
    what: 'sizes behind that lie',
    bytes: one({ name: 'x', content: text, descriptor: Buffer.alloc(16, 1) }),
    says: /sizes that follow the data of "x"/,
  },
  {
    what: 'a checksum behind that lies',
    bytes: one({
      name: 'x',
      content: text,
      descriptor: Buffer.from('504b0708070000000000000000000000', 'hex'),
    }),
    says: /checksum \(CRC-32\) of "x"/,
  },
  {
    what: 'stored with sizes behind',
    bytes: one({ name: 'x', method: 0, content: text, descriptor: 'signed' }),
    says: /"x" is stored with its size behind/,
  },

  {
    what: 'a bomb by ratio',
    bytes: one({ name: 'x', content: zeros }),
    says: /"x" inflates to more than 200 times/,
  },
  {
    what: 'a bomb by ratio, sizes behind',
    bytes: one({ name: 'x', content: zeros, descriptor: 'signed' }),
    says: /"x" inflates to more than 200 times/,
  },
  {
    what: 'a bomb by ratio that lies',
    bytes: one({ name: 'x', content: zeros, local: { size: 1000 } }),
    says: /"x" inflates to more than the 1000 bytes/,
  },
  {
    what: 'a large bomb that lies',
    bytes: one({ name: 'x', content: randomThenZeros(), local: { size: 1_300_000 } }),
    says: /"x" inflates to more than the 1300000 bytes/,
  },
  {
    what: 'too much in all',
    bytes: one({ name: 'x', content: zeros }),
    says: /With "x" the archive inflates to more/,
    limits: { maxInflatedBytes: 1_000_000, maxRatio: 5000 },
  },
  {
    what: 'too much in all, sizes behind',
    bytes: one({ name: 'x', content: zeros, descriptor: 'wide' }),
    says: /With "x" the archive inflates to more/,
    limits: { maxInflatedBytes: 1_000_000, maxRatio: 5000 },
  },
  { what: 'too many entries', bytes: good, says: /more than 1 entries/, limits: { maxEntries: 1 } },
  {
    what: 'a large directory',
    bytes: good,
    says: /directory of the archive is larger than 80 bytes/,
    limits: { maxDirectoryBytes: 80 },
  },

  {
    what: 'data behind it',
    bytes: Buffer.concat([good, Buffer.from('\n')]),
    says: /data after the end of the archive/,
  },
  {
    what: 'a second archive behind it',
    bytes: Buffer.concat([good, good]),
    says: /data after the end of the archive/,
  },
  {
    what: 'data between',
    bytes: one({ name: 'x' }, { between: text }),
    says: /after "x", belong to no entry/,
  },
  {
    what: 'an end in the comment',
    bytes: one({ name: 'x' }, { comment: zipBytes({ entries: [] }) }),
    says: /comment of the archive looks like/,
  },
  {
    what: 'a wrong count',
    bytes: one({ name: 'x' }, { end: { entries: 1 } }),
    says: /end record tells of 1 entries.*there are 2/,
  },
  {
    what: 'a wrong place of the directory',
    bytes: one({ name: 'x' }, { end: { directoryOffset: 5 } }),
    says: /end record tells/,
  },
  {
    what: 'a wrong size of the directory',
    bytes: one({ name: 'x' }, { end: { directoryBytes: 5 } }),
    says: /end record tells/,
  },
  { what: 'several volumes', bytes: one({ name: 'x' }, { end: { disk: 1 } }), says: /several volumes/ },
  {
    what: 'zip64 marks without a record',
    bytes: one({ name: 'x' }, { end: { directoryOffset: mask } }),
    says: /end record tells/,
  },

  {
    what: 'zip64: another count',
    bytes: one({ name: 'x' }, { zip64: { entries: 9 } }),
    says: /zip64 end record tells of 9/,
  },
  {
    what: 'zip64: another place',
    bytes: one({ name: 'x' }, { zip64: { directoryOffset: 0 } }),
    says: /zip64 end record tells/,
  },
  {
    what: 'zip64: record elsewhere',
    bytes: one({ name: 'x' }, { zip64: { recordOffset: 0 } }),
    says: /zip64 locator.*points to byte 0/,
  },
  {
    what: 'zip64: another length',
    bytes: one({ name: 'x' }, { zip64: { recordBytes: 60 } }),
    says: /zip64 end record.*not as long/,
  },
  { what: 'zip64: volumes', bytes: one({ name: 'x' }, { zip64: { disk: 1 } }), says: /several volumes/ },
  {
    what: 'zip64: no field',
    bytes: one({ name: 'x', content: text, local: { size: mask } }),
    says: /"x" lacks the zip64 sizes/,
  },
  {
    what: 'zip64: short field',
    bytes: one({
      name: 'x',
      content: text,
      local: { size: mask, compressedSize: mask, extra: zip64Extra(54) },
    }),
    says: /"x" lacks the zip64 sizes/,
  },
  {
    what: 'zip64: two fields',
    bytes: one({
      name: 'x',
      content: text,
      local: { size: mask, extra: Buffer.concat([zip64Extra(54), zip64Extra(55)]) },
    }),
    says: /"x" has two zip64 fields/,
  },
  {
    what: 'zip64: sizes that lie',
    bytes: one({
      name: 'x',
      content: text,
      local: { size: mask, compressedSize: mask, extra: zip64Extra(2 ** 40, 20) },
    }),
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
    says: /"x"/,
  },
  {
    what: 'zip64: another offset in the directory',
    bytes: one({ name: 'x', content: text, central: { offset: mask, extra: zip64Extra(12345) } }),
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
