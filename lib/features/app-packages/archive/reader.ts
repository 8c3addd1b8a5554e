import { pipeline, Readable } from 'node:stream';
import { createInflateRaw } from 'node:zlib';
import { BadRequest, DamagedDocument, TooLarge } from '../../../model/errors.js';
import { owned } from '../../../runtime/owned.js';
import {
  type ArchiveEntry,
  type ArchiveSource,
  type CopyableEntry,
  type DirectoryLimits,
  type EntryList,
  findDirectory,
  readEntries,
  TooManyWanted,
} from './central-directory.js';
import { counter, inflateWhole, tooMuch } from './content.js';
import { type CentralHeader, deflated, fixedBytes, localBytes, quoted, signatures } from './records.js';

export type { ArchiveEntry, ArchiveSource, CopyableEntry } from './central-directory.js';

/** An archive that was checked, read at any place. Only its directory is in memory. The blob is its opener's to close. */
export interface Archive<E extends ArchiveEntry = ArchiveEntry> extends EntryList<E> {
  /** The content, inflated in zlib's threads. Fails with `DamagedDocument` when it is not what was checked. */
  open(entry: ArchiveEntry, options?: { signal?: AbortSignal }): Readable;
  /** The whole content. Rejects with `TooLarge` when it has more than `maxBytes`, else as `open` fails. */
  read(entry: ArchiveEntry, maxBytes: number): Promise<Buffer>;
  /** The content at any place, of an entry that is not compressed: it is not compared with its checksum. */
  stored(entry: ArchiveEntry): Promise<ArchiveSource | undefined>;
  /** The bytes of the file from `start` up to `end`: records of entries as they are. */
  raw(start: number, end: number): Readable;
}

/** With the records of its directory, so that its entries can go into another archive. */
export type CopyableArchive = Archive<CopyableEntry>;

/** Reads the directory at once and nothing else. Rejects with `DamagedDocument` when there is none. */
export async function openArchive(
  source: ArchiveSource,
  options: DirectoryLimits & { readonly wanted?: (name: string) => boolean } = {},
): Promise<Archive> {
  const { wanted = () => true } = options;
  const list = await readable(async () =>
    readEntries(
      source,
      await findDirectory(source, options),
      (header) => (wanted(header.name) ? withoutRecord(header) : undefined),
      options,
    ),
  );
  return archiveOf(source, list);
}

export async function openToCopy(source: ArchiveSource): Promise<CopyableArchive> {
  const list = await readable(async () =>
    readEntries(source, await findDirectory(source), (header) => header),
  );
  return archiveOf(source, list);
}

export const withoutRecord = ({ bytes: _, ...entry }: CentralHeader): ArchiveEntry => entry;

/** For what reads directories of archives that were checked before. */
export async function readable<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    throw asDamage('The directory of the package', error);
  }
}

/** The archive of which these are entries. */
export function archiveOf<E extends ArchiveEntry>(blob: ArchiveSource, list: EntryList<E>): Archive<E> {
  /** Where the data of the entry begins; what lies there is given too, as far as `ahead` reaches. */
  async function locate(entry: ArchiveEntry, ahead: number): Promise<{ start: number; bytes: Buffer }> {
    const end = list.endOf(entry);
    const bytes = await blob.read(entry.offset, Math.min(end - entry.offset, fixedBytes.local + ahead));
    const isLocal = bytes.length >= fixedBytes.local && bytes.readUInt32LE(0) === signatures.local;
    if (!isLocal)
      throw new BadRequest(
        'ARCHIVE_DAMAGED',
        `There is no header of ${quoted(entry.name)} at byte ${entry.offset}`,
      );
    const start = entry.offset + localBytes(bytes);
    if (start + entry.compressedSize > end) {
      throw new BadRequest('ARCHIVE_DAMAGED', `${quoted(entry.name)} reaches into what follows it`);
    }
    return { start, bytes };
  }

  async function wholeOf(entry: ArchiveEntry): Promise<Buffer> {
    const { name, method, size, compressedSize } = entry;
    const { start, bytes } = await locate(entry, usualHeaderBytes + compressedSize);
    const from = start - entry.offset;
    const data =
      bytes.length >= from + compressedSize
        ? bytes.subarray(from, from + compressedSize)
        : await blob.read(start, compressedSize);
    const content = method === deflated ? await inflateWhole(name, data, size) : data;
    const count = checkedCounter(entry);
    count.add(content);
    count.end();
    return content;
  }

  async function read(entry: ArchiveEntry, maxBytes: number): Promise<Buffer> {
    if (entry.size > maxBytes) throw new TooLarge(quoted(entry.name), maxBytes);
    try {
      return await wholeOf(entry);
    } catch (error) {
      throw asDamage(quoted(entry.name), error);
    }
  }

  async function* contentOf(entry: ArchiveEntry): AsyncGenerator<Buffer> {
    try {
      const { start } = await locate(entry, usualHeaderBytes);
      const data = owned(blob.stream({ start, end: start + entry.compressedSize }));
      const content =
        entry.method === deflated ? pipeline(data, owned(createInflateRaw({ chunkSize })), ignore) : data;
      const count = checkedCounter(entry);
      for await (const chunk of content) {
        count.add(chunk);
        yield chunk;
      }
      count.end();
    } catch (error) {
      throw asDamage(quoted(entry.name), error);
    }
  }

  return {
    ...list,
    open: (entry, { signal } = {}) =>
      owned(Readable.from(contentOf(entry), { objectMode: false, ...(signal ? { signal } : {}) })),
    read,
    async stored(entry) {
      if (entry.method === deflated) return undefined;
      try {
        return partOf(blob, (await locate(entry, usualHeaderBytes)).start, entry.size);
      } catch (error) {
        throw asDamage(quoted(entry.name), error);
      }
    },
    raw: (start, end) => owned(blob.stream({ start, end })),
  };
}

const partOf = (blob: ArchiveSource, offset: number, size: number): ArchiveSource => ({
  size,
  read: (position, length) => blob.read(offset + position, Math.max(0, Math.min(length, size - position))),
  stream: ({ start = 0, end = size } = {}) =>
    blob.stream({ start: offset + start, end: offset + Math.min(end, size) }),
});

/** It was whole when it was checked, so a fault in it now is not the client's. Other errors stay what they are. */
function asDamage(what: string, error: unknown): unknown {
  if (error instanceof TooManyWanted) return error;
  const isFault = error instanceof BadRequest || (error instanceof Error && /^Z_/.test(codeOf(error)));
  return isFault ? new DamagedDocument(what, error) : error;
}

const codeOf = (error: Error): string => ('code' in error ? String(error.code) : '');

const chunkSize = 64 * 1024;

/** The iteration tells it. */
const ignore = () => {};

/** A local header with a long name and some extra fields: then reading a small entry takes one read. */
const usualHeaderBytes = 512;

function checkedCounter({ name, size, crc }: ArchiveEntry) {
  const count = counter((total) => {
    if (total > size) throw tooMuch(name, size);
  });
  return {
    add: (chunk: Buffer) => count.add(chunk),
    end() {
      if (count.size !== size || count.crc !== crc) {
        throw new BadRequest(
          'ARCHIVE_DAMAGED',
          `The content of ${quoted(name)} is not what its header tells: it is damaged`,
        );
      }
    },
  };
}
