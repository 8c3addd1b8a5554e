import type { Clock } from '../interfaces/clock.js';
import { mapLimited } from '../runtime/map-limited.js';
import type { LastEntries, Listing } from './topic.js';
import type { FoundTopic } from './topic-table.js';

/** What a topic says now. */
export interface ListingReading {
  /** `undefined`: nothing. */
  readonly data: unknown;
  /** The list without what has ended, where `data` names that. */
  readonly lasting: unknown;
  /** What has ended, where `data` names that. */
  readonly lastEntries?: LastEntries;
  /** Call it when that was published: what has ended is named once. */
  told(): void;
}

/**
 * Reads topics, and names entries of lists once more, with their end state, that are not in the list any more. What a list
 * held is remembered beyond its last listener: who unsubscribes for a while, or reads again after the source was down, hears
 * of what ended meanwhile too.
 */
interface FinalListings {
  read(name: string, found: FoundTopic, signal: AbortSignal): Promise<ListingReading>;
}

/** Lists that are remembered, and for how long after their last reading, in milliseconds. */
const most = { lists: 1000, millis: 600_000 };
const asksAtOnce = 16;

/** Entries by id, each as a list of its own. */
type Parts = ReadonlyMap<string, unknown>;

/** What a list held, as far as it is known. */
interface Held {
  /** As it was read last; `undefined` where it could not be read. */
  readonly list: unknown;
  /** Of those that are not in it: whether they have ended can't be told yet, or has been told while the list could not be read. */
  readonly besides: Parts;
}

const nothing: Held = { list: undefined, besides: new Map() };

/** What was held and is not in the list any more; all of it where that can't be read. */
function goneOf(
  listing: Listing<unknown>,
  { list, besides }: Held,
  now: unknown,
): (readonly [string, unknown])[] {
  if (now === undefined) return [...besides, ...(list === undefined ? [] : listing.split(list))];
  const missing = list === undefined ? [] : listing.missing(list, now);
  if (besides.size === 0) return [...missing];
  const present = listing.split(now);
  return [...[...besides].filter(([id]) => !present.has(id)), ...missing];
}

interface Ends {
  readonly lastEntries: LastEntries;
  /** Where nobody can tell yet. */
  readonly open: Parts;
  /** Where the end has been told. */
  readonly over: Parts;
}

async function endsOf(
  gone: readonly (readonly [string, unknown])[],
  ended: (part: unknown) => Promise<unknown>,
): Promise<Ends> {
  const ends = {
    lastEntries: new Map<string, unknown>(),
    open: new Map<string, unknown>(),
    over: new Map<string, unknown>(),
  };
  await mapLimited(gone, asksAtOnce, async ([id, part]) => {
    try {
      const endState = await ended(part);
      if (endState === undefined) ends.over.set(id, part);
      else ends.lastEntries.set(id, endState);
    } catch {
      ends.open.set(id, part);
    }
  });
  return ends;
}

export function createFinalListings({ clock }: { clock: Clock }): FinalListings {
  const known = new Map<string, { readonly held: Held; readonly at: number }>();

  function remember(name: string, held: Held): void {
    known.delete(name);
    known.set(name, { held, at: clock.monotonic() });
    const [oldest] = known.keys();
    if (known.size > most.lists && oldest !== undefined) known.delete(oldest);
  }

  function heldBefore(name: string): Held {
    const found = known.get(name);
    return found && clock.monotonic() - found.at < most.millis ? found.held : nothing;
  }

  return {
    async read(name, { topic, service, params }, signal) {
      const { listing } = topic;
      const read = async () => topic.read?.(service, { params, signal });
      if (!listing) {
        const data = await read();
        return { data, lasting: data, told() {} };
      }
      let failure: { readonly error: unknown } | undefined;
      const now = await read().catch((error: unknown) => {
        failure = { error };
      });
      const gone = goneOf(listing, heldBefore(name), now);
      if (now !== undefined && gone.length === 0) {
        const told = () => remember(name, { list: now, besides: nothing.besides });
        return { data: now, lasting: now, told };
      }
      const input = { params, signal, isListRead: now !== undefined };
      const { lastEntries, open, over } = await endsOf(gone, (part) => listing.ended(service, part, input));
      if (failure && lastEntries.size === 0) throw failure.error;
      // Of a list that can't be read all is told that is known, so that who keeps the newest only misses nothing.
      const besides = now === undefined ? new Map([...over, ...open]) : open;
      const told = () => {
        if (now !== undefined || gone.length > 0) remember(name, { list: now, besides });
      };
      if (lastEntries.size === 0) return { data: now, lasting: now, told };
      const present = now === undefined ? [...besides.values()] : [now];
      const data = listing.join([...present, ...lastEntries.values()]);
      return { data, lasting: listing.join(present), lastEntries, told };
    },
  };
}
