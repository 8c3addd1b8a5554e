import { crc32, deflateRawSync } from 'node:zlib';

// Builds zip files byte by byte, so that tests can have every lie. Knows nothing of the code under test.

export interface HeaderFields {
  readonly name: string | Buffer;
  readonly flags: number;
  readonly method: number;
  readonly crc: number;
  readonly compressedSize: number;
  readonly size: number;
  readonly extra: Buffer;
}

export interface CentralFields extends HeaderFields {
  readonly offset: number;
  readonly madeBy: number;
  readonly attributes: number;
  readonly disk: number;
  readonly comment: Buffer;
}

export interface EntrySpec {
  readonly name: string | Buffer;
  readonly content?: Buffer | string;
  /** Default 8. */
  readonly method?: number;
  /** In place of the compressed content. */
  readonly data?: Buffer;
  /** Sizes and checksum come behind the data; the headers' own are zero then. */
  readonly descriptor?: 'signed' | 'bare' | 'wide' | 'wide-bare' | Buffer;
  /** What the local header says instead of the truth. */
  readonly local?: Partial<HeaderFields>;
  /** What the directory says instead of the truth. */
  readonly central?: Partial<CentralFields>;
  /** It is not in the directory. */
  readonly unlisted?: boolean;
  /** It is only in the directory. */
  readonly absent?: boolean;
}

export interface ZipSpec {
  readonly entries: readonly EntrySpec[];
  readonly between?: Buffer;
  readonly comment?: Buffer;
  readonly end?: Partial<EndFields>;
  /** Adds the zip64 records, with these lies. */
  readonly zip64?: Partial<EndFields & { recordBytes: number; recordOffset: number }>;
  readonly after?: Buffer;
}

export interface EndFields {
  readonly entries: number;
  readonly directoryBytes: number;
  readonly directoryOffset: number;
  readonly disk: number;
}

const bytes = (value: string | Buffer): Buffer => (typeof value === 'string' ? Buffer.from(value) : value);

function numbers(...parts: readonly (readonly [value: number, length: 2 | 4 | 8])[]): Buffer {
  const bytes = Buffer.allocUnsafe(parts.reduce((total, [, length]) => total + length, 0));
  let at = 0;
  for (const [value, length] of parts) {
    if (length === 8) bytes.writeBigUInt64LE(BigInt(value), at);
    else bytes.writeUIntLE(value, at, length);
    at += length;
  }
  return bytes;
}

export const extraField = (id: number, data: Buffer): Buffer =>
  Buffer.concat([numbers([id, 2], [data.length, 2]), data]);

export const zip64Extra = (...values: readonly number[]): Buffer =>
  extraField(1, Buffer.concat(values.map((value) => numbers([value, 8]))));

function localHeader(header: HeaderFields): Buffer {
  const name = bytes(header.name);
  return Buffer.concat([
    numbers([0x04034b50, 4], [20, 2], [header.flags, 2], [header.method, 2], [0x5a215a21, 4]),
    numbers([header.crc, 4], [header.compressedSize, 4], [header.size, 4]),
    numbers([name.length, 2], [header.extra.length, 2]),
    name,
    header.extra,
  ]);
}

function centralHeader(header: CentralFields): Buffer {
  const name = bytes(header.name);
  return Buffer.concat([
    numbers([0x02014b50, 4], [header.madeBy, 2], [20, 2], [header.flags, 2], [header.method, 2]),
    numbers([0x5a215a21, 4], [header.crc, 4], [header.compressedSize, 4], [header.size, 4]),
    numbers([name.length, 2], [header.extra.length, 2], [header.comment.length, 2], [header.disk, 2]),
    numbers([0, 2], [header.attributes, 4], [header.offset, 4]),
    name,
    header.extra,
    header.comment,
  ]);
}

function descriptorOf(kind: EntrySpec['descriptor'], crc: number, compressed: number, size: number): Buffer {
  if (kind === undefined) return Buffer.alloc(0);
  if (Buffer.isBuffer(kind)) return kind;
  const width = kind.startsWith('wide') ? 8 : 4;
  const signature = kind === 'signed' || kind === 'wide' ? numbers([0x08074b50, 4]) : Buffer.alloc(0);
  return Buffer.concat([signature, numbers([crc, 4], [compressed, width], [size, width])]);
}

export function zipBytes(spec: ZipSpec): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let position = 0;
  for (const entry of spec.entries) {
    const content = bytes(entry.content ?? '');
    const method = entry.method ?? 8;
    const data = entry.data ?? (method === 8 ? deflateRawSync(content) : content);
    const truth = {
      name: entry.name,
      flags: entry.descriptor ? 8 : 0,
      method,
      crc: crc32(content),
      compressedSize: data.length,
      size: content.length,
      extra: Buffer.alloc(0),
    };
    const open = entry.descriptor ? { crc: 0, compressedSize: 0, size: 0 } : {};
    const central = {
      ...truth,
      offset: position,
      madeBy: 0x0314,
      attributes: 0,
      disk: 0,
      comment: Buffer.alloc(0),
      ...entry.central,
    };
    if (!entry.unlisted) directory.push(centralHeader(central));
    if (entry.absent) continue;
    const record = Buffer.concat([
      localHeader({ ...truth, ...open, ...entry.local }),
      data,
      descriptorOf(entry.descriptor, truth.crc, truth.compressedSize, truth.size),
    ]);
    parts.push(record);
    position += record.length;
  }
  if (spec.between) parts.push(spec.between);
  const directoryOffset = position + (spec.between?.length ?? 0);
  const directoryBytes = directory.reduce((total, record) => total + record.length, 0);
  const truth = { entries: directory.length, directoryBytes, directoryOffset, disk: 0 };
  const tail = spec.zip64 ? zip64Records({ ...truth, ...spec.zip64 }, directoryOffset + directoryBytes) : [];
  return Buffer.concat([
    ...parts,
    ...directory,
    ...tail,
    endRecord(spec, truth),
    spec.after ?? Buffer.alloc(0),
  ]);
}

function zip64Records(
  says: EndFields & { recordBytes?: number; recordOffset?: number },
  offset: number,
): Buffer[] {
  return [
    numbers([0x06064b50, 4], [says.recordBytes ?? 44, 8], [0x2d, 2], [0x2d, 2], [0, 4], [says.disk, 4]),
    numbers([says.entries, 8], [says.entries, 8], [says.directoryBytes, 8], [says.directoryOffset, 8]),
    numbers([0x07064b50, 4], [0, 4], [says.recordOffset ?? offset, 8], [1, 4]),
  ];
}

function endRecord(spec: ZipSpec, truth: EndFields): Buffer {
  const says = { ...truth, ...spec.end };
  const comment = spec.comment ?? Buffer.alloc(0);
  return Buffer.concat([
    numbers([0x06054b50, 4], [says.disk, 2], [says.disk, 2], [says.entries, 2], [says.entries, 2]),
    numbers([says.directoryBytes, 4], [says.directoryOffset, 4], [comment.length, 2]),
    comment,
  ]);
}
