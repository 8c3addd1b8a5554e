import { Readable } from 'node:stream';
import { type Archive, openArchive } from '../../lib/driver-kit.js';

/** The archive that these bytes are. */
export const openBytes = (bytes: Buffer): Promise<Archive> =>
  openArchive({
    size: bytes.length,
    read: async (at, length) => bytes.subarray(at, at + length),
    stream: ({ start = 0, end } = {}) => Readable.from([bytes.subarray(start, end)]),
  });
