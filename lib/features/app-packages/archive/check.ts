import { createHash, type Hash } from 'node:crypto';
import { TooLarge } from '../../../model/errors.js';
import { timeSlice } from '../../../runtime/event-loop.js';
import { bytesOf } from './bytes.js';
import { type CheckReservation, unlimitedReservation } from './check-capacity.js';
import { readDirectory, readEnd } from './check-directory.js';
import { checkEntries } from './check-entries.js';
import { type ArchiveLimits, defaultArchiveLimits } from './limits.js';

/** What a checked archive holds. */
export interface ArchiveSummary {
  readonly entries: number;
  /** Of the file. */
  readonly bytes: number;
  /** Of all entries together. */
  readonly inflatedBytes: number;
  /** SHA-256 of the file, lower-case hexadecimal. */
  readonly digest: string;
}

export interface CheckOptions {
  readonly limits?: Partial<ArchiveLimits>;
  readonly signal?: AbortSignal;
  /** Default: as much as it needs. */
  readonly memory?: CheckReservation;
}

/**
 * Reads an archive once, from its first byte to its last, so that it can be checked while it arrives. Every byte must
 * belong to exactly one record, every entry's data is inflated and summed, and the directory must tell the same as what
 * was found; so there is only one way to read what passes. Rejects with `BadRequest` naming the entry and the fault,
 * with `TooLarge` over `maxBytes`, and with the signal's reason.
 */
export async function checkArchive(
  source: AsyncIterable<Buffer> | Iterable<Buffer>,
  options: CheckOptions = {},
): Promise<ArchiveSummary> {
  const limits = { ...defaultArchiveLimits, ...options.limits };
  const hash = createHash('sha256');
  const chunks = limited(source, hash, limits.maxBytes, options.signal);
  const bytes = bytesOf(chunks);
  try {
    const { entries, inflatedBytes } = await checkEntries(
      bytes,
      limits,
      options.memory ?? unlimitedReservation,
    );
    const directory = await readDirectory(bytes, entries, limits);
    await readEnd(bytes, directory);
    const digest = hash.digest('hex');
    return { entries: directory.entries, bytes: bytes.position, inflatedBytes, digest };
  } finally {
    // Lets go of the source, wherever the reading stopped.
    await chunks.return(undefined);
  }
}

async function* limited(
  source: AsyncIterable<Buffer> | Iterable<Buffer>,
  hash: Hash,
  maxBytes: number,
  signal?: AbortSignal,
) {
  const slice = timeSlice();
  let total = 0;
  for await (const chunk of source) {
    signal?.throwIfAborted();
    total += chunk.length;
    if (total > maxBytes) throw new TooLarge('The package', maxBytes);
    hash.update(chunk);
    yield chunk;
    // A source in memory gives chunk after chunk without a turn of the event loop in between.
    if (slice.isOver()) await slice.next();
  }
}
