import {
  type ArchiveEntry,
  type EntryList,
  type FoundDirectory,
  findDirectory,
  readEntries,
} from './central-directory.js';
import { isOwnFile, maxOwnFiles } from './own-files.js';
import {
  type Archive,
  type ArchiveSource,
  archiveOf,
  type CopyableEntry,
  readable,
  withoutRecord,
} from './reader.js';
import type { CentralHeader } from './records.js';
import { createShares, type Share, type Shares } from './shares.js';

/** An archive that somebody has open. */
export interface Lent<E extends ArchiveEntry = ArchiveEntry> {
  readonly archive: Archive<E>;
  /** Idempotent. */
  release(): void;
}

/** Whose directory it is: contents that never change have one id. */
interface Wanted {
  readonly id: string;
  readonly signal?: AbortSignal;
}

/**
 * Directories of archives for all requests of a gateway: each is read once for all who want it at the same time, and
 * together they take no more memory than there is for them. Who has to wait for it may end waiting by their signal, and
 * gets `NotReady` after a while. The source is the opener's to close, after `release`.
 */
export interface ArchiveShelf {
  /** Only what the gateway itself reads in a package: little, whatever else is in it. */
  own(source: ArchiveSource, wanted: Wanted): Promise<Lent>;
  /** All entries. */
  whole(source: ArchiveSource, wanted: Wanted): Promise<Lent>;
  /** All entries, with what another archive needs to have of them. */
  toCopy(source: ArchiveSource, wanted: Wanted): Promise<Lent<CopyableEntry>>;
}

const mebi = 1024 ** 2;

/** Usual packages need less, and never wait for large ones. */
const smallBytes = 16 * mebi;
const smallTotal = 96 * 1024 ** 2;
const largeTotal = 256 * 1024 ** 2;
/** For all small ones and all large ones together. */
const defaultTotals = { small: smallTotal, large: largeTotal };
/** Milliseconds. */
const defaultTimeoutMillis = 15_000;
/** Directories that nobody uses, so that the next one does not read them again. */
const maxIdleBytes = 16 * mebi;

/** About what V8 takes for an entry besides its name, and for what its record is seen through. */
const entryBytes = 300;
const recordBytes = 200;
/** V8 takes two bytes for each character where one is not of Latin-1. */
const maxNameBytes = 2 * 512;

interface Kind<E extends ArchiveEntry> {
  readonly kept: (header: CentralHeader) => E | undefined;
  /** At most, before it is read. */
  readonly needs: (found: FoundDirectory) => number;
  /** Default: any number. */
  readonly maxWanted?: number;
}

const names = ({ count, bytes }: FoundDirectory) => Math.min(2 * bytes, count * maxNameBytes);
const ofAll = (found: FoundDirectory) => found.count * (8 + entryBytes) + names(found);

const kinds = {
  own: {
    kept: (header) => (isOwnFile(header.name) ? withoutRecord(header) : undefined),
    needs: (found) => Math.min(ofAll(found), found.count * 8 + maxOwnFiles * (entryBytes + maxNameBytes)),
    maxWanted: maxOwnFiles,
  } satisfies Kind<ArchiveEntry>,
  whole: { kept: withoutRecord, needs: ofAll } satisfies Kind<ArchiveEntry>,
  toCopy: {
    kept: (header) => header,
    needs: (found) => ofAll(found) + found.bytes + found.count * recordBytes,
  } satisfies Kind<CopyableEntry>,
};

export function archiveShelf(
  options: { totals?: typeof defaultTotals; timeoutMillis?: number } = {},
): ArchiveShelf {
  const { totals = defaultTotals, timeoutMillis = defaultTimeoutMillis } = options;
  const idle = idleOnes();
  const lane = (total: number) => createShares({ total, timeoutMillis, spare: idle.dropAll });
  const [small, large] = [lane(totals.small), lane(totals.large)];
  const shares: Shares = {
    take: (bytes, signal) => (bytes <= smallBytes ? small : large).take(bytes, signal),
    get isShort() {
      return small.isShort || large.isShort;
    },
  };
  return {
    own: lending(kinds.own, shares, idle),
    whole: lending(kinds.whole, shares, idle),
    toCopy: lending(kinds.toCopy, shares, idle),
  };
}

interface Idle {
  /** `forget` is called when it has to go. */
  add(bytes: number, forget: () => void): void;
  remove(forget: () => void): void;
  dropAll(): void;
}

/** The one that was used last stays longest. */
function idleOnes(): Idle {
  const all = new Map<() => void, number>();
  let total = 0;
  const remove = (forget: () => void) => {
    total -= all.get(forget) ?? 0;
    all.delete(forget);
  };
  function dropTo(bytes: number): void {
    for (const forget of all.keys()) {
      if (total <= bytes) return;
      remove(forget);
      forget();
    }
  }
  return {
    add(bytes, forget) {
      all.set(forget, bytes);
      total += bytes;
      dropTo(maxIdleBytes);
    },
    remove,
    dropAll: () => dropTo(0),
  };
}

/** A directory that is read, or is there. */
interface Held<E extends ArchiveEntry> {
  readonly list: Promise<EntryList<E>>;
  readonly stop: AbortController;
  users: number;
  /** What it takes; absent while it is read. */
  bytes?: number;
  readonly forget: () => void;
}

function lending<E extends ArchiveEntry>(kind: Kind<E>, shares: Shares, idle: Idle) {
  const there = new Map<string, Held<E>>();
  const limits = kind.maxWanted === undefined ? {} : { maxWanted: kind.maxWanted };

  function begin(source: ArchiveSource, id: string): Held<E> {
    const stop = new AbortController();
    let share: Share | undefined;
    const forget = () => {
      if (there.get(id) === held) there.delete(id);
      share?.release();
    };
    async function read(): Promise<EntryList<E>> {
      const found = await readable(() => findDirectory(source));
      share = await shares.take(kind.needs(found), stop.signal);
      const list = await readable(() =>
        readEntries(source, found, kind.kept, { ...limits, signal: stop.signal }),
      );
      held.bytes = heldBytes(found.count, list);
      share.shrink(held.bytes);
      return list;
    }
    const list = read().catch((error) => {
      forget();
      throw error;
    });
    const held: Held<E> = { list, stop, users: 0, forget };
    there.set(id, held);
    return held;
  }

  /** Somebody does without it. */
  function leave(held: Held<E>): void {
    if (--held.users > 0) return;
    if (held.bytes === undefined) held.stop.abort(new Error('Nobody wants the archive any more'));
    else if (shares.isShort) held.forget();
    else idle.add(held.bytes, held.forget);
  }

  return async (source: ArchiveSource, { id, signal }: Wanted): Promise<Lent<E>> => {
    signal?.throwIfAborted();
    const before = there.get(id);
    const held = before && !before.stop.signal.aborted ? before : begin(source, id);
    held.users++;
    idle.remove(held.forget);
    let isHeld = true;
    const release = () => {
      if (isHeld) leave(held);
      isHeld = false;
    };
    try {
      // The one whose source is read stays until it is read: others wait for it too.
      const list = await (held === before
        ? unlessAborted(held.list, signal)
        : untilRead(held.list, release, signal));
      signal?.throwIfAborted();
      return { archive: archiveOf(source, list), release };
    } catch (error) {
      release();
      throw signal?.aborted ? signal.reason : error;
    }
  };
}

async function untilRead<T>(read: Promise<T>, leave: () => void, signal?: AbortSignal): Promise<T> {
  signal?.addEventListener('abort', leave, { once: true });
  try {
    return await read;
  } finally {
    signal?.removeEventListener('abort', leave);
  }
}

async function unlessAborted<T>(work: Promise<T>, signal?: AbortSignal): Promise<T> {
  let abort = () => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    abort = () => reject(signal?.reason);
  });
  signal?.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal?.removeEventListener('abort', abort);
  }
}

/** As `needs` counts, for what turned out to be there. */
function heldBytes(count: number, { entries }: EntryList): number {
  let bytes = count * 8;
  for (const entry of entries) {
    bytes += entryBytes + entry.name.length + ('bytes' in entry ? recordBytes + recordLength(entry) : 0);
  }
  return bytes;
}

const recordLength = (entry: { bytes: unknown }): number =>
  Buffer.isBuffer(entry.bytes) ? entry.bytes.length : 0;
