import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { writeArchive } from '../../lib/features/app-packages/archive/writer.js';

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

export interface Made {
  readonly path: string;
  readonly folder: string;
  readonly entries: number;
  /** Of each entry, inflated: from a tenth of it to the double. */
  readonly meanBytes: number;
}

/** As a build tool makes it from files: deflated, sizes in front of the data. Contents are made when they are asked for. */
export async function makeArchive({ path, folder, entries, meanBytes }: Made): Promise<void> {
  const parts = Array.from({ length: entries }, (_, i) => ({
    name: `${folder}/part-${String(i).padStart(6, '0')}.bin`,
    modified: new Date(0),
    get content() {
      return contentOf(i, Math.round(meanBytes * (0.1 + ((i * 7919) % 1000) / 555)));
    },
  }));
  await pipeline(writeArchive(parts), createWriteStream(path));
}
