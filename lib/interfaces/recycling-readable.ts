import type { Readable } from 'node:stream';

/**
 * A stream of bytes that reads into the same memory again, where its reader tells which chunks it is done with. A reader
 * that tells nothing has a stream like any other.
 */
export interface RecyclingReadable extends Readable {
  /** Nobody looks at this chunk any more, which came by `data`, whole. */
  recycle(chunk: Buffer): void;
}
