import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { crc32, deflateRawSync } from 'node:zlib';
import {
  centralRecord,
  endRecords,
  newEntry,
} from '../../lib/features/app-packages/archive/written-records.js';
import { manifest } from '../../test/helpers/packages.js';

const blockBytes = 64 * 1024;

/** Half of them as a jar is inside (it can't be compressed), half as text; the same every time. */
function contentOf(seed: number, bytes: number): Buffer {
  // It repeats itself only after more than deflate looks back.
  const block = Buffer.alloc(blockBytes);
  const isText = seed % 2 === 0;
  let state = seed * 2654435761 + 1;
  for (let i = 0; i < blockBytes; i += 4) {
    state = (Math.imul(state, 1103515245) + 12345) | 0;
    block.writeInt32LE(isText ? ((state >>> 16) & 0x07070707) + 0x61616161 : state ^ (state >>> 13), i);
  }
  return Buffer.alloc(bytes, block);
}

/** What an entry holds, apart from its name. */
function prepared(content: Buffer) {
  const deflated = deflateRawSync(content);
  const isDeflated = deflated.length < content.length;
  return { size: content.length, crc: crc32(content), data: isDeflated ? deflated : content, isDeflated };
}

/** Few, because deflating is what takes the time. */
const contentsCount = 16;

export interface Made {
  readonly path: string;
  /** Of the package. */
  readonly name: string;
  readonly folder: string;
  readonly entries: number;
  /** Of each entry, inflated: from a tenth of it to the double. */
  readonly meanBytes: number;
}

/** A package as a build tool makes it from files: deflated, sizes in front of the data. */
export async function makePackage({ path, name, folder, entries, meanBytes }: Made): Promise<void> {
  const contents = Array.from({ length: contentsCount }, (_, i) =>
    prepared(contentOf(i, Math.round(meanBytes * (0.1 + (1.8 * i) / (contentsCount - 1))))),
  );
  const modified = new Date(0);
  function* files() {
    yield newEntry({
      name: 'META-INF/MANIFEST.MF',
      modified,
      ...prepared(Buffer.from(manifest(name, '1.0.0'))),
    });
    for (let i = 0; i < entries; i++) {
      const content = contents[i % contentsCount];
      if (!content) continue;
      yield newEntry({ name: `${folder}/part-${String(i).padStart(7, '0')}.bin`, modified, ...content });
    }
  }

  async function* bytes(): AsyncGenerator<Buffer> {
    const directory: Buffer[] = [];
    let gathered: Buffer[] = [];
    let gatheredBytes = 0;
    let offset = 0;
    for (const file of files()) {
      directory.push(centralRecord(file, offset));
      offset += file.local.length + file.data.length;
      gathered.push(file.local, file.data);
      gatheredBytes += file.local.length + file.data.length;
      if (gatheredBytes < 1024 ** 2) continue;
      yield Buffer.concat(gathered);
      gathered = [];
      gatheredBytes = 0;
    }
    const records = Buffer.concat(directory);
    yield Buffer.concat([
      ...gathered,
      records,
      endRecords({ entries: directory.length, directoryOffset: offset, directoryBytes: records.length }),
    ]);
  }
  await pipeline(bytes, createWriteStream(path));
}
