import type { Readable } from 'node:stream';
import type { CopyableArchive, CopyableEntry } from './reader.js';

/** What goes into a new archive, in its order there. */
export type ArchivePart =
  /** Carried over from another archive as it is, compressed bytes, times and modes. */
  | { readonly from: CopyableArchive; readonly entry: CopyableEntry }
  /** A small new file, deflated, or a directory: then its name ends in `/`. `modified` is kept to two seconds, in UTC. */
  | { readonly name: string; readonly content: Buffer; readonly modified: Date }
  /** A new file of any size, as it is. */
  | { readonly name: string; readonly stored: StoredFile; readonly modified: Date };

interface StoredFile {
  /** Bytes; less than 4 GiB. */
  readonly size: number;
  readonly crc: number;
  open(): Readable;
}

export const nameOf = (part: ArchivePart): string => ('entry' in part ? part.entry.name : part.name);
